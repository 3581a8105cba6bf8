/* SPDX-License-Identifier: BSD-2-Clause */
/* Events a second, over the last one to two seconds (sliding). */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include "base/bug.h"

#include <stdint.h>

struct rate {
	uint64_t period_start; /* ms; start of the current second */
	uint64_t current, previous;
	uint64_t max;          /* highest full second or sliding value seen */
	uint64_t top;          /* of several processes together: for rate_risen */
};

/* Installed by upper layers, may be NULL: rate->max was lower before, and was raised. */
extern void (*rate_risen)(struct rate *rate, uint64_t before);

enum { RATE_PERIOD_MS = 1000 };
void rate_turn(struct rate *rate, uint64_t now_ms);      /* the current second is over */
void rate_raise_max(struct rate *rate, uint64_t now); /* now is above it */
/* Notes n events at time now_ms. Returns the rate after them. */
static inline uint64_t rate_add(struct rate *rate, uint64_t now_ms, uint64_t n)
{
	uint64_t now;

	if (unlikely(now_ms - rate->period_start >= RATE_PERIOD_MS))
		rate_turn(rate, now_ms);
	rate->current += n;
	now = rate->current + rate->previous * (RATE_PERIOD_MS - (now_ms - rate->period_start)) /
			      RATE_PERIOD_MS;
	if (unlikely(now > rate->max))
		rate_raise_max(rate, now);
	return now;
}
/* Forgets the highest rates, for "clear counters". */
void rate_clear_max(struct rate *rate);
/* The rate now, without adding. now_ms may be older than what was added last. */
uint64_t rate_read(const struct rate *rate, uint64_t now_ms);
/* How many more events may come now without exceeding limit a second. */
uint64_t rate_room(const struct rate *rate, uint64_t now_ms, uint64_t limit);
/* Milliseconds until one more event fits below the limit (0: now). */
unsigned rate_wait(const struct rate *rate, uint64_t now_ms, uint64_t limit);

#endif
