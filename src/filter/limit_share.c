/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of one stream in a limit that streams share. Each gets as much as the others, and what
 * others have left: that is known when the stream has seen a whole period. Nobody keeps a list of
 * streams: those of an entry are its pins. */
#include "filter/limit_share.h"

#include "base/clock.h"
#include "proxy/stick_conf.h"

bool limit_share_begin(struct limit_share *share, const struct stick_line *line,
		       enum stick_data what, size_t bytes, struct span key)
{
	struct stick_entry *e = stick_take(line->table, key, NULL);

	if (!e)
		return false;
	stick_touch(line->table, e);
	*share = (struct limit_share){
		.table = line->table, .entry = e, .hold = stick_hold(line->table, e, false),
		.what = what, .bytes = (double)bytes,
		.period_ms = (double)line->def.columns[what].period,
		.since_ms = clock_now_ms, .begin_ms = clock_now_ms,
	};
	return true;
}

void limit_share_end(struct limit_share *share)
{
	if (!share->entry)
		return;
	stick_touch(share->table, share->entry);
	stick_unhold(share->table, share->entry, share->hold, false);
	share->entry = NULL;
}

static double total(const struct limit_share *share)
{
	return (double)stick_value(share->table, share->entry, share->what, 0);
}

static void turn(struct limit_share *share)
{
	double age = (double)(clock_now_ms - share->begin_ms);

	if (age < share->period_ms)
		return;
	share->before = age < 2 * share->period_ms ? share->now : 0;
	share->now = 0;
	share->begin_ms = age < 2 * share->period_ms ? share->begin_ms + (uint64_t)share->period_ms :
						       clock_now_ms;
}

/* Over the last period, as the table counts. */
static double own_rate(struct limit_share *share)
{
	double left;

	turn(share);
	left = share->period_ms - (double)(clock_now_ms - share->begin_ms);
	return (double)share->now + (double)share->before * left / share->period_ms;
}

/* What each may have in a period, whatever the others do. */
static double fair_part(const struct limit_share *share)
{
	return share->bytes / (1 + stick_uses(share->entry));
}

bool limit_share_full(struct limit_share *share)
{
	return total(share) >= share->bytes && own_rate(share) >= fair_part(share);
}

double limit_share_rate(struct limit_share *share)
{
	double fair = fair_part(share), left;

	if ((double)(clock_now_ms - share->since_ms) < share->period_ms)
		return fair / share->period_ms;
	left = share->bytes - total(share) + own_rate(share);
	return (left > fair ? left : fair) / share->period_ms;
}

void limit_share_passed(struct limit_share *share, uint64_t bytes)
{
	turn(share);
	share->now += bytes;
	stick_add(share->table, share->entry, share->what, 0, bytes);
	stick_touch(share->table, share->entry);
}
