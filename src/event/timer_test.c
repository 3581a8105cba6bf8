/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers: order, moving, cancelling, re-arming inside, with a clock that stands still. */
#include "event/timer.h"

#include "base/bug.h"
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>

enum { MANY = 2000 };

struct probe {
	struct timer timer;
	unsigned fired;
	uint64_t at;
};

static uint64_t last_when;

static void probe_fire(struct timer *timer)
{
	struct probe *p = container_of(timer, struct probe, timer);

	assert_true(timer->when <= clock_now_ms);
	assert_true(timer->when >= last_when);
	last_when = timer->when;
	p->fired++;
	p->at = clock_now_ms;
}

static void fire_in_order(void **state)
{
	static struct probe probes[MANY];
	unsigned i, fired = 0;

	(void)state;
	clock_freeze(1000);
	last_when = 0;
	srand(7);
	for (i = 0; i < MANY; i++) {
		timer_init(&probes[i].timer, probe_fire);
		timer_set(&probes[i].timer, 1000 + (uint64_t)rand() % 5000);
	}
	for (i = 0; i < MANY; i += 3)
		timer_set(&probes[i].timer, 1000 + (uint64_t)rand() % 5000);
	for (i = 0; i < MANY; i += 5)
		timer_cancel(&probes[i].timer);
	while (timer_next() != UINT64_MAX) {
		clock_advance(1);
		fired += timer_run();
	}
	assert_int_equal(fired, MANY - MANY / 5);
	for (i = 0; i < MANY; i++)
		assert_int_equal(probes[i].fired, i % 5 ? 1 : 0);
}

static struct probe again;
static unsigned rounds;

static void rearm(struct timer *timer)
{
	rounds++;
	timer_set(timer, clock_now_ms);
}

/* One that arms itself for the past must not keep the loop from polling. */
static void rearming_for_now_waits_for_the_next_turn(void **state)
{
	(void)state;
	clock_freeze(5000);
	timer_init(&again.timer, rearm);
	timer_set(&again.timer, 4000);
	assert_int_equal(timer_run(), 1);
	assert_int_equal(rounds, 1);
	assert_true(timer_armed(&again.timer));
	timer_cancel(&again.timer);
	assert_int_equal(timer_next(), UINT64_MAX);
	timer_cancel(&again.timer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fire_in_order),
		cmocka_unit_test(rearming_for_now_waits_for_the_next_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
