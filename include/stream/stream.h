/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream begins for an origin (stream/origin.h), whose carrier lends the client's end. It takes a
 * request side and a response side through the step table (stream/steps.h), moves bytes by its
 * relay, and ends through stream_end with one reason. */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "base/list.h"
#include "base/result.h"
#include "event/timer.h"
#include "expr/vars.h"
#include "net/addr.h"
#include "relay/pump.h"
#include "stream/origin.h"

#include <sys/time.h>

struct listener;
struct module;
struct pool;
struct proxy;
struct proxy_part;
struct server;
struct stream;
struct buf;
struct exchange;
struct stream_extra;
struct stream_kind;
struct view;
struct view_log;

enum reason {
#define REASON(name, letter, error, status, text) END_##name,
#include "stream/ends.def"
#undef REASON
	END_REASONS
};

/* Second letter of the termination code: what the stream was doing. */
enum phase { PHASE_REQUEST, PHASE_QUEUE, PHASE_CONNECT, PHASE_HEADERS, PHASE_DATA, PHASE_LAST,
	     PHASE_TARPIT };

/* Where a side of the stream is in the step table. The runner alone writes it: stream/run.h. */
struct cursor {
	uint8_t step;
	bool waiting; /* it has returned WAIT there */
};

struct stream {
	struct relay relay;
	union {
		struct list node;  /* streams_all */
		struct reap reap;  /* it has ended */
	};
	const struct stream_kind *kind; /* what it carries: stream/kind.h */
	struct origin *origin;     /* whom it is for, who lends the client's end */
	struct timer *timer;       /* may fire early: expire_ms counts. Lent by its carrier */
	struct proxy *backend;     /* NULL until chosen */
	struct server *server;     /* NULL until assigned; counted there */
	uint64_t expire_ms;        /* clock_now_ms: the present wait is over; 0: it never is */
	struct stream_extra *extra; /* what only some need: NULL while it is not */
	struct exchange *exchange; /* mode http; NULL: mode tcp */
	uint64_t id;
	uint32_t queue_ms;         /* since accept: a server was assigned; NOT_REACHED */
	uint32_t connect_ms;       /* since accept: connected; NOT_REACHED */
	uint32_t phase_ms;         /* clock_now_ms at the start of the present wait */
	uint32_t traits;           /* enum stream_trait (stream/steps.h) */
	uint16_t failures;         /* connections that failed */
	uint16_t dialled;          /* server->moves, as it was when the connection was begun */
	struct cursor request, response;
	uint8_t log_level : 4;     /* set-log-level: 1 + enum log_level, or LOG_LEVEL_SILENT */
	uint8_t heard : 4;         /* at a moment: which subscriber was asked last */
	uint8_t phase;             /* enum phase */
	uint8_t reason;            /* enum reason; END_NONE: alive */
	uint8_t asked;             /* where a step at work wants it to go on: stream/run.h; 0
				    * mostly */
	uint8_t doom;              /* enum reason: stream_end_soon; END_NONE: it lives on */
	bool connected;
	uint8_t in_steps;          /* STEPS_*; 0 mostly */
	bool expires : 1;          /* expire_ms is to come: it has not been acted upon */
	bool closes_halves : 1;    /* a direction that ends closes its half: bytes, tunnels */
	bool redispatched : 1, logged : 1, counted_server : 1, counted_backend : 1;
	bool draining : 1;         /* the client still takes what came before a reset */
	bool responding : 1;       /* the response has begun: stream_respond */
};
enum { NOT_REACHED = UINT32_MAX };
enum { STEPS_RUN = 1,       /* stream_run is at work: notices wait for it */
       STEPS_MEASURED = 2, /* how often and how long is counted: view_treatment */
       STEPS_WATCHED = 4 }; /* somebody is told of each: stream/watched.h */

/* What streams that begin from now on are looked at for; 0 mostly. */
enum { WATCH_MOMENTS = 1, /* somebody is told of all of them: stream/moments.h */
       WATCH_TIMES = 2,   /* profiling.tasks measures */
       WATCH_CALLS = 4,   /* a fetch wants to know cpu_calls */
       WATCH_BYTES = 16 }; /* stick tables get bytes all along: option contstats */
extern uint8_t streams_watched;
extern struct pool stream_pool; /* for start.c and end.c */
enum { LOG_LEVEL_SILENT = 15 };

extern struct list streams_all; /* struct stream.node, oldest first */
extern unsigned streams_count;
/* Of them on stats sockets, or asked by other processes: they hold nobody up for long. */
extern unsigned streams_asking;
/* Called when one ends and none is left but those that ask; may be NULL. */
extern void (*streams_few_left)(void);
/* Sessions that have no stream, but are to be served all the same before the process ends: counted
 * among the streams. */
