/* SPDX-License-Identifier: BSD-2-Clause */
/* filter bwlim-in, bwlim-out: a stream's direction gets credit as time passes, and bytes take it. A
 * member of the chain that looks at nothing: bytes go on through pipes. Where there is no credit it
 * names a time; waits are short at first, for small messages, and grow to what makes large pieces,
 * at most TICK_MOST ms, so that many streams cost few timers. Who has not used its credit keeps no
 * more than IDLE_MS are worth: no burst follows a pause. */
#include "filter/limit.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/pool.h"
#include "filter/filter.h"
#include "proxy/proxy.h"

#include <string.h>

enum { IDLE_MS = 100, TICK_LEAST = 10, TICK_MOST = 100, LARGE_PIECE = 16384 };

struct limit_line {
	size_t bytes;       /* default-limit */
	unsigned period_ms; /* default-period */
	size_t least;       /* min-size; 0: none */
};

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

static uint64_t limit_allow(struct pump_filter *member, uint64_t wanted, uint64_t *when_ms)
{
	struct limit *l = container_of(member, struct limit, member);
	double needed = l->least > 1 ? (double)l->least : 1;

	if (needed > (double)wanted && wanted)
		needed = (double)wanted;
	*when_ms = l->until_ms;
	if (clock_now_ms < l->until_ms)
		return 0;
	limit_earn(l, needed);
	if (l->credit + 0.001 >= needed)
		return whole_bytes(l->credit);
	*when_ms = limit_wait(l, needed);
	return 0;
}

static void limit_passed(struct pump_filter *member, uint64_t bytes)
{
	container_of(member, struct limit, member)->credit -= (double)bytes;
}

static const struct pump_filter_ops limit_ops = { .allow = limit_allow, .passed = limit_passed };

void limit_set(struct filters *set, const struct filter_line *line, size_t bytes,
	       unsigned period_ms)
{
	const struct limit_line *own = line->data;
	struct filter *f = set->first;
	struct limit *l;

	while (f && f->line != line)
		f = f->next;
	if (!f)
		return;
	l = container_of(f, struct limit, filter);
	l->rate = (double)(bytes ? bytes : own->bytes) / (period_ms ? period_ms : own->period_ms);
	l->least = own->least;
	l->until_ms = 0;
	if (l->linked)
		return;
	l->linked = true;
	l->tick_ms = 1;
	l->credit = 0;
	l->at_ms = clock_now_ms;
	l->member = (struct pump_filter){ .ops = &limit_ops };
	filter_link(f, line->kind == &limit_out_filter, &l->member);
}

/* Time counts from where bytes may flow. */
static void limit_open(struct filter *f, bool response)
{
	struct limit *l = container_of(f, struct limit, filter);

	if (response == (f->line->kind == &limit_out_filter))
		l->at_ms = clock_now_ms;
}

static void limit_forget(struct filter *f)
{
	if (f->line->kind == &limit_out_filter)
		container_of(f, struct limit, filter)->linked = false;
}

/* ---- the words ----------------------------------------------------------------------------- */

const struct filter_line *limit_find(const struct proxy *px, const char *name)
{
	const struct filter_line *line = filter_find(px, &limit_in_filter, name);

	return line ? line : filter_find(px, &limit_out_filter, name);
}

static int parse_size(struct statement *st, const char *what, size_t *bytes)
{
	if (stmt_size(st, what, bytes))
		return -1;
	return *bytes ? 0 : stmt_error(st, st->at - 1, "%s cannot be 0", what);
}

static int parse_period(struct statement *st, unsigned *ms)
{
	if (stmt_duration(st, "the period", 'm', ms))
		return -1;
	return *ms ? 0 : stmt_error(st, st->at - 1, "the period cannot be 0");
}

static int parse_words(struct statement *st, struct limit_line *own)
{
	static const char *const words[] = { "default-limit", "default-period", "min-size", NULL };

	while (stmt_peek(st)) {
		if (stmt_take(st, "default-limit")) {
			if (parse_size(st, "the limit", &own->bytes))
				return -1;
		} else if (stmt_take(st, "default-period")) {
			if (parse_period(st, &own->period_ms))
				return -1;
		} else if (stmt_take(st, "min-size")) {
			if (stmt_size(st, "the size", &own->least))
				return -1;
		} else if (stmt_take(st, "limit") || stmt_take(st, "key") || stmt_take(st, "table")) {
			return stmt_error(st, st->at - 1, "a limit that streams share by a key needs "
					  "tables, which are not supported yet: 'default-limit' limits "
					  "each stream");
		} else {
			return stmt_unknown(st, st->at, "word", words);
		}
	}
	return 0;
}

static int parse_limit(struct statement *st, struct proxy *px, struct filter_line *line)
{
	struct limit_line *own = arena_alloc(st->cfg->arena, sizeof(*own));

	line->data = own;
	line->name = stmt_need(st, "the name of the limit");
	if (!line->name)
		return -1;
	if (limit_find(px, line->name))
		return stmt_error(st, st->at - 1, "'%s' has a limit '%s' already", px->name,
				  line->name);
	if (parse_words(st, own))
		return -1;
	if (!own->bytes)
		return stmt_error(st, st->at, "'default-limit' and how many bytes are expected");
	if (!own->period_ms)
		return stmt_error(st, st->at, "'default-period' and a time are expected");
	return 0;
}

const struct filter_kind limit_in_filter = {
	.name = "bwlim-in", .parse = parse_limit, .pool = &limit_pool, .open = limit_open,
};

const struct filter_kind limit_out_filter = {
	.name = "bwlim-out", .parse = parse_limit, .pool = &limit_pool, .open = limit_open,
	.forget = limit_forget,
};
