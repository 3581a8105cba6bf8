/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol's bytes, both versions (doc/proxy-protocol.txt of its authors: section 2.1 is
 * the line of text, 2.2 the binary header, behind whose addresses stand vectors of type, length
 * and value). Pure. */
#ifndef NET_PROXYPROTO_H
#define NET_PROXYPROTO_H

#include "base/result.h"
#include "base/str.h"
#include "net/addr.h"

#include <stddef.h>

enum { PROXYPROTO_V1_MAX = 108,   /* section 2.1: 107 and a NUL */
       PROXYPROTO_V2_MAX = 4096,  /* of what we write */
       PROXYPROTO_V2_LONGEST = 16384, /* of what we read */
       PROXYPROTO_SIGNATURE = 12, /* bytes that begin a header of version 2 */
};

/* Types of vectors: section 2.2. */
enum { PROXYPROTO_ALPN = 0x01, PROXYPROTO_AUTHORITY = 0x02, PROXYPROTO_CRC32C = 0x03,
       PROXYPROTO_NOOP = 0x04, PROXYPROTO_UNIQUE_ID = 0x05, PROXYPROTO_SSL = 0x20,
       PROXYPROTO_SSL_VERSION = 0x21, PROXYPROTO_SSL_CN = 0x22, PROXYPROTO_SSL_CIPHER = 0x23,
       PROXYPROTO_SSL_SIG_ALG = 0x24, PROXYPROTO_SSL_KEY_ALG = 0x25, PROXYPROTO_NETNS = 0x30 };

enum { PROXYPROTO_AUTHORITY_MAX = 255, PROXYPROTO_UNIQUE_ID_MAX = 128 };

/* ---- writing ---------------------------------------------------------------------------- */

/* Writes the line of version 1, with CR LF, into line (PROXYPROTO_V1_MAX bytes); returns its
 * length. "UNKNOWN" when the addresses are not both internet addresses; if one of them is of IPv4
 * and the other of IPv6, the former is written as an address of the latter. */
size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst);

/* A header of version 2 that grows: begun once, vectors in their order, ended once. */
struct proxyproto_out {
	char *memory;
	size_t size, len;
	char *crc;   /* four bytes for the checksum; NULL: none */
	bool cut;    /* something did not fit */
};

/* What a header tells of the client's TLS: section 2.2.6. Spans may be empty: not told. */
struct proxyproto_ssl {
	bool used;                 /* the client speaks TLS: without it nothing else is told */
	bool cert_conn, cert_sess; /* it showed a certificate: now, or when the session began */
	bool verified;             /* which was verified */
	struct span version, cn, key_alg, sig_alg, cipher;
};

/* src and dst as above; where they are none of the internet's, or NULL, the connection is declared
 * our own (LOCAL: a health check, a client of a Unix socket): it speaks for nobody. */
void proxyproto_begin(struct proxyproto_out *out, char *memory, size_t size,
		      const struct addr *src, const struct addr *dst, bool crc32c);
/* It stands in front of a datagram: said right behind proxyproto_begin. */
void proxyproto_of_datagram(struct proxyproto_out *out);
void proxyproto_add(struct proxyproto_out *out, uint8_t type, struct span value);
void proxyproto_add_ssl(struct proxyproto_out *out, const struct proxyproto_ssl *ssl);
/* Its length; 0: it was cut. */
size_t proxyproto_end(struct proxyproto_out *out);

/* ---- reading ---------------------------------------------------------------------------- */

enum proxyproto_result {
	PROXYPROTO_DONE,
	PROXYPROTO_INCOMPLETE, /* good so far */
	PROXYPROTO_FOREIGN,    /* it does not begin like a header at all */
	PROXYPROTO_BAD,        /* it begins like one, but breaks its rules */
	PROXYPROTO_UNHANDLED,  /* a transport that no stream can have */
};

struct proxyproto {
	size_t len;             /* bytes of the header */
	bool has_addrs;         /* false: LOCAL, UNKNOWN, UNSPEC: the connection's own hold */
	struct addr src, dst;   /* of a Unix socket: family alone */
	struct span vectors;    /* in the bytes; whole ones, as far as their lengths say */
};

/* Reads a header of either version at the front of bytes. What is too long, or wrong already, is
 * refused before it is complete. */
MUST_USE enum proxyproto_result proxyproto_parse(const char *bytes, size_t len,
						 struct proxyproto *header);

/* The first of the vectors, which are then those behind it. False: there is none. */
MUST_USE bool proxyproto_next(struct span *vectors, uint8_t *type, struct span *value);
/* The next one of a type, which may be one of those inside of PROXYPROTO_SSL. */
MUST_USE bool proxyproto_find(struct span *vectors, uint8_t type, struct span *value);

#endif
