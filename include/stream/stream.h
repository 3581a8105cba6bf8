/* SPDX-License-Identifier: BSD-2-Clause */
/* A session is one client's connection; it carries one stream in TCP mode. A stream takes a
 * request side and a response side through the step table (stream/steps.h), moves bytes by its
 * relay, and ends through stream_end with one reason. */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "base/list.h"
#include "event/timer.h"
#include "expr/vars.h"
#include "net/addr.h"
#include "relay/pump.h"

#include <sys/time.h>

struct listener;
struct module;
struct proxy;
struct server;
struct stream;
struct buf;
struct exchange;
struct stream_extra;
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

/* Of the session's PROXY header, version 2: whole ones. */
struct vectors {
	size_t len;
	char bytes[];
};

/* In lines of the cache (64 bytes), those first that every request touches. */
struct session {
	struct listener *listener;
	struct proxy *frontend;
	struct stream *stream;   /* at work; NULL: none */
	/* HTTP, between two requests: stream/keepalive.h. accepted and accepted_ms are then those
	 * of the end of the last one. */
	struct conn *conn;       /* NULL: a stream is at work */
	struct buf *held;        /* what came of the next request; NULL: nothing */
	uint64_t deadline_ms;
	uint64_t accepted_ms;    /* clock_now_ms */
	uint32_t handshake_ms;   /* since accept: it was */
	unsigned requests;       /* so far */

	struct timer timer;      /* of the stream, or of the wait for one. May fire early: expire_ms or
				  * deadline_ms counts */
	struct timeval accepted; /* wall clock */
	struct server *last_server;

	struct addr src;         /* the client; from the PROXY header when there was one */
	struct task task;        /* the next request is there already */
	struct list idle;        /* connections to servers of its own: stream/idle.h; next NULL:
				  * there were none yet */

	struct vars vars;        /* sess */
	struct list node;        /* those that wait, or have waited */
	struct addr dst;         /* of the PROXY header: has_dst */
	struct addr *peer;       /* who has connected, where src is out of a PROXY header; else NULL */
	const char *netns;       /* its network namespace; NULL: that in which we run */
	struct vectors *vectors; /* NULL: none, or nobody wants to see them */
	bool has_dst;
	bool expects_proxy;      /* tcp-request connection expect-proxy */
	bool expects_cip;        /* expect-netscaler-cip */
	bool has_proxy_header;   /* one was received */
	uint8_t fault;           /* enum conn_fault (net/faults.h) */
	bool upgraded;           /* mode tcp, but HTTP since a rule or a backend wanted it */
	bool private_servers;    /* a server authenticates connections (NTLM): never shared */
};

static inline struct span session_vectors(const struct session *se)
{
	return se->vectors ? (struct span){ se->vectors->bytes, se->vectors->len } :
			     (struct span){ NULL, 0 };
}

/* Where a side of the stream is in the step table. */
struct cursor {
	uint8_t step;
	bool waiting; /* it has returned WAIT there */
};

struct stream {
	struct relay relay;
	struct list node;          /* streams_all */
	struct session *session;
	struct proxy *backend;     /* NULL until chosen */
	struct server *server;     /* NULL until assigned; counted there */
	uint64_t expire_ms;        /* clock_now_ms: the present wait is over; 0: it never is */
	struct stream_extra *extra; /* what only some need: NULL while it is not */
	struct exchange *exchange; /* mode http; NULL: mode tcp */
	uint64_t id;
	uint64_t counted_in, counted_out; /* bytes that are in the counters already */
	uint32_t queue_ms;         /* since accept: a server was assigned; NOT_REACHED */
	uint32_t connect_ms;       /* since accept: connected; NOT_REACHED */
	uint32_t phase_ms;         /* clock_now_ms at the start of the present wait */
	uint32_t known;            /* enum stream_known (stream/steps.h) */
	uint16_t failures;         /* connections that failed */
	struct cursor request, response;
	uint8_t log_level;         /* set-log-level: 1 + enum log_level, or LOG_LEVEL_SILENT */
	uint8_t phase;             /* enum phase */
	uint8_t reason;            /* enum reason; END_NONE: alive */
	bool redispatched, logged, connected, counted_server, counted_backend;
	bool expires;              /* expire_ms is to come: it has not been acted upon */
	bool in_steps;             /* stream_run is at work: facts wait for it */
	bool draining;             /* the client still takes what came before a reset */
	bool responding;           /* the response has begun: stream_respond */
	struct reap reap;
};
enum { NOT_REACHED = UINT32_MAX };
enum { LOG_LEVEL_SILENT = UINT8_MAX };

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

/* Called by the listener: makes a session of an accepted socket, which it takes over. */
void session_accept(struct listener *l, int *fd, const struct addr *from);

/* The one way in which a stream ends: closes both ends, counts, logs, frees at the end of the
 * turn. A second call does nothing. */
void stream_end(struct stream *s, enum reason reason);
/* Goes on in the step table, both sides, as far as it gets. */
void stream_run(struct stream *s);
/* Adds what has moved since the last call to the counters of all concerned. */
void stream_count_bytes(struct stream *s);
/* The same for all streams whose frontend has option contstats: before counters are shown. */
void streams_count_bytes(void);
/* Ends all streams on the server (backup: on its proxy's backup servers). */
void streams_end_server(struct server *server, enum reason reason);
void streams_end_all(enum reason reason);
/* By the id of show sess; NULL: gone. */
struct stream *stream_find(uint64_t id);
/* Ids are unique over all processes: this one's row (base/segment.h) stands in the upper bits. */
enum { STREAM_ROW_SHIFT = 40 };
static inline unsigned stream_row(uint64_t id)
{
	return (unsigned)(id >> STREAM_ROW_SHIFT);
}

/* Client's address in force, and the one that it connected to; false: it cannot be told. */
const struct addr *stream_src(const struct stream *s);
bool stream_dst(struct stream *s, struct addr *dst);
/* The stream cannot go on: it ends, or (mode http) answers the client before. What the step of the
 * request side returns then. */
COLD int stream_fail(struct stream *s, enum reason reason);
/* Bytes from and to the client so far, heads included. */
uint64_t stream_bytes_in(const struct stream *s);
uint64_t stream_bytes_out(const struct stream *s);
/* Has the client given up, before anything was forwarded? Ends the stream then. */
bool stream_client_gone(struct stream *s);
/* The response begins: variables of the request (req) are forgotten, those of the response exist. */
void stream_respond(struct stream *s);
/* From -1024 to 1024, as bind's "nice": the more, the less it may do in a row. */
void stream_be_nice(struct stream *s, int nice);
/* Splice, copy or adapt: from the options of frontend and backend. */
void stream_choose_ways(struct stream *s);
/* Writes its line now (option logasap), or at its end. Once. */
void stream_log(struct stream *s);
/* What fetches see; log may be NULL, else it is filled too. */
void stream_view(struct stream *s, struct view *view, struct view_log *log);
/* "--", "CD" ...: two letters and a NUL. */
void stream_termination(const struct stream *s, char code[3]);
const char *reason_text(enum reason reason);
bool reason_is_error(enum reason reason);
const char *stream_phase_name(const struct stream *s); /* of its request step */

/* The end of the configuration for the step table (stream/steps.h). */
extern const struct module steps_module;

#endif
