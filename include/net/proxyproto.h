/* SPDX-License-Identifier: BSD-2-Clause */
/* The PROXY protocol's bytes. */
#ifndef NET_PROXYPROTO_H
#define NET_PROXYPROTO_H

#include <stddef.h>

struct addr;

enum { PROXYPROTO_V1_MAX = 108 }; /* section 2.1: 107 and a NUL */

/* Writes the line of version 1, with CR LF, into line (PROXYPROTO_V1_MAX bytes); returns its
 * length. "UNKNOWN" when the addresses are not of one internet family. */
size_t proxyproto_v1(char *line, const struct addr *src, const struct addr *dst);

#endif
