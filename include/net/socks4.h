/* SPDX-License-Identifier: BSD-2-Clause */
/* SOCKS4 as its client speaks it (https://www.openssh.com/txt/socks4.protocol). Pure. */
#ifndef NET_SOCKS4_H
#define NET_SOCKS4_H

#include "base/result.h"
#include "net/addr.h"

#include <stddef.h>

enum { SOCKS4_REQUEST = 16, SOCKS4_REPLY = 8 };

/* Writes the request to connect to an address into memory (SOCKS4_REQUEST bytes); its length; 0: it
 * is none of IPv4, which is all that version 4 knows. */
size_t socks4_request(char *memory, const struct addr *to);
/* Does the reply (SOCKS4_REPLY bytes) grant it? */
MUST_USE bool socks4_granted(const char *reply);

#endif
