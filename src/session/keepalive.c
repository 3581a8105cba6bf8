/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP sessions between two requests. A session that waits owns its connection and nothing else:
 * no stream, no exchange, no buffer. The first byte makes a stream; bytes of the next request
 * that came with the last one start it in the same turn. Timers are lazy: one that fires early
 * looks at the deadline and is set again. */
#include "session/keepalive.h"

#include "base/clock.h"
#include "base/kind.h"
#include "event/profile.h"
#include "net/conn.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "session/client_protos.h"
#include "session/session.h"
#include "stream/client_close.h"
#include "stream/stream.h"

#include <limits.h>
#include <stdlib.h>

unsigned keepalive_spread_ms;

static struct list sessions = LIST_INIT(sessions); /* that have waited once; deadline_ms: they do now */
static uint64_t finish_ms; /* since then the process stops */

static void keepalive_close(struct session *se)
{
	task_cancel(&se->task);
	buffer_give(&se->held);
	client_close(&se->conn, se->origin.frontend, false);
	session_free(&se);
	streams_release();
}

static void keepalive_start(struct session *se)
{
	task_cancel(&se->task);
	se->deadline_ms = 0;
	session_lend(se);
	streams_release();
}

static void keepalive_arm(struct session *se)
{
	if (se->deadline_ms != UINT64_MAX)
		timer_set_by(&se->timer, se->deadline_ms);
}

static void keepalive_task(struct task *task)
{
	struct session *se = container_of(task, struct session, task);

	if (se->origin.requests && !se->held && conn_is_quiet(se->conn))
		keepalive_arm(se); /* the last body was read to its end and not beyond */
	else
		keepalive_start(se);
}

static void keepalive_ready(struct conn *conn)
{
	struct session *se = KIND_OF(struct session, conn->owner);

	if (!(conn->flags & CONN_READABLE))
		return;
	if (se->origin.requests && conn->flags & CONN_RDHUP && !se->held && conn_at_end(conn))
		keepalive_close(se);
	else
		keepalive_start(se);
}

/* The first request: the answer is 408, which a stream gives. */
void keepalive_timer(struct session *se)
{
	if (clock_now_ms < se->deadline_ms)
		keepalive_arm(se);
	else if (se->origin.requests)
		keepalive_close(se);
	else
		keepalive_start(se);
}

static unsigned keepalive_timeout(const struct session *se)
{
	const struct timeouts *t = &se->origin.frontend->set.timeout;

	if (se->origin.requests && t->http_keep_alive)
		return t->http_keep_alive;
	return t->http_request ? t->http_request : t->client;
}

static inline void session_count(struct session *se)
{
	struct h1_counts *h1 = &se->origin.frontend->fe->h1;

	if (se->origin.counted_h1)
		return;
	se->origin.counted_h1 = true;
	h1->total_connections++;
	h1->open_connections++;
}

void keepalive_wait(struct session *se)
{
	unsigned timeout = keepalive_timeout(se);

	if (!se->task.run) {
		task_init(&se->task, keepalive_task);
		list_append(&sessions, &se->node);
	}
	session_count(se);
	se->conn->owner = se;
	se->conn->ready = keepalive_ready;
	streams_hold();
	se->deadline_ms = timeout ? clock_now_ms + timeout : UINT64_MAX;
	if (se->held || se->conn->flags & CONN_READABLE)
		task_wake(&se->task);
	else
		keepalive_arm(se);
}

/* A kept connection: deadline and times go by the end of the last exchange. */
COLD void keepalive_resume(struct session *se)
{
	uint64_t waited = clock_now_ms - se->origin.accepted_ms;

	keepalive_wait(se);
	if (se->deadline_ms == UINT64_MAX)
		return;
	se->deadline_ms -= waited;
	keepalive_arm(se);
}

/* ---- the end of the process -------------------------------------------------------------- */

static bool may_ask_again(const struct session *se)
{
	return !se->origin.requests || se->held || se->origin.frontend->set.options.on & OPT_IDLE_CLOSE;
}

/* At some moment of what is left of the time over which closing is spread. */
static void close_in_turn(struct session *se)
{
	uint64_t end = finish_ms + keepalive_spread_ms, when;

	if (clock_now_ms >= end) {
		keepalive_close(se);
		return;
	}
	when = clock_now_ms + (uint64_t)random() % (end - clock_now_ms);
	if (when < se->deadline_ms)
		se->deadline_ms = when;
	keepalive_arm(se);
}

void keepalive_finish(bool others_serve)
{
	struct session *se, *next;
	enum proto p;

	finish_ms = clock_now_ms;
	for (p = PROTO_USUAL; p < PROTO_COUNT; p++)
		if (keepalive_spread_ms != UINT_MAX && client_protos[p].finish)
			client_protos[p].finish(keepalive_spread_ms);
	if (keepalive_spread_ms == UINT_MAX || (others_serve && !keepalive_spread_ms))
		return;
	list_for_each_safe(se, next, &sessions, node) {
		if (!se->deadline_ms || may_ask_again(se))
			continue;
		if (keepalive_spread_ms)
			close_in_turn(se);
		else
			keepalive_close(se);
	}
}

bool keepalive_is_over(void)
{
	if (!global_state->stopping || keepalive_spread_ms == UINT_MAX)
		return false;
	return !keepalive_spread_ms ||
	       (uint64_t)random() % keepalive_spread_ms < clock_now_ms - finish_ms;
}

void keepalive_close_all(void)
{
	struct session *se, *next;
	enum proto p;

	for (p = PROTO_USUAL; p < PROTO_COUNT; p++)
		if (client_protos[p].close_all)
			client_protos[p].close_all();
	list_for_each_safe(se, next, &sessions, node)
		if (se->deadline_ms)
			keepalive_close(se);
}

const struct profile_name keepalive_profile = PROFILE_NAME(keepalive_task);
