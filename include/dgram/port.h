/* SPDX-License-Identifier: BSD-2-Clause */
/* A port on which this process takes datagrams: one socket of a dgram-bind line, and who wants what
 * comes there. Part of an object of its user. */
#ifndef DGRAM_PORT_H
#define DGRAM_PORT_H

#include "base/result.h"
#include "event/timer.h"

#include <stdbool.h>
#include <stdint.h>

struct dgram_port;
struct listener;

/* What dgram/ asks of those who talk on ports: all that it knows of them. */
struct dgram_user {
	/* Takes what waits at a descriptor of the port, at most so many batches (dgram/batch.h). */
	void (*receive)(struct dgram_port *port, int fd, unsigned batches);
	/* Sends what was gathered for clients: a descriptor by which it may leave closes. */
	void (*flush)(void);
	/* May rows that come pass as one (dgram/rows.h)? */
	bool (*gathers)(const struct dgram_port *port);
	/* The process ends and its conversations go on: each of this port gets a socket of its own
	 * (dgram/beside.h). Those that begin later open theirs at once, as port->leaves says. */
	void (*part)(struct dgram_port *port);
	/* errno: the sockets of the port cannot be told apart by client any more. */
	void (*mixed)(struct dgram_port *port, int error);
};

struct dgram_port {
	struct listener *listener;
	const struct dgram_user *user;
	bool any;             /* bound to any address: datagrams tell theirs */
	bool leaves;          /* this process ends */
	int claim;            /* dgram/claim.h; -1: released */
	uint64_t patience_ms; /* clock_now_ms until which the claim of others holds */
	struct timer retry;
};

#endif
