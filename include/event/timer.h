/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers: a heap of deadlines. They are lazy: activity only writes a time stamp; the timer
 * looks at the stamp when it fires and arms itself again. */
#ifndef EVENT_TIMER_H
#define EVENT_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
	uint64_t when; /* clock_now_ms at which it fires */
	void (*fire)(struct timer *timer);
	struct timer *prev, *next, *child; /* place in the heap; prev NULL: not armed */
};

static inline void timer_init(struct timer *timer, void (*fire)(struct timer *timer))
{
	timer->prev = NULL;
	timer->fire = fire;
}

/* Arms it, or moves it; cannot fail. Never called back from inside. */
void timer_set(struct timer *timer, uint64_t when_ms);
static inline bool timer_armed(const struct timer *timer)
{
	return timer->prev != NULL;
}
void timer_take_out(struct timer *timer); /* armed */
static inline void timer_cancel(struct timer *timer)
{
	if (timer_armed(timer))
		timer_take_out(timer);
}

/* Armed for then or sooner: for whoever looks at its own deadline when it fires. */
static inline void timer_set_by(struct timer *timer, uint64_t when_ms)
{
	if (!timer_armed(timer) || timer->when > when_ms)
		timer_set(timer, when_ms);
}

/* The earliest deadline, or UINT64_MAX. For the loop. */
uint64_t timer_next(void);
/* How many are armed. */
unsigned timer_count(void);
/* Fires all that are due; returns how many. For the loop. */
unsigned timer_run(void);
/* What the timer that fires, or was the last to, has called. */
extern void (*timer_at_hand)(struct timer *timer);

#endif
