/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums over the rows of the segment, and what becomes of rows whose process has ended.
 *
 * A tally is at the same place in each row, so the tally of this process is all that is needed to
 * find the others. Counters are added up, rates as they read now, means by their samples; a maximum
 * is that of the sums, which is found by whoever raises a sum: a process looks at the sum when its
 * own part is higher than in the last second or two, and notes it (top) in its own row. Until then,
 * and in a single process, the own maximum is all there is.
 */
#include "proxy/tally.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/segment.h"
#include "event/timer.h"
#include "tls/conn.h"

#include <string.h>

enum { SUM_TRIES = 1000, /* while rows are folded */
       TICK_MS = 1000 };

bool tally_shared;
void (*tally_collect)(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW]);
int tally_shown_row = -1;

_Static_assert(sizeof(struct proxy_tally) <= SEGMENT_CELL, "a cell is too small");
_Static_assert(sizeof(struct global_tally) <= SEGMENT_CELL, "a cell is too small");
_Static_assert(sizeof(struct listener_tally) <= SEGMENT_CELL, "a cell is too small");
_Static_assert(sizeof(struct server_tally) <= SEGMENT_CELL, "a cell is too small");

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

static const void *of_row(const void *own, unsigned row)
{
	return segment_sibling(own, segment_own_row, row);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- parts of tallies ------------------------------------------------------------------ */

/* to reads, at now, as what both come to. */
static void rate_join(struct rate *to, const struct rate *from, uint64_t now_ms)
{
	struct rate copy = { LOAD(from->period_start), LOAD(from->current), LOAD(from->previous),
			     0, 0 };

	to->previous = rate_read(to, now_ms) + rate_read(&copy, now_ms);
	to->current = 0;
	to->period_start = now_ms;
	to->max = larger(to->max, larger(larger(LOAD(from->max), LOAD(from->top)), to->previous));
}

static void counters_join(struct counters *to, const struct counters *from, uint64_t now_ms)
{
	uint64_t connections = larger(to->connections_max, larger(LOAD(from->connections_max),
								  LOAD(from->connections_top)));
	uint64_t queue = larger(to->queue_max, larger(LOAD(from->queue_max),
						      LOAD(from->queue_top)));

#define COUNTER(name, text) to->name += LOAD(from->name);
#include "proxy/counters.def"
#undef COUNTER
	to->connections_max = connections;
	to->queue_max = queue;
	rate_join(&to->session_rate, &from->session_rate, now_ms);
	rate_join(&to->connection_rate, &from->connection_rate, now_ms);
	rate_join(&to->request_rate, &from->request_rate, now_ms);
}

static void mean_join(struct mean *to, const struct mean *from)
{
	to->sum += LOAD(from->sum);
	to->samples += LOAD(from->samples);
	to->max = (uint32_t)larger(to->max, LOAD(from->max));
}

static void times_join(struct times *to, const struct times *from)
{
	mean_join(&to->queue, &from->queue);
	mean_join(&to->connect, &from->connect);
	mean_join(&to->response, &from->response);
	mean_join(&to->total, &from->total);
}

/* ---- tallies --------------------------------------------------------------------------- */

typedef void join_tally(void *to, const void *from, uint64_t now_ms);

static void proxy_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct proxy_tally *to = to_tally;
	const struct proxy_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->queued += LOAD(from->queued);
	to->total_queued += LOAD(from->total_queued);
	to->served += LOAD(from->served);
	to->last_session_s = larger(to->last_session_s, LOAD(from->last_session_s));
	to->log_lines += LOAD(from->log_lines);
	times_join(&to->times, &from->times);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void server_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct server_tally *to = to_tally;
	const struct server_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->queued += LOAD(from->queued);
	to->idle += LOAD(from->idle);
	to->idle_safe += LOAD(from->idle_safe);
	to->idle_need += LOAD(from->idle_need);
	to->last_session_s = larger(to->last_session_s, LOAD(from->last_session_s));
	times_join(&to->times, &from->times);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void listener_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct listener_tally *to = to_tally;
	const struct listener_tally *from = from_tally;

	to->current += LOAD(from->current);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void global_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct global_tally *to = to_tally;
	const struct global_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->cum_conns += LOAD(from->cum_conns);
	to->cum_sessions += LOAD(from->cum_sessions);
	to->cum_requests += LOAD(from->cum_requests);
	to->bytes_out += LOAD(from->bytes_out);
	to->accept_failures += LOAD(from->accept_failures);
	to->no_memory += LOAD(from->no_memory);
	for (unsigned i = 0; i < TALLY_COUNTED; i++)
		to->counted[i] += LOAD(from->counted[i]);
	for (unsigned i = 0; i < TALLY_NOW; i++)
		to->now[i] += LOAD(from->now[i]);
	rate_join(&to->conn_rate, &from->conn_rate, now_ms);
	rate_join(&to->sess_rate, &from->sess_rate, now_ms);
	rate_join(&to->bytes_out_rate, &from->bytes_out_rate, now_ms);
	to->tls_current += LOAD(from->tls_current);
	to->cum_tls += LOAD(from->cum_tls);
	rate_join(&to->tls_rate, &from->tls_rate, now_ms);
	rate_join(&to->tls_front_keys, &from->tls_front_keys, now_ms);
	rate_join(&to->tls_back_keys, &from->tls_back_keys, now_ms);
}

