/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol's bytes, both versions (doc/proxy-protocol.txt of its authors: section 2.1 is
 * the line of text, 2.2 the binary header). Pure. */
#ifndef NET_PROXYPROTO_H
#define NET_PROXYPROTO_H

#include "net/addr.h"

#include <stddef.h>

enum { PROXYPROTO_V1_MAX = 108,   /* section 2.1: 107 and a NUL */
       PROXYPROTO_V2_MAX = 52,    /* of what proxyproto_v2 writes: 16 and two addresses with ports */
       PROXYPROTO_SIGNATURE = 12, /* bytes that begin a header of version 2 */
};

/* Writes the line of version 1, with CR LF, into line (PROXYPROTO_V1_MAX bytes); returns its
 * length. "UNKNOWN" when the addresses are not of one internet family. */
size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst);
/* The header of version 2 (PROXYPROTO_V2_MAX bytes), family UNSPEC in that case; local: the
 * connection is our own (a health check), it speaks for nobody. */
size_t proxyproto_v2(char *header, const struct addr *src, const struct addr *dst, bool local);

enum proxyproto_result {
	PROXYPROTO_DONE,
	PROXYPROTO_INCOMPLETE, /* good so far */
	PROXYPROTO_FOREIGN,    /* it does not begin like a header at all */
	PROXYPROTO_BAD,        /* it begins like one, but breaks its rules */
	PROXYPROTO_UNHANDLED,  /* a family or transport that no stream can have */
};

struct proxyproto {
	size_t len;             /* bytes of the header */
	bool has_addrs;         /* false: LOCAL, UNKNOWN, UNSPEC: the connection's own hold */
	struct addr src, dst;   /* of a Unix socket: family alone */
};

/* Reads a header of either version at the front of bytes. */
enum proxyproto_result proxyproto_parse(const char *bytes, size_t len, struct proxyproto *header);

#endif
