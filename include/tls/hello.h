/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a TLS ClientHello or ServerHello in bytes that pass through: what the client asks
 * for, without any cryptography. A pure parser. */
#ifndef TLS_HELLO_H
#define TLS_HELLO_H

#include "base/result.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum hello_result {
	HELLO_OK,   /* a complete hello */
	HELLO_MORE, /* so far it looks like one: more bytes are needed */
	HELLO_BAD,  /* it is something else */
};

enum { HELLO_CLIENT = 1, HELLO_SERVER = 2 }; /* hello.type */

struct hello {
	uint8_t type;          /* HELLO_CLIENT, HELLO_SERVER */
	uint8_t major, minor;  /* version in the hello itself (that of TLS 1.3 says 3.3) */
	struct span session_id;
	struct span sni;       /* host_name; ptr NULL: not sent */
	struct span alpn;      /* list of names, each behind its length; ptr NULL: not sent */
	bool groups;           /* supported groups (elliptic curves) were sent */
	bool ticket;           /* session ticket extension was sent */
	size_t ticket_len;     /* its length */
};

/* Parses the bytes from the first one of the connection. Spans in *hello point into data, or
 * into scratch when the hello is spread over several records (RFC 8446 5.1): it is put
 * together there, if size bytes suffice; otherwise it is HELLO_BAD. */
MUST_USE enum hello_result hello_parse(struct span data, char *scratch, size_t size,
				       struct hello *hello);
/* The version in a ClientHello, as soon as it can be told; the SSLv2 form of a hello (RFC 5246
 * E.2) is recognised, too. Major in bits 16 and up. */
MUST_USE enum hello_result hello_version(struct span data, unsigned *version);

#endif
