/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers in a pairing heap: each timer is a node, so arming one needs no memory and cannot
 * fail. A node is due no later than its children; arming is O(1), taking one out O(log n) on
 * average.
 *
 * Invariants: prev of a first child is its parent, of any other its elder brother, of the root
 * `above`; prev is NULL when the timer is not armed. */
#include "event/timer.h"

#include "base/bug.h"
#include "base/clock.h"

#include <stddef.h>

static struct timer above; /* stands where the root's parent would be: above.child is the root */
static unsigned count;
void (*timer_at_hand)(struct timer *timer);

/* The later of two heaps becomes the first child of the other. Either may be NULL. */
static struct timer *timer_join(struct timer *a, struct timer *b)
{
	struct timer *swap;

	if (!a || !b)
		return a ? a : b;
	if (b->when < a->when) {
		swap = a;
		a = b;
		b = swap;
	}
	b->next = a->child;
	if (b->next)
		b->next->prev = b;
	b->prev = a;
	a->child = b;
	return a;
}

/* Brothers become one heap: joined two by two from the eldest on, then all from the last pair
 * back. */
static struct timer *timer_join_brothers(struct timer *first)
{
	struct timer *pairs = NULL, *heap = NULL, *a, *b;

	while (first) {
		a = first;
		b = a->next;
		first = b ? b->next : NULL;
		a = timer_join(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		a = pairs;
		pairs = a->next;
		heap = timer_join(heap, a);
	}
	return heap;
}

static void timer_root(struct timer *root)
{
	above.child = root;
	if (!root)
		return;
	root->prev = &above;
	root->next = NULL;
}

void timer_set(struct timer *timer, uint64_t when_ms)
{
	BUG_ON(!timer->fire);
	timer_cancel(timer);
	timer->when = when_ms;
	timer->child = NULL;
	timer_root(timer_join(above.child, timer));
	count++;
}

void timer_take_out(struct timer *timer)
{
	struct timer *below = timer_join_brothers(timer->child);

	if (timer->prev->child == timer)
		timer->prev->child = timer->next;
	else
		timer->prev->next = timer->next;
	if (timer->next)
		timer->next->prev = timer->prev;
	timer->prev = NULL;
	timer_root(timer_join(above.child, below));
	count--;
}

uint64_t timer_next(void)
{
	return above.child ? above.child->when : UINT64_MAX;
}

unsigned timer_run(void)
{
	unsigned fired = 0;
	unsigned limit = count; /* one that arms itself for now again waits for the next turn */

	while (fired < limit && above.child && above.child->when <= clock_now_ms) {
		struct timer *timer = above.child;

		timer_cancel(timer);
		fired++;
		timer_at_hand = timer->fire; /* the timer may be gone behind it */
		timer->fire(timer);
	}
	return fired;
}

unsigned timer_count(void)
{
	return count;
}
