/* SPDX-License-Identifier: BSD-2-Clause */
/* A session is one client's connection of HTTP/1 or of plain bytes, and a carrier: it lends its
 * connection to one stream at a time. Streams know its origin alone
 * (stream/origin.h). */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/kind.h"
#include "base/result.h"
#include "event/loop.h"
#include "event/timer.h"
#include "stream/origin.h"

struct addr;
struct listener;
struct pool;
struct stream;

/* Lines of the cache (64 bytes): the connection at rest; two of the origin; what few need. No byte
 * more: each idle connection has one of these. */
struct session {
	union {
		struct stream *stream; /* at work; NULL: none yet. While deadline_ms is 0 */
		struct conn *conn;     /* between two requests: session/keepalive.h; and before lend */
	};
	struct buf *held;              /* what came of the next request; NULL: nothing */
	uint64_t deadline_ms;          /* of the wait for it; 0: it does not wait */
	struct timer timer;            /* of the stream, which is lent it, or of that wait. May fire
					* early: the stream's expire_ms, or deadline_ms, counts */
	struct origin origin;
	struct task task;              /* the next request is there already */
	struct list node;              /* those that wait, or have waited */
	KIND_MEMBER
};
#ifndef KINDS
_Static_assert(sizeof(struct session) <= 256, "a session is four lines of the cache");
#endif

static inline struct session *session_of(struct origin *origin)
{
	return container_of(origin, struct session, origin);
}

extern struct pool session_pool; /* for accept.c */

/* It speaks HTTP/1 no more, or ends: takes the connection out of that tally. */
static inline void session_uncount(struct session *se)
{
	if (se->origin.counted_h1)
		se->origin.frontend->fe->h1.open_connections--;
	se->origin.counted_h1 = false;
}

/* Called by the listener: makes a session of an accepted socket, which it takes over. */
void session_accept(struct listener *l, int *fd, const struct addr *from);
/* One of a connection that the listener has accepted and admission_take has counted; it has no
 * connection yet. NULL: no memory. */
struct session *session_new(struct listener *l, const struct addr *from);
/* Nothing stands before the session's own bytes any more: its rules, then its first stream. Takes
 * over both. */
void session_begin(struct session *session, struct conn **conn);
/* What begins then, by the bind line and what was agreed upon: for bind_conf.begins. */
struct bind_conf;
void (*session_kind(const struct bind_conf *bind))(struct session *session);
/* The stream begins to which the connection, which is in session->conn, is lent. */
void session_lend(struct session *session);
/* The addresses that a PROXY header tells; those of the connection are kept. False: out of memory,
 * counted. */
MUST_USE bool session_set_addrs(struct session *session, const struct addr *src,
				const struct addr *dst);
/* Uncounts and frees it; clears the caller's pointer. */
void session_free(struct session **session);

#endif