/* By the kind of slot. */
static const struct {
	size_t size;
	join_tally *join;
} tallies[SLOT_KINDS] = {
	[SLOT_GLOBAL] = { sizeof(struct global_tally), global_join },
	[SLOT_FRONTEND] = { sizeof(struct proxy_tally), proxy_join },
	[SLOT_BACKEND] = { sizeof(struct proxy_tally), proxy_join },
	[SLOT_SERVER] = { sizeof(struct server_tally), server_join },
	[SLOT_LISTENER] = { sizeof(struct listener_tally), listener_join },
};

static void one_row(enum segment_kind kind, const void *own, unsigned row, void *out)
{
	memset(out, 0, tallies[kind].size);
	tallies[kind].join(out, of_row(own, row), clock_now_ms);
}

static void sum(enum segment_kind kind, const void *own, void *out)
{
	unsigned row, tries = 0;
	uint64_t begun;

	if (!tally_shared) {
		one_row(kind, own, segment_own_row, out);
		return;
	}
	if (tally_shown_row >= 0) {
		one_row(kind, own, (unsigned)tally_shown_row, out);
		return;
	}
	do {
		begun = segment_sum_begin(segment);
		memset(out, 0, tallies[kind].size);
		for (row = 0; row < segment_rows(segment); row++)
			tallies[kind].join(out, of_row(own, row), clock_now_ms);
	} while (segment_sum_again(segment, begun) && tries++ < SUM_TRIES);
}

void proxy_sum(const struct proxy *px, unsigned side, struct proxy_tally *out)
{
	bool front = side == PROXY_FRONTEND;

	sum(front ? SLOT_FRONTEND : SLOT_BACKEND, front ? px->fe : px->be, out);
}

/* Returns whether there are idle connections, which may end without anything else moving. */
static bool note_idle(const struct server *s)
{
	struct server_tally *tally = s->tally;
	bool any = s->idle_count | tally->idle;

	tally->idle = s->idle_count;
	tally->idle_safe = s->idle_safe;
	tally->idle_need = s->idle_need;
	return any;
}

void server_sum(const struct server *s, struct server_tally *out)
{
	note_idle(s);
	sum(SLOT_SERVER, s->tally, out);
}

void listener_sum(const struct listener *l, struct listener_tally *out)
{
	sum(SLOT_LISTENER, l->tally, out);
}

/* The cell goes on where a process that had it before has ended. Was anything counted? */
static bool collect(void)
{
	static uint64_t before[TALLY_COUNTED];
	uint64_t counted[TALLY_COUNTED] = { 0 }, now[TALLY_NOW] = { 0 };
	bool moved = false;

	if (!tally_collect)
		return false;
	tally_collect(counted, now);
	for (unsigned i = 0; i < TALLY_COUNTED; i++) {
		moved |= counted[i] != before[i];
		if (tally_shared)
			global_tally->counted[i] += counted[i] - before[i];
		else
			global_tally->counted[i] = counted[i];
		before[i] = counted[i];
	}
	memcpy(global_tally->now, now, sizeof(now));
	return moved;
}

void global_sum(struct global_tally *out)
{
	collect();
	sum(SLOT_GLOBAL, global_tally, out);
}

void server_row(const struct server *s, unsigned row, struct server_tally *out)
{
	one_row(SLOT_SERVER, s->tally, row, out);
}

unsigned gauge_sum_rows(const unsigned *own)
{
	unsigned row, total = 0;

	for (row = 0; row < segment_rows(segment); row++)
		total += __atomic_load_n((const unsigned *)of_row(own, row), __ATOMIC_SEQ_CST);
	return total;
}

unsigned gauge_sum_recent(const unsigned *own)
{
	static struct {
		const unsigned *own;
		uint64_t at_ms;
		unsigned others;
	} recent[64], *r;

	if (!tally_shared)
		return *own;
	r = &recent[(uintptr_t)own / SEGMENT_CELL % ARRAY_LEN(recent)];
	if (r->own != own || r->at_ms != clock_now_ms) {
		r->own = own;
		r->at_ms = clock_now_ms;
		r->others = gauge_sum_rows(own) - *own;
	}
	return *own + r->others;
}

