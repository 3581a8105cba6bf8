/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets before they are connections: creation in a network namespace, options by name. */
#ifndef NET_SOCK_H
#define NET_SOCK_H

#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

/* Kernel buffers, bytes; 0: the system's. tune.rcvbuf.client and so on. */
struct sock_tune {
	size_t rcvbuf_client, sndbuf_client, rcvbuf_server, sndbuf_server;
};
extern struct sock_tune sock_tune;

/* A non-blocking, close-on-exec stream socket; namespace: name below /run/netns, or NULL. -1
 * with errno. The last descriptor there is was kept for it by sock_reserve; behind that, orphans
 * (net/orphan.h) make room. */
MUST_USE int sock_open(int family, const char *namespace);
/* The same for datagrams. */
MUST_USE int sock_open_datagrams(int family, const char *namespace);
/* Keeps a descriptor back for the next sock_open, unless it does so already. Whoever is about to
 * accept asks: a client for whom no server's socket could be had is better left in the kernel's
 * queue. False with errno: there is none. */
MUST_USE bool sock_reserve(void);
/* TCP keep-alive; idle and interval in seconds, cnt probes; 0: the system's. */
void sock_keepalive(int fd, int cnt, unsigned idle_s, unsigned intvl_s);
/* Integer option; false with errno. */
MUST_USE bool sock_set(int fd, int level, int option, int value);
/* The same for a wish: where the system does not grant it, the socket does its work without. */
void sock_wish(int fd, int level, int option, int value);

#endif
