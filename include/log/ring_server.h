/* SPDX-License-Identifier: BSD-2-Clause */
/* A server to which a ring's messages are forwarded over a TCP or Unix stream. Manual 3.9. */
#ifndef LOG_RING_SERVER_H
#define LOG_RING_SERVER_H

#include "config/config.h"
#include "event/loop.h"
#include "event/timer.h"
#include "log/ring.h"
#include "net/addr.h"

struct err;

enum ring_server_state { RING_SERVER_IDLE, RING_SERVER_CONNECTING, RING_SERVER_READY };

struct ring_server {
	struct ring_reader reader; /* position: first message that did not leave completely */
	struct ring *ring;
	const char *name;
	struct location loc;
	struct addr addr;
	bool octet_count;        /* RFC 6587 3.4.1; else messages end with a line feed, 3.4.2 */
	/* run time */
	enum ring_server_state state;
	struct source src;
	struct task task;        /* something to send, or to connect */
	struct timer timer;      /* idle: next attempt; else: the timeout */
	char *buf;               /* framed messages on their way */
	size_t size, len, sent;
	size_t counted;          /* of those sent: in messages that position is past */
	uint64_t next;           /* position behind the last message in buf */
	bool failing;            /* the problem was mentioned */
	bool draining;           /* it has sent more than was read in a turn */
	uint64_t connects, failures;
};

/* Begins to connect once the loop runs. 0, or -1 and err. */
int ring_server_start(struct ring_server *s, struct err *err);
void ring_server_stop(struct ring_server *s);
/* In a process that was just forked: the connection is the other one's, and so are its messages. */
void ring_server_drop(struct ring_server *s);

#endif
