/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots of servers: how many sessions one may have, all processes together. Called by the queue and
 * by the step that assigns servers.
 *
 * A process that wants a slot raises its own gauge and sums those of all; above the limit it lowers
 * it again. Of several who raise at once all may give up, so each looks once more and stops only
 * where it has seen the server full while it held nothing. Who waits publishes whom it would serve
 * first, and looks afterwards; who gives a slot back lowers its gauge, and looks afterwards for
 * those who wait: one of both sees the other.
 */
#include "queue/slot.h"

#include "proxy/sums.h"
#include "queue/queue.h"
#include "share/segment.h"
#include "tally/tally.h"
#include "tally/top.h"

#include <sched.h>

enum { TAKE_TRIES = 1000, SPINS = 20 };

/* With minconn the limit follows the load of the backend: all of it at fullconn. */
unsigned server_limited(const struct server *s)
{
	const struct proxy *px = s->proxy;
	unsigned limit = s->state->maxconn, sessions;

	if (s->set.minconn && s->set.minconn < limit &&
	    (sessions = backend_sessions(px)) < px->fullconn) {
		uint64_t share = (uint64_t)limit * sessions / px->fullconn;

		limit = share > s->set.minconn ? (unsigned)share : s->set.minconn;
	}
	return server_ramped(s, limit);
}

/* Others read it to decide. */
static void set_gauge(unsigned *gauge, unsigned value)
{
	__atomic_store_n(gauge, value, __ATOMIC_SEQ_CST);
}

/* The lower row tries again earlier. */
static void stand_back(unsigned tries)
{
	volatile unsigned i;

	if (tries % 8 == 7)
		sched_yield();
	for (i = 0; i < segment_own_row * SPINS; i++)
		;
}

static bool take_shared(unsigned *own, unsigned limit)
{
	unsigned tries;

	for (tries = 0; tries < TAKE_TRIES; tries++) {
		if (gauge_sum_rows(own) >= limit)
			return false;
		set_gauge(own, *own + 1);
		if (gauge_sum_rows(own) <= limit)
			return true;
		set_gauge(own, *own - 1);
		stand_back(tries);
	}
	return false;
}

/* ---- connections that wait -------------------------------------------------------------- */

static unsigned slots_taken(const struct server *s)
{
	return gauge_sum(&s->tally->taken);
}

bool slots_exceed(const struct server *s)
{
	return s->state->maxconn && slots_taken(s) > s->state->maxconn;
}

void slot_keep(struct server *s, bool has)
{
	s->idle_slots++;
	if (!has)
		set_gauge(&s->tally->taken, s->tally->taken + 1);
}

bool slot_hold(struct server *s)
{
	if (s->idle_slots <= s->idle_count)
		return false;
	s->idle_slots--;
	return true;
}

void slot_free(struct server *s)
{
	set_gauge(&s->tally->taken, s->tally->taken - 1);
}

/* limit: of sessions, by the load. */
static bool strict_has_room(const struct server *s, unsigned limit)
{
	unsigned most = s->state->maxconn, taken = slots_taken(s);

	return server_sessions(s) < limit && (taken < most || (taken == most && s->idle_slots));
}

static bool strict_take_one(struct server *s)
{
	struct server_tally *tally = s->tally;
	unsigned most = s->state->maxconn;

	if (slots_taken(s) == most && s->idle_slots) {
		s->idle_slots--;
		return true;
	}
	if (tally_shared)
		return take_shared(&tally->taken, most);
	if (tally->taken >= most)
		return false;
	tally->taken++;
	return true;
}

static bool strict_take(struct server *s, unsigned limit)
{
	if (!limit)
		s->tally->taken++;
	else if (!strict_has_room(s, limit) || !strict_take_one(s))
		return false;
	set_gauge(&s->tally->current, s->tally->current + 1);
	return true;
}

static void strict_give(struct server *s)
{
	set_gauge(&s->tally->taken, s->tally->taken - 1);
	set_gauge(&s->tally->current, s->tally->current - 1);
}

/* ---- all servers ------------------------------------------------------------------------- */

bool slot_take(struct server *s)
{
	struct server_tally *tally = s->tally;
	unsigned limit = server_dynamic_maxconn(s);

	if (unlikely(slot_is_strict(s))) {
		if (!strict_take(s, limit))
			return false;
	} else if (!limit)
		tally->current++;
	else if (tally_shared) {
		if (!take_shared(&tally->current, limit))
			return false;
	} else if (tally->current < limit)
		tally->current++;
	else
		return false;
	tally_raise(&tally->counters.connections_max, &tally->counters.connections_top,
		    &tally->current, limit);
	return true;
}

void slot_give(struct server *s)
{
	if (unlikely(slot_is_strict(s)))
		strict_give(s);
	else if (tally_shared && s->state->maxconn)
		set_gauge(&s->tally->current, s->tally->current - 1);
	else
		s->tally->current--;
}

/* What was borrowed of a connection that waits, that has again. */
void slot_give_unused(struct server *s)
{
	if (!slot_is_borrowed(s)) {
		slot_give(s);
		return;
	}
	s->idle_slots++;
	set_gauge(&s->tally->current, s->tally->current - 1);
}

bool server_has_slot(const struct server *server)
{
	unsigned limit = server_dynamic_maxconn(server);

	if (unlikely(slot_is_strict(server)))
		return !limit || strict_has_room(server, limit);
	return !limit || server_sessions(server) < limit;
}

enum claim slot_claim(struct server *s)
{
	if (!tally_shared || !s->state->maxconn)
		return !s->tally->queued && slot_take(s) ? CLAIM_TAKEN : CLAIM_FULL;
	if (server_queued(s) || !server_has_slot(s))
		return CLAIM_FULL;
	if (s->proxy->be->queued || queue_others_wait(s) || !slot_take(s))
		return CLAIM_CONTENDED;
	return CLAIM_TAKEN;
}