static inline void streams_hold(void)
{
	streams_count++;
}
static inline void streams_release(void)
{
	if (--streams_count == streams_asking && streams_few_left)
		streams_few_left();
}
void streams_hold_asking(void);
void streams_release_asking(void);

/* The relay's stream. */
static inline struct stream *stream_of(struct relay *relay)
{
	return container_of(relay, struct stream, relay);
}

/* Something has changed: the steps run, unless they are at work (stream/run.h). */
static inline void stream_wake(struct stream *s)
{
	relay_notice(&s->relay, NULL);
}

/* A stream of the origin begins: its carrier lends the client's end. Runs it as far as it gets; it
 * may have ended behind this. timer: the carrier's, or an own one, whose owner calls stream_timer
 * (stream/timeouts.h) when it fires; it outlives the stream. False: no memory, nothing was lent. */
MUST_USE bool stream_start(struct origin *origin, struct timer *timer);

/* The one way in which a stream ends: closes both ends, counts, logs, frees at the end of the
 * turn. A second call does nothing. */
void stream_end(struct stream *s, enum reason reason);
/* Adds what has moved since the last call to the counters of all concerned. While it lives, that
 * takes memory (stream/extra.h); without, it is counted at its end. */
void stream_count_bytes(struct stream *s);
/* The same for all streams whose frontend has option contstats: before counters are shown. */
void streams_count_bytes(void);
/* The same for everybody but the stream's own steps and timer: a task ends it, in this turn or the
 * next, so that nothing of it is at work. */
void stream_end_soon(struct stream *s, enum reason reason);
/* All streams that are on the server now, by stream_end_soon; one that leaves it before lives
 * on. */
void streams_end_server(const struct server *server, enum reason reason);
/* Called by that: ends what is no stream, sessions of datagrams (udp/); NULL: there are none. */
extern void (*streams_end_others)(const struct server *server, enum reason reason);
/* At once: the loop does not run any more. */
void streams_end_all(enum reason reason);
/* By the id of show sess; NULL: gone. */
struct stream *stream_find(uint64_t id);
/* Ids are unique over all processes: this one's row (share/segment.h) stands in the upper bits. */
enum { STREAM_ROW_SHIFT = 40 };
static inline unsigned stream_row(uint64_t id)
{
	return (unsigned)(id >> STREAM_ROW_SHIFT);
}
/* Which of that process it is, from 1 on. */
static inline uint64_t stream_number(uint64_t id)
{
	return id & ((UINT64_C(1) << STREAM_ROW_SHIFT) - 1);
}

/* Client's address in force, and the one that it connected to; false: it cannot be told. */
const struct addr *stream_src(const struct stream *s);
MUST_USE bool stream_dst(struct stream *s, struct addr *dst);
/* The stream cannot go on: it ends, or (mode http) answers the client before. What the step of the
 * request side returns then. */
MUST_USE COLD int stream_fail(struct stream *s, enum reason reason);
/* Bytes from and to the client so far, heads included. */
struct stream_bytes {
	uint64_t in, out;
};
struct stream_bytes stream_bytes_of(const struct stream *s);
/* Does the backend, or while there is none the frontend, take a client that has closed for one that
 * has left (option abortonclose)? */
MUST_USE bool stream_aborts_on_close(const struct stream *s);
/* Was it the server that broke off, or somebody outside the stream that ended it? */
MUST_USE bool stream_broken_off(const struct stream *s);
/* Has the client given up, before anything was forwarded? Ends the stream then. */
MUST_USE bool stream_client_gone(struct stream *s);
/* The response begins: variables of the request (req) are forgotten, those of the response
 * exist. */
void stream_respond(struct stream *s);
/* From -1024 to 1024, as bind's "nice": the more, the less it may do in a row. */
void stream_be_nice(struct stream *s, int nice);
/* Splice, copy or adapt: from the options of frontend and backend. */
void stream_choose_ways(struct stream *s);
/* The kernel may pass on its bytes, if an option says so and nobody looks at them. */
void stream_want_kernel(struct stream *s);
/* What fetches see; log may be NULL, else it is filled too. */
void stream_view(struct stream *s, struct view *view, struct view_log *log);
/* "--", "CD" ...: two letters and a NUL. */
void stream_termination(const struct stream *s, char code[3]);
char reason_letter(enum reason reason); /* the first of the two */
const char *reason_text(enum reason reason);
MUST_USE bool reason_is_error(enum reason reason);
const char *stream_phase_name(const struct stream *s); /* of its request step */

/* Streams are told what happens to their relays; the end of the configuration for the step table
 * (stream/steps.h). */
extern const struct module streams_module, steps_module;
extern struct proxy_part steps_proxy_part;

#endif
