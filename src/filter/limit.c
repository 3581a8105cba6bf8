/* SPDX-License-Identifier: BSD-2-Clause */
/* filter bwlim-in, bwlim-out: a stream's direction gets credit as time passes, and bytes take it. A
 * member of the chain that looks at nothing: bytes go on through pipes. Where there is no credit it
 * names a time; waits are short at first, for small messages, and grow to what makes large pieces,
 * at most TICK_MOST ms, so that many streams cost few timers. Who has not used its credit keeps no
 * more than IDLE_MS are worth: no burst follows a pause. Where streams share a limit, what a stream
 * earns follows from what the others have had (limit_share.c). The words: limit_words.c. */
#include "filter/limit.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "expr/expr.h"
#include "filter/filter.h"
#include "filter/limit_share.h"

enum { IDLE_MS = 100, TICK_LEAST = 10, TICK_MOST = 100, LARGE_PIECE = 16384 };

struct limit {
	struct filter filter;
	struct pump_filter member;
	bool linked;
	double rate;        /* bytes a ms */
	double credit;      /* bytes */
	uint64_t at_ms;     /* up to when it was given */
	uint64_t until_ms;  /* nothing passes before */
	unsigned tick_ms;   /* the next wait */
	size_t least;
	struct limit_share share;
};

static struct pool limit_pool = POOL_INIT("limit", sizeof(struct limit));

/* ---- at work ------------------------------------------------------------------------------ */

/* Thousandths of a byte are rounding. */
static uint64_t whole_bytes(double bytes)
{
	return bytes >= 1e18 ? (uint64_t)1e18 : (uint64_t)(bytes + 0.001);
}

static void limit_earn(struct limit *l, double needed)
{
	double most = l->rate * IDLE_MS;
	uint64_t ms = clock_now_ms - l->at_ms;

	l->at_ms = clock_now_ms;
	l->credit += l->rate * (double)ms;
	if (most < needed)
		most = needed;
	if (ms <= 2 * (uint64_t)l->tick_ms) /* it has waited for this */
		return;
	l->tick_ms = 1;
	if (l->credit > most)
		l->credit = most;
}

/* So long that a large piece comes together, within bounds. */
static unsigned longest_tick(const struct limit *l)
{
	double ms = LARGE_PIECE / l->rate;

	return ms < TICK_LEAST ? TICK_LEAST : ms < TICK_MOST ? (unsigned)ms : TICK_MOST;
}

static uint64_t limit_wait(struct limit *l, double needed)
{
	double piece = l->rate * l->tick_ms, ms;
	unsigned longest = longest_tick(l);

	if (piece < needed)
		piece = needed;
	ms = (piece - l->credit) / l->rate;
	l->tick_ms = 2 * l->tick_ms < longest ? 2 * l->tick_ms : longest;
	l->until_ms = clock_now_ms + 1 + (ms < 1e15 ? (uint64_t)ms : (uint64_t)1e15);
	return l->until_ms;
}

/* Streams together have had what they may have: no credit comes together meanwhile. */
static uint64_t limit_wait_all(struct limit *l)
{
	double most = l->rate * TICK_LEAST;

	if (l->credit > most)
		l->credit = most;
	l->until_ms = clock_now_ms + TICK_LEAST;
	return l->until_ms;
}

static uint64_t limit_allow(struct pump_filter *member, uint64_t wanted, uint64_t *when_ms)
{
	struct limit *l = container_of(member, struct limit, member);
	double needed = l->least > 1 ? (double)l->least : 1;

	if (needed > (double)wanted && wanted)
		needed = (double)wanted;
	*when_ms = l->until_ms;
	if (clock_now_ms < l->until_ms)
		return 0;
	if (l->share.entry)
		l->rate = limit_share_rate(&l->share);
	limit_earn(l, needed);
	if (l->share.entry && limit_share_full(&l->share)) {
		*when_ms = limit_wait_all(l);
		return 0;
	}
	if (l->credit + 0.001 >= needed)
		return whole_bytes(l->credit);
	*when_ms = limit_wait(l, needed);
	return 0;
}

static void limit_passed(struct pump_filter *member, uint64_t bytes)
{
	struct limit *l = container_of(member, struct limit, member);

	l->credit -= (double)bytes;
	if (l->share.entry)
		limit_share_passed(&l->share, bytes);
}

static const struct pump_filter_ops limit_ops = { .allow = limit_allow, .passed = limit_passed };

/* The stream's; NULL: its proxies have not that line. */
static struct limit *limit_of(const struct filters *set, const struct filter_line *line)
{
	struct filter *f = set->first;

	while (f && f->line != line)
		f = f->next;
	return f ? FILTER_STATE(struct limit, f, &limit_pool) : NULL;
}

static void limit_begin(struct limit *l)
{
	const struct limit_line *own = KIND_OF(const struct limit_line, l->filter.line->data);

	l->least = own->least;
	l->until_ms = 0;
	if (l->linked)
		return;
	l->linked = true;
	l->tick_ms = 1;
	l->credit = 0;
	l->at_ms = clock_now_ms;
	l->member = (struct pump_filter){ .ops = &limit_ops };
	filter_link(&l->filter, l->filter.line->kind == &limit_out_filter, &l->member);
}

void limit_set(struct filters *set, const struct filter_line *line, size_t bytes,
	       unsigned period_ms)
{
	const struct limit_line *own = KIND_OF(const struct limit_line, line->data);
	struct limit *l = limit_of(set, line);

	if (!l)
		return;
	l->rate = (double)(bytes ? bytes : own->bytes) / (period_ms ? period_ms : own->period_ms);
	limit_begin(l);
}

void limit_set_shared(struct filters *set, const struct filter_line *line, struct span key)
{
	enum stick_data what = line->kind == &limit_out_filter ? STICK_bytes_out_rate :
								 STICK_bytes_in_rate;
	const struct limit_line *own = KIND_OF(const struct limit_line, line->data);
	struct limit *l = limit_of(set, line);
	struct limit_share share;

	if (!l || !limit_share_begin(&share, own->table->table, what, own->bytes, key))
		return;
	limit_share_end(&l->share);
	l->share = share;
	limit_begin(l);
}

/* Time counts from where bytes may flow. */
static void limit_open(struct filter *f, bool response)
{
	struct limit *l = FILTER_STATE(struct limit, f, &limit_pool);

	if (response == (f->line->kind == &limit_out_filter))
		l->at_ms = clock_now_ms;
}

static void limit_forget(struct filter *f)
{
	if (f->line->kind == &limit_out_filter)
		FILTER_STATE(struct limit, f, &limit_pool)->linked = false;
}

static void limit_end(struct filter *f)
{
	limit_share_end(&FILTER_STATE(struct limit, f, &limit_pool)->share);
}

const struct filter_kind limit_in_filter = {
	.name = "bwlim-in", .parse = limit_parse, .pool = &limit_pool, .open = limit_open,
	.end = limit_end,
};

const struct filter_kind limit_out_filter = {
	.name = "bwlim-out", .parse = limit_parse, .pool = &limit_pool, .open = limit_open,
	.forget = limit_forget, .end = limit_end,
};
