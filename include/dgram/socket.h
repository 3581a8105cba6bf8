/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets for datagrams on the port of a listener. */
#ifndef DGRAM_SOCKET_H
#define DGRAM_SOCKET_H

#include "base/result.h"

struct addr;
struct listener;

/* bind_conf->bound: one of the listener's `shards' sockets is bound, or was handed over: it tells
 * to which address of ours a client has sent, and the port goes by the client (dgram/spread.h).
 * NULL, or what the system refused, with errno. */
const char *dgram_socket_bound(const struct listener *l, int fd);
/* A further socket on the port, which gets what this peer sends to the local address there: the
 * kernel prefers it. -1 with errno. */
MUST_USE int dgram_socket_beside(const struct listener *l, const struct addr *local,
				 const struct addr *peer);

#endif
