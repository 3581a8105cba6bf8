/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events a second: those of the current second, and of the previous one the share that still
 * lies within the last 1000 ms.
 */
#include "base/rate.h"

void (*rate_risen)(struct rate *rate, uint64_t before);

/* The two counts as they stand at now_ms. */
static void rate_counts(const struct rate *rate, uint64_t now_ms, uint64_t *start,
			uint64_t *current, uint64_t *previous)
{
	uint64_t age = now_ms - rate->period_start;

	*start = rate->period_start;
	*current = rate->current;
	*previous = rate->previous;
	if (age < RATE_PERIOD_MS)
		return;
	*previous = age < 2 * RATE_PERIOD_MS ? rate->current : 0;
	*current = 0;
	*start = now_ms - age % RATE_PERIOD_MS;
}

static uint64_t sliding(uint64_t start, uint64_t current, uint64_t previous, uint64_t now_ms)
{
	return current + previous * (RATE_PERIOD_MS - (now_ms - start)) / RATE_PERIOD_MS;
}

uint64_t rate_read(const struct rate *rate, uint64_t now_ms)
{
	uint64_t start, current, previous;

	if (now_ms < rate->period_start) /* of another process */
		now_ms = rate->period_start;
	rate_counts(rate, now_ms, &start, &current, &previous);
	return sliding(start, current, previous, now_ms);
}

void rate_turn(struct rate *rate, uint64_t now_ms)
{
	rate_counts(rate, now_ms, &rate->period_start, &rate->current, &rate->previous);
}

void rate_raise_max(struct rate *rate, uint64_t now)
{
	uint64_t before = rate->max;

	rate->max = now;
	if (rate_risen)
		rate_risen(rate, before);
}

void rate_clear_max(struct rate *rate)
{
	rate->max = rate->top = 0;
}

uint64_t rate_room(const struct rate *rate, uint64_t now_ms, uint64_t limit)
{
	uint64_t now = rate_read(rate, now_ms);

	return now < limit ? limit - now : 0;
}

unsigned rate_wait(const struct rate *rate, uint64_t now_ms, uint64_t limit)
{
	uint64_t start, current, previous, left, wait = 0;

	if (!limit)
		return RATE_PERIOD_MS;
	rate_counts(rate, now_ms, &start, &current, &previous);
	if (sliding(start, current, previous, now_ms) < limit)
		return 0;
	left = RATE_PERIOD_MS - (now_ms - start);
	if (current >= limit) {
		/* Only the next second brings room, when enough of this one has left. */
		wait = left;
		left = RATE_PERIOD_MS;
		previous = current;
		current = 0;
	}
	/* previous * left / 1000 must fall below limit - current. */
	return (unsigned)(wait + left - ((limit - current) * RATE_PERIOD_MS - 1) / previous);
}
