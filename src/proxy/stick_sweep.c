/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes what has expired out of stick tables, in the one process that does so for all (that which
 * checks servers). What has expired is found by nobody meanwhile; this gives its memory back.
 *
 * Each table is gone through when its earliest entry may have expired, at most once a second. A
 * millisecond has one turn, of some 60 us whatever the number of tables, so that traffic beside does
 * not feel it: pieces of 10 to 20 us, from where the turn before has ended.
 */
#include "proxy/stick_conf.h"

#include "base/clock.h"
#include "event/timer.h"
#include "proxy/facts.h"

enum { PLACES = 2048, REMOVALS = 32, TURN_US = 60, PAUSE_MS = 1, PASS_MS = 1000 };

static struct timer timer;
static const struct list *at; /* the line at hand; the head of the list is none */

/* A piece of the table, if there is one. When the next is due; now: something is left. */
static uint64_t sweep_piece(const struct list *node)
{
	struct stick_table *t;
	uint64_t due;

	if (node == &stick_running->lines)
		return UINT64_MAX;
	t = list_entry(node, struct stick_line, node)->table;
	due = stick_sweep_due(t);
	if (due && due <= clock_now_ms && stick_sweep(t, PLACES, REMOVALS))
		return clock_now_ms;
	due = stick_sweep_due(t);
	return due ? due : UINT64_MAX;
}

/* Piece by piece, until all tables have had theirs or the time is over. When to go on. */
static uint64_t sweep_tables(void)
{
	uint64_t end = clock_read_us() + TURN_US, next = clock_now_ms + PASS_MS, due;
	const struct list *begin = at;

	do {
		while ((due = sweep_piece(at)) <= clock_now_ms)
			if (clock_read_us() >= end)
				return clock_now_ms + PAUSE_MS;
		if (due < next)
			next = due;
		at = at->next;
		if (clock_read_us() >= end)
			return clock_now_ms + PAUSE_MS;
	} while (at != begin);
	return next;
}

static void sweep(struct timer *fired)
{
	timer_set(fired, facts_checker.here ? sweep_tables() : clock_now_ms + PASS_MS);
}

void stick_sweep_start(void)
{
	at = &stick_running->lines;
	timer_cancel(&timer);
	timer_init(&timer, sweep);
	timer_set(&timer, clock_now_ms + PASS_MS);
}
