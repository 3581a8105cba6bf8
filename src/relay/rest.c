/* SPDX-License-Identifier: BSD-2-Clause */
/* When to let the loop rest. Who splices is done with a piece long before the next one comes, and
 * falls asleep: then every piece wakes the process again, which costs its sender (on the same
 * machine) more than the piece does, and us a turn. While large transfers make up the work, what
 * comes within a tenth of a millisecond is taken together instead. Called by the pump alone.
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
	REST_MS = 2,                 /* after the last piece it is over */
	REST_EVENTS = 64,            /* from one judgement to the next */
	REST_BYTES_AN_EVENT = 64 << 10,
	REST_BYTES_A_MS = 256 << 10, /* 2 Gbit/s */
};

/* Since the last judgement; events as the loop counts them. */
static struct {
	uint64_t bytes, events, ms;
	bool on;
} rest;

static void rest_judge(uint64_t events)
{
	uint64_t ms = clock_now_ms - rest.ms;

	rest.on = rest.bytes >= REST_BYTES_AN_EVENT * events && rest.bytes >= REST_BYTES_A_MS * ms;
	rest.bytes = 0;
	rest.events = loop_stats.events;
	rest.ms = clock_now_ms;
}

void rest_moved(size_t bytes)
{
	uint64_t events = loop_stats.events - rest.events;

	rest.bytes += bytes;
	if (unlikely(events >= REST_EVENTS))
		rest_judge(events);
	if (rest.on)
		loop_rest(REST_US, clock_now_ms + REST_MS);
}
