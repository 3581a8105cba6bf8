/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream ends: stream_end, the one way in which it does, and who wants it. Called by steps and
 * timers, through stream/stream.h and stream/steps.h; its memory goes back at the end of the
 * turn. */
#include "stream/stream.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/loop.h"
#include "proxy/proxy.h"
#include "stream/count.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/moments.h"
#include "stream/place.h"
#include "stream/scan.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/view.h"
#include "tls/link.h"

enum { DRAIN_POLL_MS = 5, DRAIN_MOST_MS = 10000 };

/* ---- by itself --------------------------------------------------------------------------- */

static void stream_free(struct reap *reap)
{
	struct stream *s = container_of(reap, struct stream, reap);

	pool_put_small(&stream_pool, s);
}

static bool reset_server(const struct stream *s)
{
	switch (s->reason) {
	case END_CLIENT_ABORT:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return true;
	case END_NORMAL:
		if (s->kind->resets_server(s))
			return true;
		/* fall through */
	default:
		return s->backend && s->backend->set.options.on & OPT_NOLINGER;
	}
}

static bool end_was_short(const struct end *end)
{
	return tls_link_fault(end_own_link(end)) == TLS_FAULT_MEMORY;
}

/* Has anything of it failed for lack of memory? */
COLD static bool stream_was_short(const struct stream *s)
{
	return s->kind->was_short(s) || end_was_short(&s->relay.client) ||
	       end_was_short(&s->relay.server);
}

void stream_end(struct stream *s, enum reason reason)
{
	struct origin *origin = s->origin;
	bool asking, reset;

	BUG_ON(reason == END_NONE);
	if (s->reason != END_NONE)
		return;
	if (reason != END_NORMAL && stream_was_short(s))
		reason = END_RESOURCE; /* whatever it looked like */
	s->reason = (uint8_t)reason;
	asking = origin->frontend->stats_socket;
	stream_expire_never(s);
	if (unlikely(s->extra != NULL))
		place_leave_queue(s);
	stream_count_bytes(s);
	stream_count_spliced(s);
	stream_count_end(s);
	stream_count_times(s);
	moment_tell(s, MOMENT_ENDED);
	reset = s->kind->leave(s);
	relay_close(&s->relay, reset, s->relay.server.ops && reset_server(s));
	place_release(s);
	stream_scans_leave(s);
	list_remove(&s->node);
	if (unlikely(s->extra != NULL))
		extra_free(s);
	if (s->exchange)
		s->kind->free(s);
	s->origin = NULL;
	origin->carrier->ended(origin);
	loop_reap(&s->reap, stream_free);
	streams_asking -= asking;
	streams_release();
}

/* ---- as a step does ---------------------------------------------------------------------- */

static bool client_left(const struct stream *s)
{
	return *s->relay.client.flags & (CONN_HUP | CONN_ERROR) || s->kind->client_left(s);
}

bool stream_client_gone(struct stream *s)
{
	if (!client_left(s))
		return false;
	stream_end(s, END_CLIENT_ABORT);
	return true;
}

/* Bytes that the client's kernel has not acknowledged. A RST now would take them away. Behind a RST
 * of the client's the kernel goes on to count them; where both have sent their FIN they may still
 * be acknowledged. */
static bool client_drained(struct stream *s)
{
	if (link_drained(end_own_link(&s->relay.client)))
		return true;
	return s->draining && (uint32_t)clock_now_ms - s->phase_ms > DRAIN_MOST_MS;
}

/* The server broke off. What it had sent before reaches the client, then the client learns
 * that there was more to come. */
int steps_server_broken(struct stream *s)
{
	if (client_drained(s)) {
		stream_end(s, END_SERVER_ABORT);
		return STEP_END;
	}
	if (!s->draining)
		s->phase_ms = (uint32_t)clock_now_ms;
	s->draining = true;
	stream_expire_at(s, clock_now_ms + DRAIN_POLL_MS);
	return STEP_WAIT;
}

int steps_end(struct stream *s, enum reason reason)
{
	stream_end(s, reason);
	return STEP_END;
}

/* ---- because others want it -------------------------------------------------------------- */

/* A client whose request a server has is told that no response comes of it. */
static void stream_end_doomed(struct stream *s)
{
	enum reason reason = s->doom;

	s->doom = END_NONE; /* while it is told, others may end */
	if (s->kind->abandon(s, reason))
		stream_wake(s);
}

/* Whose end others want: between two steps, for one may be at work now. */
static void streams_end_doomed(struct task *task)
{
	struct stream_scan scan = { 0 };
	struct stream *s;

	(void)task;
	stream_scan_start(&scan);
	while ((s = stream_scan_next(&scan)) != NULL)
		if (s->doom != END_NONE)
			stream_end_doomed(s);
	stream_scan_end(&scan);
}

static struct task ender = { .node = LIST_INIT(ender.node), .run = streams_end_doomed };

void stream_end_soon(struct stream *s, enum reason reason)
{
	if (s->doom == END_NONE)
		s->doom = (uint8_t)reason;
	task_wake(&ender);
}

void (*streams_end_others)(const struct server *server, enum reason reason);

void streams_end_server(const struct server *server, enum reason reason)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->server == server)
			stream_end_soon(s, reason);
	if (streams_end_others)
		streams_end_others(server, reason);
}

void streams_end_all(enum reason reason)
{
	struct stream_scan scan = { 0 };
	struct stream *s;

	stream_scan_start(&scan);
	while ((s = stream_scan_next(&scan)) != NULL)
		stream_end(s, reason);
	stream_scan_end(&scan);
}
