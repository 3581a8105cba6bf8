/* SPDX-License-Identifier: BSD-2-Clause */
/* What only some streams need: places in rule lists, in queues, addresses asked for. Taken when
 * needed, so that a plain stream stays small. For the files of stream/. */
#ifndef STREAM_EXTRA_H
#define STREAM_EXTRA_H

#include "event/loop.h"
#include "expr/rule.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "net/addr.h"
#include "queue/queue.h"

struct arena;
struct location;
struct proxy;
struct server;
struct stick_kept;
struct stream;
struct stream_resolve;
struct stream_scripts;
struct stream_service;

struct stream_extra {
	struct stream *stream;
	struct queue_entry queue;
	struct task task;              /* the steps go on where a queue offered a slot */
	struct rule_place request_place, response_place;
	struct proxy *chosen;          /* bytes became messages for this backend; NULL: not */
	struct server *avoid;          /* it failed: redispatch to another */
	struct server *persist;        /* that the client asks for: persist.h; NULL: any */
	bool persist_forced, persist_ignored; /* force-persist, ignore-persist */
	bool by_rule;                  /* use-server has a say */
	bool direct;                   /* the server was not balanced: cookie, use-server */
	struct stick_kept *sticks;     /* keys for stick tables: stick_kept.h; NULL: none */
	struct vars vars;              /* txn, req, res */
	const struct stream_service *service; /* a rule has named it, in mode tcp; NULL: none */
	struct stream_scripts *scripts; /* lua/stream.h: theirs to end; NULL: none */
	uint64_t counted_in, counted_out; /* bytes that are in the counters, while it lives */
	bool retrying;                 /* it counts in the retry budget of its backend */
	bool ends_more;                /* one of these two has to be ended with it */
	struct stream_resolve *resolve; /* do_resolve.h: a name is waited for; NULL: none is */
	bool rule_waits;               /* an action waits for something of its own, and wakes the
					* stream then */
	bool rule_late;                /* that action is asked for the last time */
	uint32_t passed[2];            /* the first bytes in the buffers of both pumps (request,
					* response), while those are not open: an action has let
					* them go, rules do not see them any more */
	uint8_t rule_ends;             /* enum reason: an action of mode tcp that says REPLY wants
					* the stream to end so; END_NONE: it does not */
	struct view_treatment treatment;
	uint32_t measured_turn;        /* of the last measured call: 1 + loop_stats.turns */
	const struct location *last_rule; /* that has ended a list; NULL: none */
	struct arena *arena;           /* of captures in mode tcp; NULL: none yet */
	const char **captures;
	struct span unique_id;         /* in mode tcp, once it was needed before the log: in
				        * arena */
	uint8_t server_fault;          /* enum conn_fault: of the last connection to a server */
	bool tls_failed;               /* the last handshake with a server */
	unsigned long tls_error;       /* and OpenSSL's reason */
	bool socks_asked;              /* SOCKS4: the request was sent, the reply is waited for */
	bool has_src, has_dst;         /* set-src, set-dst: in force instead of the socket's */
	struct addr src, dst;
};

/* The stream's, made when it has none; NULL: out of memory. */
struct stream_extra *extra_get(struct stream *s);
/* Takes it out of queues and frees it. */
void extra_free(struct stream *s);

/* The stream ends: so do its scripts. Installed by lua/; NULL: there are none. */
extern void (*stream_scripts_end)(struct stream_scripts **scripts);

/* For show profiling. */
extern const struct profile_name extra_profile;

#endif
