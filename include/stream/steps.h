/* SPDX-License-Identifier: BSD-2-Clause */
/* The step tables: what happens to a stream, in order. Each kind of stream (stream/kind.h) has two,
 * for request and response. Rows run when something has changed; bytes flow below them, in the
 * pumps. */
#ifndef STREAM_STEPS_H
#define STREAM_STEPS_H

#include "base/bug.h"
#include "base/result.h"
#include "filter/moment.h"
#include "stream/stream.h"

#include <stdbool.h>
#include <stdint.h>

struct proxy;

/* What a step says; STEP_GOTO + n: go on with row n. */
enum step_result { STEP_NEXT, STEP_WAIT, STEP_END, STEP_GOTO = 16 };

/* Traits of a stream: they decide which rows of its tables it passes over. Most of them follow from
 * the configuration and are put together at its end, so that the rows that do not apply cost no
 * call: 500 instructions of a small exchange. Whoever makes one of the first five true notes it. */
enum stream_trait {
	IS_LOCAL = 1 << 0,       /* the frontend answers by itself */
	IS_MESSAGES = 1 << 1,    /* of which kind it is (stream/kind.h) */
	IS_UPGRADED = 1 << 2,    /* it came in the middle: stream/upgrade.h */
	HAS_REPLY = 1 << 3,      /* of the exchange */
	HAS_SERVICE = 1 << 4,
	FRONT_RULES = 1 << 5,    /* tcp-request content */
	FRONT_BUFFERS = 1 << 6,  /* the body is waited for */
	FRONT_MESSAGE = 1 << 7,  /* rules about requests, and answers of the frontend itself */
	BACK_RULES = 1 << 8,     /* the same, if the backend is not the frontend itself */
	BACK_MESSAGE = 1 << 9,
	BACK_BUFFERS = 1 << 10,  /* or may want to see the body */
	REQUEST_FIELDS = 1 << 11, /* what is written or read before a server is chosen */
	RESPONSE_RULES = 1 << 12, /* tcp-response content */
	RESPONSE_MESSAGE = 1 << 13, /* rules about responses of servers */
	RESPONSE_AFTER = 1 << 14, /* ... and about all that leave */
	EARLY_RETRY = 1 << 15,   /* the request is sent again when the client has finished the
				  * handshake: stream/early.h notes it, too, and takes it back */
	LEAVING_EDITS = 1 << 16, /* what is changed in a request as it leaves for its server:
				  * exchange_write_request */
	IS_BEGUN = 1 << 17,      /* it is a stream: always */
	STICKS = 1 << 18,        /* to servers, by stick tables: persist_table.h */
	TRIES_END = 1 << 19,     /* each try has a time: timeout try */
	IS_CUT = 1 << 20,        /* a filter has ended a message before its time: said at its end */
	/* Somebody hears of the stream at that moment (stream/moments.h). Where it is asked each
	 * moment has a trait, for its row. */
	HEARD_REQUEST = 1 << 21,
	HEARD_BACKEND = 1 << 22,
	HEARD_RULED = 1 << 23,
	HEARD_CONNECTED = 1 << 24,
	HEARD_RESPONSE = 1 << 25,
	HEARD_ANSWER = 1 << 26,
	HEARD_ENDED = 1 << 27,
	HEARD_TOLD = 1 << 28,    /* ... at one of the others, where it is told alone */
	FRONT_MONITOR = 1 << 29, /* monitor-uri of the frontend */
};
/* The traits of these moments. AT_MOMENT bits. */
unsigned steps_heard(unsigned moments);
/* The one of a moment that is told. */
static inline unsigned steps_told(enum moment moment)
{
	return moment == MOMENT_ENDED ? HEARD_ENDED : HEARD_TOLD;
}

struct step {
	const char *name;
	int (*run)(struct stream *s); /* enum step_result; NULL: there is no such step */
	unsigned needs;               /* it is passed over, unless it has all of these */
};

/* The frontend is given, the backend chosen: which traits that gives. */
unsigned steps_traits_of_frontend(const struct proxy *frontend);
unsigned steps_traits_of_backend(const struct proxy *backend, const struct proxy *frontend);

enum request_step {
	REQ_APPLET, REQ_HEAD, REQ_MOMENT, REQ_FRONTEND_RULES, REQ_UPGRADED_HEAD,
	REQ_UPGRADED_MOMENT, REQ_FRONTEND_BODY, REQ_MONITOR, REQ_FRONTEND_MESSAGE,
	REQ_SWITCH, REQ_BACKEND_MOMENT, REQ_BACKEND_RULES, REQ_BACKEND_MESSAGE, REQ_BODY,
	REQ_FIELDS, REQ_RULED_MOMENT, REQ_PROOF, REQ_STICK, REQ_ASSIGN, REQ_QUEUE, REQ_CONNECT,
	REQ_CONNECTING, REQ_RETRY, REQ_SERVICE, REQ_CONNECTED_MOMENT, REQ_OPEN, REQ_FORWARD,
	REQ_STEPS
};
enum response_step {
	RES_HEAD, RES_MOMENT, RES_RULES, RES_STICK, RES_MESSAGE, RES_REPLY, RES_AFTER,
	RES_ANSWER_MOMENT, RES_OPEN, RES_FORWARD, RES_STEPS
};

/* The stream ends. STEP_END. */
MUST_USE int steps_end(struct stream *s, enum reason reason);

/* For the traits of a stream, its kind among them: the row that applies at each row, or behind it.
 * A few of these are kept, since most streams of a frontend have the same traits. It stays valid
 * until the next call. */
struct step_walk {
	unsigned traits;
	uint8_t request[REQ_STEPS + 1], response[RES_STEPS + 1];
	const struct step *request_steps, *response_steps; /* the tables themselves */
};
const struct step_walk *steps_walk_make(const struct stream *s);
enum { STEP_WALKS = 16 };
extern struct step_walk step_walks[STEP_WALKS];

static inline const struct step_walk *steps_walk(const struct stream *s)
{
	const struct step_walk *walk = &step_walks[s->traits * 0x9e3779b1u >> 28];

	return likely(walk->traits == s->traits) ? walk : steps_walk_make(s);
}

/* The server broke off within its answer: the client is told when it has what came before. What
 * the step returns. */
MUST_USE int steps_server_broken(struct stream *s);

/* The last row of a table, REQ_STEPS or RES_STEPS: no step leads there. */
MUST_USE COLD int step_beyond(struct stream *s);

#endif