uint64_t counter_sum(const uint64_t *own)
{
	unsigned row, tries = 0;
	uint64_t begun, total;

	if (!tally_shared)
		return *own;
	do {
		begun = segment_sum_begin(segment);
		for (total = 0, row = 0; row < segment_rows(segment); row++)
			total += LOAD(*(const uint64_t *)of_row(own, row));
	} while (segment_sum_again(segment, begun) && tries++ < SUM_TRIES);
	return total;
}

uint64_t rate_sum(const struct rate *own)
{
	struct rate total = { 0 };
	unsigned row;

	if (!tally_shared)
		return rate_read(own, clock_now_ms);
	for (row = 0; row < segment_rows(segment); row++)
		rate_join(&total, of_row(own, row), clock_now_ms);
	return rate_read(&total, clock_now_ms);
}

/* ---- maxima ---------------------------------------------------------------------------- */

static struct timer tick_timer;

static void raise_to(uint64_t *top, uint64_t value)
{
	if (value > *top)
		*top = value;
}

/* The own height is what it is now, so that the next rise is seen. Was it another? */
static bool settle(uint64_t *max, uint64_t *top, uint64_t now)
{
	bool moved = *max != now;

	raise_to(top, *max);
	*max = now;
	return moved;
}

static bool settle_rate(struct rate *rate)
{
	raise_to(&rate->top, rate_sum(rate));
	return settle(&rate->max, &rate->top, rate_read(rate, clock_now_ms));
}

static bool settle_counters(struct counters *c, unsigned current, unsigned queued)
{
	bool moved = settle(&c->connections_max, &c->connections_top, current);

	moved |= settle(&c->queue_max, &c->queue_top, queued);
	moved |= settle_rate(&c->session_rate);
	moved |= settle_rate(&c->connection_rate);
	return moved | settle_rate(&c->request_rate);
}

static bool settle_proxy(const struct proxy *px)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct server *s;
	bool moved = false;

	if (px->fe)
		moved |= settle_counters(&px->fe->counters, px->fe->current, px->fe->queued);
	if (px->be)
		moved |= settle_counters(&px->be->counters, px->be->current, px->be->queued);
	for (s = px->servers; s; s = s->next) {
		moved |= settle_counters(&s->tally->counters, s->tally->current, s->tally->queued);
		moved |= note_idle(s);
	}
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			moved |= settle_counters(&l->tally->counters, l->tally->current, 0);
	return moved;
}

static void arm_tick(void);

/* Runs while something rises or falls. */
static void tick(struct timer *timer)
{
	const struct proxy *px;
	bool moved;

	(void)timer;
	moved = settle_rate(&global_tally->conn_rate);
	moved |= settle_rate(&global_tally->sess_rate);
	moved |= collect();
	moved |= settle_rate(&global_tally->bytes_out_rate);
	moved |= settle_rate(&global_tally->tls_rate);
	moved |= settle_rate(&global_tally->tls_front_keys);
	moved |= settle_rate(&global_tally->tls_back_keys);
	list_for_each(px, &proxies_running->list, node)
		moved |= settle_proxy(px);
	list_for_each(px, &proxies_running->stats_frontends, node)
		moved |= settle_proxy(px);
	if (moved)
		arm_tick();
}

static void arm_tick(void)
{
	if (!tick_timer.fire)
		timer_init(&tick_timer, tick);
	if (!timer_armed(&tick_timer))
		timer_set(&tick_timer, clock_now_ms + TICK_MS);
}

void tally_new_height(uint64_t *max, uint64_t *top, const unsigned *gauge)
{
	*max = *gauge;
	if (!tally_shared)
		return;
	raise_to(top, gauge_sum_rows(gauge));
	arm_tick();
}

/* Of high rates one in 32 of the heights is enough. */
static void rate_has_risen(struct rate *rate, uint64_t before)
{
	unsigned bits = rate->max < 64 ? 0 : (unsigned)(63 - __builtin_clzll(rate->max)) - 5;

	if (before >> bits == rate->max >> bits)
		return;
	raise_to(&rate->top, rate_sum(rate));
	arm_tick();
}

static void tls_keys(bool accepted)
{
	rate_add(accepted ? &global_tally->tls_front_keys : &global_tally->tls_back_keys,
		 clock_now_ms, 1);
}

static void tls_connects(int change)
{
	global_tally->tls_current += (unsigned)change;
	global_tally->cum_tls += change > 0;
}

static bool tls_may(void)
{
	return !global_state->max_tls ||
	       gauge_sum(&global_tally->tls_current) < global_state->max_tls;
}

void tally_watch_tls(void)
{
	tls_keys_made = tls_keys;
	tls_connect_counted = tls_connects;
	tls_may_connect = tls_may;
}

void tally_start(bool shared)
{
	tally_shared = shared;
	rate_risen = shared ? rate_has_risen : NULL;
}

