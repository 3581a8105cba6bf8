/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * May one more connection be accepted? A single process compares its own numbers with the limits.
 *
 * Of several processes each writes its own row and sums all rows: it takes the place first, sums,
 * and gives the place back if that was one too many, so that the sum never passes a limit. Who
 * finds no place says so in its row and sums once more; who gives a place back looks afterwards
 * who waits: one of both sees the other. The one that has waited longest is woken; it takes the
 * place like any other. A place that nobody took, because the one that was woken could not, is
 * found by the next look of those who wait (net/accept.c). Rates count when it is over, so what
 * is being admitted is counted beside them.
 */
#include "session/admission.h"

#include "base/clock.h"
#include "base/kind.h"
#include "net/listener.h"
#include "net/share.h"
#include "proxy/global.h"
#include "proxy/sums.h"
#include "share/segment.h"
#include "share/wake.h"
#include "tally/tally.h"
#include "tally/top.h"

#include <limits.h>

int admission_rejects_privileged;

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned left_of(unsigned limit, unsigned current)
{
	return current < limit ? limit - current : 0;
}

/* ---- one process ------------------------------------------------------------------------- */

/* Room below a rate limit; 0: *wait_ms until one more fits. */
static unsigned rate_left(const struct rate *rate, unsigned limit, unsigned *wait_ms)
{
	uint64_t room = rate_room(rate, clock_now_ms, limit);

	if (!room)
		*wait_ms = rate_wait(rate, clock_now_ms, limit);
	return room > UINT32_MAX ? UINT32_MAX : (unsigned)room;
}

static unsigned room_tls(unsigned room, unsigned *wait_ms)
{
	if (global_state->max_tls)
		room = smaller(room, left_of(global_state->max_tls, global_tally->tls_current));
	if (room && global_state->max_tls_rate)
		room = smaller(room, rate_left(&global_tally->tls_rate, global_state->max_tls_rate,
					       wait_ms));
	return room;
}

static unsigned room_alone(const struct listener *l, const struct proxy *px, unsigned *wait_ms)
{
	unsigned room = left_of(px->state->maxconn, px->fe->current);

	if (l->maxconn)
		room = smaller(room, left_of(l->maxconn, l->tally->current));
	if (px->stats_socket)
		return room;
	room = smaller(room, left_of(global_state->maxconn, global_tally->current));
	if (room && px->state->rate_limit)
		room = smaller(room, rate_left(&px->fe->counters.session_rate, px->state->rate_limit,
					       wait_ms));
	if (l->bind->tls)
		room = room_tls(room, wait_ms);
	if (room && global_state->maxconn_rate)
		room = smaller(room, rate_left(&global_tally->conn_rate,
					       global_state->maxconn_rate, wait_ms));
	if (room && global_state->maxsess_rate)
		room = smaller(room, rate_left(&global_tally->sess_rate,
					       global_state->maxsess_rate, wait_ms));
	return room;
}

/* ---- several ----------------------------------------------------------------------------- */

static bool reserved;         /* a place was taken in advance */
static struct proxy *at_hand; /* whose connection is being admitted */
static struct wake freed;     /* somewhere a place was freed */

enum { ANY_PLACE = UINT32_MAX }; /* waits_for: of more than one frontend */

