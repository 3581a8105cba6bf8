/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The carrier of HTTP/2 (doc/internals/http2.md): a session whose connection is one of HTTP/2. Each
 * of its streams has a lane (session/lane.h): an origin of its own and a timer. The carrier's
 * timer is that of a connection without streams.
 */
#include "session/h2_carrier.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "h2/conn.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "session/keepalive.h"
#include "session/lane.h"
#include "session/session.h"
#include "stream/accesslog.h"
#include "stream/client_close.h"
#include "stream/stream.h"
#include "stream/track.h"

#include <stdlib.h>

struct h2_carrier {
	struct list node; /* carriers */
	struct session *session;
	struct h2_conn *conn;
	struct timer timer;
	unsigned requests;
	uint32_t glitches; /* that were counted where the session is followed (track-sc) */
	bool held; /* the process waits for it: no stream is open, which it would wait for */
	KIND_MEMBER
};

static struct pool carrier_pool = POOL_INIT("http/2 carrier", sizeof(struct h2_carrier));

static struct list carriers = LIST_INIT(carriers);

static void lane_lend(void *lent, struct end *end)
{
	h2_lend(lent, end);
}

static bool lane_draining(const struct origin *origin)
{
	(void)origin;
	return keepalive_is_over();
}

static const struct lane_kind h2_lanes = {
	.carrier = LANE_CARRIER("h2", lane_draining),
	.lend = lane_lend,
	.take_back = h2_take_back,
};

/* The process does not end before the connection: while no stream counts, it does itself. */
static void carrier_hold(struct h2_carrier *carrier)
{
	if (!carrier->held)
		streams_hold();
	carrier->held = true;
}

/* A stream has begun, and may have ended at once. */
static void carrier_release(struct h2_carrier *carrier)
{
	if (!carrier->held || !h2_conn_numbers(carrier->conn).streams)
		return;
	carrier->held = false;
	streams_release();
}

/* The next stream's times begin here: that it was idle counts behind the request before. */
static void carrier_note(struct h2_carrier *carrier)
{
	struct origin *o = &carrier->session->origin;

	carrier->requests++;
	o->accepted_ms = clock_now_ms;
	o->accepted = clock_wall();
	o->handshake_ms = 0;
}

/* What rules see of them is as of the last stream that began. */
static void carrier_track(struct h2_carrier *carrier)
{
	uint32_t glitches = (uint32_t)h2_conn_numbers(carrier->conn).glitches;

	if (glitches != carrier->glitches)
		track_add(carrier->session->origin.session_vars, NULL, STICK_glitch_cnt,
			  STICK_glitch_rate, glitches - carrier->glitches);
	carrier->glitches = glitches;
}

static bool carrier_opened(void *owner, struct h2_conn *c, struct h2_stream *st)
{
	struct h2_carrier *carrier = KIND_OF(struct h2_carrier, owner);
	struct lane *lane;

	(void)c;
	if (unlikely(tracks_conf.used))
		carrier_track(carrier);
	lane = lane_new(&h2_lanes, &carrier->session->origin, carrier->requests, st);
	if (!lane)
		return false;
	carrier_note(carrier);
	if (!lane_start(&lane))
		return false;
	carrier_release(carrier);
	return true;
}

static void carrier_wait(struct h2_carrier *carrier)
{
	const struct timeouts *t = &carrier->session->origin.frontend->set.timeout;
	unsigned timeout = carrier->requests && t->http_keep_alive ? t->http_keep_alive :
			   t->http_request ? t->http_request : t->client;

	if (timeout)
		timer_set(&carrier->timer, clock_now_ms + timeout);
}

static void carrier_busy(void *owner, bool busy)
{
	struct h2_carrier *carrier = KIND_OF(struct h2_carrier, owner);

	if (busy) {
		timer_cancel(&carrier->timer);
	} else {
		carrier_hold(carrier);
		carrier_wait(carrier);
	}
}

