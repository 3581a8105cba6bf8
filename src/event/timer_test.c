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

/* Set, moved and cancelled at random, against a list that is searched. */
static void agrees_with_a_list(void **state)
{
	static struct probe probes[200];
	unsigned i, round;

	(void)state;
	clock_freeze(100000);
	last_when = 0;
	srand(11);
	for (i = 0; i < 200; i++)
		timer_init(&probes[i].timer, probe_fire);
	for (round = 0; round < 20000; round++) {
		struct probe *p = &probes[rand() % 200];
		uint64_t earliest = UINT64_MAX;
		unsigned armed = 0;

		if (rand() % 3)
			timer_set(&p->timer, clock_now_ms + 1 + (uint64_t)rand() % 500);
		else
			timer_cancel(&p->timer);
		for (i = 0; i < 200; i++) {
			armed += timer_armed(&probes[i].timer);
			if (timer_armed(&probes[i].timer) && probes[i].timer.when < earliest)
				earliest = probes[i].timer.when;
		}
		assert_int_equal(timer_next(), earliest);
		assert_int_equal(timer_count(), armed);
		if (rand() % 8)
			continue;
		clock_advance(1 + (unsigned)rand() % 20);
		last_when = 0;
		timer_run();
	}
	for (i = 0; i < 200; i++)
		timer_cancel(&probes[i].timer);
	assert_int_equal(timer_next(), UINT64_MAX);
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
		cmocka_unit_test(agrees_with_a_list),
		cmocka_unit_test(rearming_for_now_waits_for_the_next_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
