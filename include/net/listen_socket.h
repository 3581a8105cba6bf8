/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls behind a listener: its socket is opened, bound, told to listen; and
 * accepts. For net/accept.c, and for dgram/. */
#ifndef NET_LISTEN_SOCKET_H
#define NET_LISTEN_SOCKET_H

#include "base/result.h"
#include "net/addr.h"

struct err;
struct listen_options;
struct listener;

struct listen_socket_conf {
	int owner;      /* the user to whom sockets for datagrams are given, written by
			 * process/run.c; -1: they stay ours */
	bool reuseport; /* SO_REUSEPORT on listening sockets, so that a new process can bind beside
			 * the old one; off by the global word noreuseport and -dR (bind_conf.c) */
};
extern struct listen_socket_conf listen_socket_conf;

/* Opens, binds and listens, or takes over the descriptor that was inherited. The descriptor,
 * or -1 and err. */
MUST_USE int listen_socket_open(struct listener *l, const struct listen_options *opt,
				struct err *err);
/* A new connection, non-blocking and close-on-exec; or -1 and errno (EPIPE: the other end of
 * a socket pair is gone, there will never be another one). */
MUST_USE int listen_socket_accept(struct listener *l, struct addr *from);
/* No longer listens but keeps its address, where the system and its sharing allow. */
void listen_socket_unlisten(struct listener *l);
/* Asks the kernel to give new connections to the process that has bound the same address after
 * this one (SO_REUSEPORT); off: to share them again. Without such a process nothing changes. */
void listen_socket_steer_away(struct listener *l, bool on);
/* A further socket for datagrams with the options of the listener's line, bound to that address.
 * -1 with errno. */
MUST_USE int listen_socket_further(const struct listener *l, const struct addr *own);
/* Listens again. 0, or -1 with errno. */
MUST_USE int listen_socket_hear(struct listener *l);

#endif