/* ---- rows that end --------------------------------------------------------------------- */

static void drop_gauges(enum segment_kind kind, void *cell)
{
	struct proxy_tally *px = cell;
	struct server_tally *s = cell;
	struct global_tally *global = cell;

	switch (kind) {
	case SLOT_FRONTEND:
	case SLOT_BACKEND:
		px->current = px->queued = px->total_queued = px->served = px->admitting = 0;
		px->first_waiter = 0;
		break;
	case SLOT_SERVER:
		s->current = s->queued = s->idle = s->idle_safe = s->idle_need = 0;
		s->first_waiter = 0;
		break;
	case SLOT_LISTENER:
		((struct listener_tally *)cell)->current = 0;
		break;
	case SLOT_GLOBAL:
		global->current = global->admitting = global->tls_current = 0;
		memset(global->now, 0, sizeof(global->now));
		break;
	case SLOT_FREE:
	case SLOT_KINDS:
		break;
	}
}

void tally_drop_gauges(unsigned row)
{
	struct segment_row *head = segment_row(segment, row);
	unsigned slot, other;

	if (row) {
		head->connections = 0;
		head->lately = 0;
		head->waits_for_room = 0;
		head->flags &= ~(uint32_t)(ROW_ACCEPTS | ROW_AWAY);
	}
	for (slot = 0; slot < segment_slots(segment); slot++)
		drop_gauges(segment_slot_kind(segment, slot), segment_cell(segment, row, slot));
	/* What it held is free, and whoever was waited for in it does not come. */
	for (other = 1; other < segment_rows(segment); other++)
		if (other != row)
			segment_wake(segment, other);
}

void tally_fold_row(unsigned row)
{
	enum segment_kind kind;
	unsigned slot;
	char *cell;

	tally_drop_gauges(row);
	segment_fold_begin(segment);
	for (slot = 0; slot < segment_slots(segment); slot++) {
		kind = segment_slot_kind(segment, slot);
		cell = segment_cell(segment, row, slot);
		if (kind != SLOT_FREE)
			tallies[kind].join(segment_cell(segment, 0, slot), cell, clock_now_ms);
		memset(cell, 0, SEGMENT_CELL);
	}
	segment_free_row(segment, row);
	segment_fold_end(segment);
}

static unsigned gauges_of(enum segment_kind kind, const void *cell)
{
	const struct proxy_tally *px = cell;
	const struct server_tally *s = cell;
	const struct global_tally *global = cell;

	switch (kind) {
	case SLOT_FRONTEND:
	case SLOT_BACKEND:
		return px->current | px->queued | px->total_queued | px->served | px->admitting |
		       (px->first_waiter != 0);
	case SLOT_SERVER:
		return s->current | s->queued | s->idle | s->idle_safe | s->idle_need |
		       (s->first_waiter != 0);
	case SLOT_LISTENER:
		return ((const struct listener_tally *)cell)->current;
	case SLOT_GLOBAL:
		return global->current | global->tls_current;
	case SLOT_FREE:
	case SLOT_KINDS:
		break;
	}
	return 0;
}

int tally_check(struct err *err)
{
	unsigned row, slot;

	if (!tally_shared)
		return 0;
	for (row = 0; row < segment_rows(segment); row++) {
		if (row && segment_row(segment, row)->pid)
			continue;
		for (slot = 0; slot < segment_slots(segment); slot++)
			if (gauges_of(segment_slot_kind(segment, slot),
				      segment_cell(segment, row, slot)))
				return err_set(err, "row %u has no process, but sessions of %s", row,
					       segment_slot_name(segment, slot));
	}
	return 0;
}

/* ---- clearing -------------------------------------------------------------------------- */

static void times_clear_max(struct times *t)
{
	t->queue.max = t->connect.max = t->response.max = t->total.max = 0;
}

static void clear_side(struct proxy_tally *tally, bool all)
{
	counters_clear(&tally->counters, all);
	times_clear_max(&tally->times);
}

static void clear_proxy(const struct proxy *px, bool all)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct server *s;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (l->tally)
				counters_clear(&l->tally->counters, all);
	if (px->fe)
		clear_side(px->fe, all);
	if (px->be)
		clear_side(px->be, all);
	for (s = px->servers; s; s = s->next) {
		counters_clear(&s->tally->counters, all);
		times_clear_max(&s->tally->times);
		if (all)
			s->state->down_transitions = 0;
	}
	if (all)
		px->state->down_transitions = 0;
}

void tallies_clear(bool all)
{
	const struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		clear_proxy(px, all);
	rate_clear_max(&global_tally->conn_rate);
	rate_clear_max(&global_tally->sess_rate);
	rate_clear_max(&global_tally->tls_rate);
	rate_clear_max(&global_tally->tls_front_keys);
	rate_clear_max(&global_tally->tls_back_keys);
}
