/* SPDX-License-Identifier: BSD-2-Clause */
/* The cached clocks. The monotonic one drives every timer; the wall clock only labels. */
#include "base/clock.h"

#include <stdbool.h>
#include <time.h>

uint64_t clock_now_ms = 1;
static bool frozen;
static struct timeval wall; /* of this turn; tv_sec 0: nobody has asked yet */

void clock_update(void)
{
	struct timespec ts;

	wall.tv_sec = 0;
	if (frozen)
		return;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	clock_now_ms = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000 + 1;
}

uint64_t clock_read_ms(void)
{
	return frozen ? clock_now_ms : clock_read_us() / 1000 + 1;
}

struct timeval clock_wall(void)
{
	if (!wall.tv_sec)
		gettimeofday(&wall, NULL);
	return wall;
}

uint64_t clock_read_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

void clock_freeze(uint64_t ms)
{
	frozen = true;
	clock_now_ms = ms;
}

void clock_advance(uint64_t ms)
{
	clock_now_ms += ms;
}
