/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers in a heap of four children a node: an armed timer costs 16 bytes there. */
#include "event/timer.h"

#include "base/bug.h"
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

struct slot {
	uint64_t when;
	struct timer *timer;
};

static struct slot *heap; /* heap[1] is the earliest; heap[0] is not used */
static uint32_t count, size;

static void timer_put(uint32_t i, struct slot slot)
{
	heap[i] = slot;
	slot.timer->index = i;
}

static uint32_t timer_parent(uint32_t i)
{
	return (i + 2) / 4;
}

static void timer_up(uint32_t i, struct slot slot)
{
	while (i > 1 && heap[timer_parent(i)].when > slot.when) {
		timer_put(i, heap[timer_parent(i)]);
		i = timer_parent(i);
	}
	timer_put(i, slot);
}

static void timer_down(uint32_t i, struct slot slot)
{
	uint32_t child, c, last;

	for (;;) {
		c = 4 * i - 2;
		if (c > count)
			break;
		last = c + 3 < count ? c + 3 : count;
		for (child = c; c <= last; c++)
			if (heap[c].when < heap[child].when)
				child = c;
		if (heap[child].when >= slot.when)
			break;
		timer_put(i, heap[child]);
		i = child;
	}
	timer_put(i, slot);
}

static void timer_grow(void)
{
	if (count + 1 < size)
		return;
	size = size ? size * 2 : 64;
	heap = realloc(heap, size * sizeof(*heap));
	BUG_ON(!heap);
}

void timer_set(struct timer *timer, uint64_t when_ms)
{
	struct slot slot = { .when = when_ms, .timer = timer };
	uint64_t old = timer->when;

	BUG_ON(!timer->fire);
	timer->when = when_ms;
	if (!timer->index) {
		timer_grow();
		timer_up(++count, slot);
	} else if (when_ms < old) {
		timer_up(timer->index, slot);
	} else {
		timer_down(timer->index, slot);
	}
}

void timer_cancel(struct timer *timer)
{
	uint32_t i = timer->index;
	struct slot last;

	if (!i)
		return;
	timer->index = 0;
	last = heap[count--];
	if (last.timer == timer)
		return;
	if (i > 1 && heap[timer_parent(i)].when > last.when)
		timer_up(i, last);
	else
		timer_down(i, last);
}

uint64_t timer_next(void)
{
	return count ? heap[1].when : UINT64_MAX;
}

unsigned timer_run(void)
{
	unsigned fired = 0;
	uint32_t limit = count; /* one that arms itself for now again waits for the next turn */

	while (fired < limit && count && heap[1].when <= clock_now_ms) {
		struct timer *timer = heap[1].timer;

		timer_cancel(timer);
		fired++;
		timer->fire(timer);
	}
	return fired;
}

unsigned timer_count(void)
{
	return count;
}