static void carrier_closed(void *owner)
{
	struct h2_carrier *carrier = KIND_OF(struct h2_carrier, owner);

	timer_cancel(&carrier->timer);
	list_remove(&carrier->node);
	if (unlikely(tracks_conf.used))
		carrier_track(carrier);
	h2_conn_free(&carrier->conn);
	session_free(&carrier->session);
	pool_give(&carrier_pool, &carrier);
	streams_release();
}

static void carrier_bad(void *owner, struct link link)
{
	struct h2_carrier *carrier = KIND_OF(struct h2_carrier, owner);

	accesslog_no_request(&carrier->session->origin, link);
}

static void carrier_part(void *owner, struct conn **conn, bool may_send)
{
	struct h2_carrier *carrier = KIND_OF(struct h2_carrier, owner);

	client_close(conn, carrier->session->origin.frontend, may_send);
}

static const struct h2_owner carrier_owner = {
	.part = carrier_part,
	.opened = carrier_opened,
	.busy = carrier_busy,
	.closed = carrier_closed,
	.bad = carrier_bad,
};

/* No more requests; and where the client does not even read that, no more patience. */
static void carrier_timer(struct timer *timer)
{
	struct h2_carrier *carrier = container_of(timer, struct h2_carrier, timer);
	const struct timeouts *t = &carrier->session->origin.frontend->set.timeout;

	if (h2_conn_drains(carrier->conn)) {
		h2_conn_close(carrier->conn, H2_NO_ERROR);
		return;
	}
	h2_conn_leave(carrier->conn);
	timer_set(timer, clock_now_ms + (t->client_fin ? t->client_fin : t->client ? t->client : 10000));
}

void h2_carrier_begin(struct session *se)
{
	struct h2_carrier *carrier = pool_take(&carrier_pool);
	struct buf *held = se->held;
	struct conn *conn = se->conn;

	se->conn = NULL;
	se->held = NULL;
	session_uncount(se);
	timer_cancel(&se->timer);
	if (carrier) {
		KIND_IS(struct h2_carrier, carrier);
		carrier->session = se;
		timer_init(&carrier->timer, carrier_timer);
		carrier->conn = h2_conn_new(&conn, false, &h2_conf.clients, &carrier_owner, carrier,
					    (struct span){ held ? buf_first(held) : NULL,
							   held ? held->len : 0 });
	}
	buffer_give(&held);
	if (!carrier || !carrier->conn) {
		pool_put(&carrier_pool, carrier);
		client_close(&conn, se->origin.frontend, se->origin.requests > 0);
		session_free(&se);
		return;
	}
	h2_conn_count(carrier->conn, &se->origin.frontend->fe->h2);
	list_append(&carriers, &carrier->node);
	carrier_hold(carrier);
	carrier_wait(carrier);
}

void h2_carrier_close_all(void)
{
	struct h2_carrier *carrier, *next;

	list_for_each_safe(carrier, next, &carriers, node) {
		h2_conn_drop(carrier->conn);
		carrier_closed(carrier);
	}
}

/* ---- the end of the process -------------------------------------------------------------- */

enum { SPREAD_STEP_MS = 20 };
static struct timer spread;
static uint64_t spread_end_ms;

/* So many of them that all have gone when the time is over. */
static void leave_in_turn(struct timer *timer)
{
	uint64_t left = spread_end_ms > clock_now_ms ? spread_end_ms - clock_now_ms : 0;
	struct h2_carrier *carrier;

	list_for_each(carrier, &carriers, node)
		if (left <= SPREAD_STEP_MS || (uint64_t)random() % left < SPREAD_STEP_MS)
			h2_conn_leave(carrier->conn);
	if (left > SPREAD_STEP_MS)
		timer_set(timer, clock_now_ms + SPREAD_STEP_MS);
}

void h2_carrier_finish(unsigned spread_ms)
{
	timer_init(&spread, leave_in_turn);
	spread_end_ms = clock_now_ms + spread_ms;
	leave_in_turn(&spread);
}
