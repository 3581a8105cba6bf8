/* SPDX-License-Identifier: BSD-2-Clause */
/* NetScaler Client IP insertion: the IP and TCP headers of the client's packet in front of the
 * connection's bytes, behind a number that both sides know. Pure. */
#ifndef NET_NETSCALER_H
#define NET_NETSCALER_H

#include "base/result.h"
#include "net/addr.h"

#include <stddef.h>

enum netscaler_result {
	NETSCALER_DONE,
	NETSCALER_INCOMPLETE, /* good so far */
	NETSCALER_MAGIC,      /* another number */
	NETSCALER_UNHANDLED,  /* what follows are not the headers of a TCP segment */
};

struct netscaler {
	size_t len;           /* bytes of all of it */
	struct addr src, dst;
};

/* Reads one at the front of bytes, in the form before NetScaler 10.5 or since. */
MUST_USE enum netscaler_result netscaler_parse(const char *bytes, size_t len, uint32_t magic,
					       struct netscaler *header);

#endif
