/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that are neither HTTP/1 nor sockets: fake connections, carriers of a few ends at once, which
 * ask "GET /n" and check the n bytes that come. Linked into tests only (cmocka). */
#ifndef EXCHANGE_TEST_CLIENT_H
#define EXCHANGE_TEST_CLIENT_H

#include "event/timer.h"
#include "relay/message_end.h"
#include "stream/origin.h"

struct stream;

enum { LANES = 3 };

/* What one stream is lent. */
struct lane {
	uint16_t flags;       /* CONN_*: readiness of the end */
	struct framing framing;
	struct wire *wire;
	struct end *end;      /* NULL: not lent */
	struct timer timer;   /* of its stream */
	struct stream *stream;
	char target[32];
	bool asked;           /* the head was given */
	bool blocked;         /* takes nothing */
	bool begins_blocked;  /* the next one does so from its begin */
	bool kept, reset, finished;
	unsigned status;
	unsigned marks;       /* how often its request was to be kept for another try */
	size_t n, got;        /* bytes asked for, bytes of the body that came */
};

/* A fake connection: lends as many ends as it has lanes. */
struct wire {
	struct origin origin;
	struct lane lanes[LANES];
	struct lane *next;    /* to be lent */
	struct link link;     /* what is asked of it; set behind wire_open */
	unsigned lent, ended;
	bool dead;
};

/* Byte of the answer to "GET /n". */
char test_byte(size_t n, size_t at);

void wire_open(struct wire *w, struct proxy *frontend);
/* It asks for n bytes on that lane, whose stream begins. */
struct lane *wire_ask(struct wire *w, unsigned at, size_t n);
/* The connection is gone: all that are lent an end of it are told. */
void wire_die(struct wire *w);
/* Behind the last exchange. */
void wire_close(struct wire *w);
/* It takes bytes again. */
void lane_unblock(struct lane *lane);
/* The exchange has ended with the answer that it should have. */
void lane_is_whole(const struct lane *lane);

#endif