/* Before others' rows are read, the own one must have been written. */
static void publish(void)
{
	if (tally_shared)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void raise_places(struct listener *l, const struct proxy *px)
{
	px->fe->current++;
	l->tally->current++;
	if (!px->stats_socket)
		global_tally->current++;
	if (l->bind->tls)
		global_tally->tls_current++;
	publish();
}

static void lower_places(struct listener *l, const struct proxy *px)
{
	px->fe->current--;
	l->tally->current--;
	if (!px->stats_socket)
		global_tally->current--;
	if (l->bind->tls)
		global_tally->tls_current--;
	publish();
}

/* Which limit would n more be above? */
enum limit { LIMIT_NONE, LIMIT_FRONTEND, LIMIT_GLOBAL };

static enum limit limit_passed(const struct listener *l, const struct proxy *px, unsigned n)
{
	if (frontend_sessions(px) + n > px->state->maxconn ||
	    (l->maxconn && listener_sessions(l) + n > l->maxconn))
		return LIMIT_FRONTEND;
	if (!px->stats_socket && global_sessions() + n > global_state->maxconn)
		return LIMIT_GLOBAL;
	if (l->bind->tls && global_state->max_tls &&
	    gauge_sum(&global_tally->tls_current) + n > global_state->max_tls)
		return LIMIT_GLOBAL;
	return LIMIT_NONE;
}

/* The own one is among those admitted. Else *wait_ms. */
static bool rate_fits(const struct rate *own, const unsigned *admitting, unsigned limit,
		      unsigned *wait_ms)
{
	struct rate sum = { .period_start = clock_now_ms };

	if (!limit)
		return true;
	sum.previous = rate_sum(own);
	if (sum.previous + gauge_sum(admitting) <= limit)
		return true;
	*wait_ms = rate_wait(&sum, clock_now_ms, limit);
	if (!*wait_ms) /* only because of others that are being admitted */
		*wait_ms = 1;
	return false;
}

static bool rates_fit(const struct listener *l, const struct proxy *px, unsigned *wait_ms)
{
	if (l->bind->tls && !rate_fits(&global_tally->tls_rate, &global_tally->admitting,
				       global_state->max_tls_rate, wait_ms))
		return false;
	return px->stats_socket ||
	       (rate_fits(&px->fe->counters.session_rate, &px->fe->admitting,
			  px->state->rate_limit, wait_ms) &&
		rate_fits(&global_tally->conn_rate, &global_tally->admitting,
			  global_state->maxconn_rate, wait_ms) &&
		rate_fits(&global_tally->sess_rate, &global_tally->admitting,
			  global_state->maxsess_rate, wait_ms));
}

static void say_admitting(const struct proxy *px, unsigned n)
{
	px->fe->admitting = n;
	if (!px->stats_socket)
		global_tally->admitting = n;
	publish();
}

/* All of this process that wait try again. */
static void try_again(void)
{
	atomic_store(&segment_own->waits_for_room, 0);
	listeners_wake();
}

static void was_freed(struct wake *wake)
{
	(void)wake;
	if (segment_own->waits_for_room)
		try_again();
}

static void wake_row(int row)
{
	if (row < 0)
		return;
	if ((unsigned)row == segment_own_row)
		try_again();
	else
		segment_wake(segment, (unsigned)row);
}

/* Wakes who waits longest for a place in this frontend, and who waits longest for one anywhere. */
static void place_freed(const struct proxy *px)
{
	unsigned row, rows = segment_rows(segment);
	uint64_t since, here = UINT64_MAX, anywhere = UINT64_MAX;
	int row_here = -1, row_anywhere = -1;

	for (row = 0; row < rows; row++) {
		const struct segment_row *r = segment_row(segment, row);

		since = atomic_load_explicit(&r->waits_for_room, memory_order_relaxed);
		if (likely(!since))
			continue;
		if (r->waits_for == ANY_PLACE && since < anywhere) {
			anywhere = since;
			row_anywhere = (int)row;
		} else if (r->waits_for == px->fe_slot && since < here) {
			here = since;
			row_here = (int)row;
		}
	}
	wake_row(row_here);
	wake_row(row_anywhere);
}

static enum limit try_place(struct listener *l, const struct proxy *px)
{
	enum limit passed;

	raise_places(l, px);
	passed = limit_passed(l, px, 0);
	if (passed != LIMIT_NONE)
		lower_places(l, px);
	return passed;
}

/* One that waits for several things looks whenever any place was freed. */
static void start_waiting(const struct proxy *px, enum limit passed)
{
	uint32_t what = passed == LIMIT_FRONTEND ? px->fe_slot : ANY_PLACE;

	if (!freed.run)
		wake_watch(&freed, was_freed);
	if (segment_own->waits_for_room && segment_own->waits_for != what)
		what = ANY_PLACE;
	atomic_store(&segment_own->waits_for, what);
	if (!segment_own->waits_for_room)
		atomic_store(&segment_own->waits_for_room, clock_now_ms);
}

static bool take_place(struct listener *l, const struct proxy *px, unsigned *wait_ms)
{
	enum limit passed = try_place(l, px);

	if (passed == LIMIT_NONE)
		return true;
	start_waiting(px, passed);
	if (try_place(l, px) == LIMIT_NONE)
		return true;
	/* Two that tried at once may have been in each other's way. */
	if (limit_passed(l, px, 1) == LIMIT_NONE)
		*wait_ms = 1 + segment_own_row % 8;
	return false;
}

static unsigned room_shared(struct listener *l, struct proxy *px, unsigned *wait_ms)
{
	BUG_ON(reserved);
	if (!take_place(l, px, wait_ms))
		return 0;
	say_admitting(px, 1);
	if (!rates_fit(l, px, wait_ms)) {
		say_admitting(px, 0);
		lower_places(l, px);
		return 0;
	}
	atomic_store_explicit(&segment_own->waits_for_room, 0, memory_order_relaxed);
	reserved = true;
	at_hand = px;
	return 1;
}

/* ---- what others call -------------------------------------------------------------------- */

unsigned admission_room(struct listener *l, unsigned *wait_ms)
{
	struct proxy *px = KIND_OF(struct proxy, l->bind->owner);

	*wait_ms = 0;
	if (!px->stats_socket && global_state->stopping)
		return 0;
	return tally_shared ? room_shared(l, px, wait_ms) : room_alone(l, px, wait_ms);
}

void admission_settled(struct listener *l)
{
	struct proxy *px = at_hand;

	if (!px)
		return;
	at_hand = NULL;
	say_admitting(px, 0);
	if (!reserved)
		return;
	reserved = false;
	lower_places(l, px);
	place_freed(px);
}

void admission_take(struct listener *l)
{
	struct proxy *px = KIND_OF(struct proxy, l->bind->owner);
	struct counters *fe = &px->fe->counters, *c = &l->tally->counters;
	unsigned limit = px->state->maxconn;

	if (!px->stats_socket)
		limit = smaller(limit, global_state->maxconn);
	if (reserved)
		reserved = false;
	else
		raise_places(l, px);
	l->current++;
	tally_raise(&fe->connections_max, &fe->connections_top, &px->fe->current, limit);
	tally_raise(&c->connections_max, &c->connections_top, &l->tally->current,
		    l->maxconn ? smaller(limit, l->maxconn) : limit);
	if (!px->stats_socket)
		share_count(1);
}

void admission_give(struct listener *l)
{
	struct proxy *px = KIND_OF(struct proxy, l->bind->owner);

	l->current--;
	lower_places(l, px);
	if (!px->stats_socket)
		share_count(-1);
	if (tally_shared)
		place_freed(px);
	else
		listeners_wake();
}
