/* SPDX-License-Identifier: BSD-2-Clause */
/* When to let the loop rest. Who splices is done with a piece long before the next one comes, and
 * falls asleep: then every piece wakes the process again, which costs its sender (on the same
 * machine) more than the piece does, and us a turn. While large transfers make up the work, what
 * comes within a fraction of a millisecond is taken together instead. Called by the pump alone.
 *
 * Judged anew every so many events: enough bytes for them, which says that few are there who
 * exchange small messages and would wait for us; and enough for the time. The loop does not rest
 * while anything is ready, so a process without idle time never does. */
#include "relay/rest.h"

#include "base/bug.h"
#include "base/clock.h"
#include "event/loop.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	REST_US = 50,                /* the kernel adds its timer slack, 50 */
	REST_MANY_US = 150,          /* no client waits for just this: there are others */
	REST_MS = 10,                /* after the last piece it is over; others may have the
				      * processor for some of that */
	REST_EVENTS = 64,            /* from one judgement to the next */
	REST_BYTES_AN_EVENT = 64 << 10,
	REST_BYTES_A_MS = 256 << 10, /* 2 Gbit/s */
};

/* Since the last judgement; events as the loop counts them. */
static struct {
	uint64_t bytes, events, ms;
	unsigned pieces, changes; /* of these, of another than the piece before */
	const void *last;         /* only compared */
	unsigned us;              /* to rest; 0: not at all */
} rest;

static void rest_judge(uint64_t events)
{
	uint64_t ms = clock_now_ms - rest.ms;
	bool many = rest.changes > rest.pieces / 2;

	rest.us = 0;
	if (rest.bytes >= REST_BYTES_AN_EVENT * events && rest.bytes >= REST_BYTES_A_MS * ms)
		rest.us = many ? REST_MANY_US : REST_US;
	if (!rest.us)
		loop_rest(0, 0);
	rest.bytes = 0;
	rest.pieces = rest.changes = 0;
	rest.events = loop_stats.events;
	rest.ms = clock_now_ms;
}

void rest_moved(const void *who, size_t bytes)
{
	uint64_t events = loop_stats.events - rest.events;

	rest.bytes += bytes;
	rest.pieces++;
	rest.changes += who != rest.last;
	rest.last = who;
	if (unlikely(events >= REST_EVENTS))
		rest_judge(events);
	if (rest.us)
		loop_rest(rest.us, clock_now_ms + REST_MS);
}
