/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Those that wait in other processes. A freed slot is not handed over: the process with the one who
 * is to be served first is woken, and takes it. Whoever holds back for another one relies on it: so
 * it looks after a while whether that process has moved since; one that has not is left out of
 * account until it does.
 */
#include "queue/waiters.h"

#include "base/clock.h"
#include "event/timer.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "tally/tally.h"

enum { CLASS_SHIFT = 44, CLASS_OFFSET = 1 << 16 };

unsigned waiters_patience_ms = 500;
void (*waiters_lost_patience)(void);

static struct {
	uint64_t asked; /* turns + 1 when it was woken; 0: nobody waits for it */
	uint64_t still; /* turns + 1 at which it hangs; 0: it does not */
} peers[SEGMENT_ROWS_MOST];
static struct timer patience;

uint64_t waiter_key(int priority_class, uint64_t due_ms)
{
	const uint64_t most = (UINT64_C(1) << CLASS_SHIFT) - 1;

	/* An offset may lead to before the start of the clock. */
	return (uint64_t)(priority_class + CLASS_OFFSET) << CLASS_SHIFT |
	       (due_ms > most ? 1 : due_ms);
}

static const uint64_t *of_row(const uint64_t *own, unsigned row)
{
	return segment_sibling(own, segment_own_row, row);
}

void waiters_show(const struct proxy *px, const struct server *s, uint64_t key)
{
	if (tally_shared)
		__atomic_store_n(s ? &s->tally->first_waiter : &px->be->first_waiter, key,
				 __ATOMIC_SEQ_CST);
}

static uint64_t first_in_row(const struct server *s, bool backend, unsigned row)
{
	uint64_t own = __atomic_load_n(of_row(&s->tally->first_waiter, row), __ATOMIC_SEQ_CST);
	uint64_t any = backend ? __atomic_load_n(of_row(&s->proxy->be->first_waiter, row),
						 __ATOMIC_SEQ_CST) : 0;

	if (!own || !any)
		return own ? own : any;
	return own < any ? own : any;
}

static uint64_t turns_of(unsigned row)
{
	return atomic_load_explicit(&segment_row(segment, row)->pulse.turns, memory_order_relaxed);
}

static bool hangs(unsigned row)
{
	return peers[row].still && peers[row].still == turns_of(row) + 1;
}

static void patience_is_over(struct timer *timer)
{
	unsigned row;

	(void)timer;
	for (row = 0; row < segment_rows(segment); row++) {
		if (peers[row].asked == turns_of(row) + 1)
			peers[row].still = peers[row].asked;
		peers[row].asked = 0;
	}
	if (waiters_lost_patience)
		waiters_lost_patience();
}

static void ask(unsigned row)
{
	if (!peers[row].asked)
		peers[row].asked = turns_of(row) + 1;
	segment_wake(segment, row);
	if (!patience.fire)
		timer_init(&patience, patience_is_over);
	if (!timer_armed(&patience))
		timer_set(&patience, clock_now_ms + waiters_patience_ms);
}

static unsigned gauge_of_row(const unsigned *own, unsigned row)
{
	return __atomic_load_n((const unsigned *)segment_sibling(own, segment_own_row, row),
			       __ATOMIC_SEQ_CST);
}

void waiters_call_keepers(const struct server *s)
{
	unsigned row, rows = segment_rows(segment);

	for (row = 1; row < rows; row++)
		if (row != segment_own_row &&
		    gauge_of_row(&s->tally->taken, row) > gauge_of_row(&s->tally->current, row))
			segment_wake(segment, row);
}

bool waiters_before(const struct server *s, bool backend, uint64_t key)
{
	unsigned row, best = 0, rows = segment_rows(segment);
	uint64_t least = key, first;

	for (row = 1; row < rows; row++) {
		if (row == segment_own_row)
			continue;
		first = first_in_row(s, backend, row);
		/* Of equal ones the lower row comes first. */
		if (!first || first > least || (first == least && (best || row > segment_own_row)))
			continue;
		if (hangs(row)) {
			segment_wake(segment, row); /* but it is not waited for */
			continue;
		}
		least = first;
		best = row;
	}
	if (best)
		ask(best);
	return best != 0;
}
