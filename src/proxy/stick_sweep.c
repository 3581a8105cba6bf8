/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes what has expired out of stick tables, in the one process that does so for all (that which
 * checks servers). What has expired is found by nobody meanwhile; this gives its memory back.
 *
 * Each table is gone through when its earliest entry may have expired, at most once a second; in
 * pieces of some 50 us, one a millisecond, so that traffic beside does not feel it.
 */
#include "proxy/stick_conf.h"

#include "base/clock.h"
#include "event/timer.h"
#include "proxy/facts.h"

enum { PLACES = 8192, REMOVALS = 128, PAUSE_MS = 1, PASS_MS = 1000 };

static struct timer timer;

/* Of the table: something is left to be done now. *next: when the table is to be looked at again. */
static bool sweep_one(struct stick_table *t, uint64_t *next)
{
	uint64_t due = stick_sweep_due(t);

	if (!due)
		return false;
	if (due <= clock_now_ms && stick_sweep(t, PLACES, REMOVALS))
		return true;
	due = stick_sweep_due(t);
	if (due < *next)
		*next = due;
	return false;
}

static void sweep(struct timer *fired)
{
	uint64_t next = clock_now_ms + PASS_MS;
	const struct stick_line *line;

	if (facts_checker)
		list_for_each(line, &stick_running->lines, node)
			if (sweep_one(line->table, &next))
				next = clock_now_ms + PAUSE_MS;
	timer_set(fired, next);
}

void stick_sweep_start(void)
{
	timer_cancel(&timer);
	timer_init(&timer, sweep);
	timer_set(&timer, clock_now_ms + PASS_MS);
}
