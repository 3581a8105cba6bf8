/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done before the process falls asleep: spinning, giving way, resting. The poller and the
 * processor's other users are the test's own, and so are the clocks. */
#include "event/poller.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sys/epoll.h>

enum { SPIN = 300 };

static struct epoll_event events[4];
static int polls, first_timeout, last_timeout;
static int ready_at; /* the poll that finds an event; 0: none does */
static unsigned yield_us, yields, kept_us;
static uint64_t now_us;

static int test_wait(struct epoll_event *ev, int max, int timeout_ms)
{
	assert_ptr_equal(ev, events);
	assert_int_equal(max, 4);
	last_timeout = timeout_ms;
	if (!polls++)
		first_timeout = timeout_ms;
	return polls == ready_at;
}

static unsigned test_yielder(void)
{
	yields++;
	now_us += kept_us;
	return yield_us;
}

static uint64_t test_clock(void)
{
	return now_us;
}

/* The number of polls, if the event comes with that one. */
static int waits(int timeout_ms, int event_at)
{
	polls = 0;
	yields = 0;
	ready_at = event_at;
	assert_int_equal(poller_wait(events, 4, timeout_ms), event_at > 0);
	return polls;
}

static void sleeps_at_once(void **state)
{
	(void)state;
	assert_int_equal(waits(-1, 0), 1);
	assert_int_equal(last_timeout, -1);
	assert_int_equal(waits(7, 1), 1);
	assert_int_equal(last_timeout, 7);
	assert_int_equal(yields, 0);
}

/* Only when nothing is ready, and only until then. */
static void rests_before_it_sleeps(void **state)
{
	uint64_t rests = poller_stats.rests;

	(void)state;
	poller_rest(10, true, 2001);
	assert_int_equal(waits(-1, 0), 2);
	assert_int_equal(first_timeout, 0);
	assert_int_equal(last_timeout, -1);
	assert_int_equal(poller_stats.rests - rests, 1);
	assert_int_equal(waits(-1, 1), 1);
	assert_int_equal(waits(0, 0), 1); /* something else is to be done */
	clock_advance(2);
	assert_int_equal(waits(-1, 0), 1);
	assert_int_equal(poller_stats.rests - rests, 1);
}

/* Whoever takes the processor may send something: that is looked at before the rest. */
static void gives_way_before_it_rests(void **state)
{
	uint64_t rests = poller_stats.rests, counted = poller_stats.yields;

	(void)state;
	poller_rest(10, true, 5000);
	yield_us = 3000;
	assert_int_equal(waits(-1, 0), 6);
	assert_int_equal(yields, 4);
	assert_int_equal(poller_stats.yields - counted, 4);
	assert_int_equal(poller_stats.rests - rests, 1);
	yield_us = 0; /* nobody wanted it */
	assert_int_equal(waits(-1, 0), 2);
	assert_int_equal(yields, 1);
	assert_int_equal(poller_stats.yields - counted, 4);
	assert_int_equal(poller_stats.rests - rests, 2);
}

/* Others who keep it for long are not asked again soon. */
static void gives_no_way_to_a_crowd(void **state)
{
	(void)state;
	poller_rest(10, true, 20000);
	yield_us = 20000;
	waits(-1, 0);
	assert_int_equal(yields, 1);
	waits(-1, 0);
	assert_int_equal(yields, 0);
	clock_advance(100);
	waits(-1, 0);
	assert_int_equal(yields, 0);
	clock_advance(50);
	yield_us = 0;
	waits(-1, 0);
	assert_int_equal(yields, 1);
	clock_advance(20000);
	waits(-1, 0);
	assert_int_equal(yields, 0);
}

/* Offering the processor between two questions; it ends with an event, or with the time. */
static void spins_before_it_sleeps(void **state)
{
	uint64_t spins = poller_stats.spins, met = poller_stats.spins_met;

	(void)state;
	poller_spin(3000, false);
	assert_int_equal(waits(-1, 0), 32);
	assert_int_equal(yields, 30);
	assert_int_equal(first_timeout, 0);
	assert_int_equal(last_timeout, -1);
	assert_int_equal(waits(1, 0), 12); /* no longer than until something is due */
	assert_int_equal(last_timeout, 1);
	assert_int_equal(poller_stats.spins - spins, 2);
	assert_int_equal(poller_stats.spins_met - met, 0);
	assert_int_equal(waits(-1, 1), 1); /* what is there is no wait */
	assert_int_equal(poller_stats.spins - spins, 2);
	assert_int_equal(waits(-1, 2), 2);
	assert_int_equal(last_timeout, 0);
	assert_int_equal(poller_stats.spins - spins, 3);
	assert_int_equal(poller_stats.spins_met - met, 1);
	poller_rest(10, true, UINT64_MAX); /* what the file says comes first */
	assert_int_equal(waits(-1, 2), 2);
	for (int i = 0; i < 40; i++)
		assert_int_equal(waits(-1, 0), 32); /* and for good */
}

/* n waits, so many of which end in time. */
static void spin_so_often(int n, int met)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(waits(-1, i < met ? 2 : 0), i < met ? 2 : 2 + SPIN / 100);
}

static void sleeps_at_once_for(uint64_t ms)
{
	clock_advance(ms - 1);
	assert_int_equal(waits(-1, 0), 1);
	clock_advance(1);
}

static void spins_as_long_as_it_pays(void **state)
{
	(void)state;
	poller_spin(SPIN, true);
	spin_so_often(16, 8);
	spin_so_often(16, 7); /* it does not any more */
	sleeps_at_once_for(50);
	spin_so_often(16, 7);
	sleeps_at_once_for(100); /* still not */
	spin_so_often(16, 7);
	sleeps_at_once_for(200);
	spin_so_often(16, 16); /* it does again */
	spin_so_often(16, 0);
	sleeps_at_once_for(50);
}

/* Nobody waits for those who come later than most. */
static void spins_for_as_long_as_most_take(void **state)
{
	(void)state;
	poller_spin(10 * SPIN, true);
	kept_us = 20;
	for (int i = 0; i < 16; i++)
		assert_int_equal(waits(-1, 3), 3); /* after 40 us */
	assert_int_equal(waits(-1, 0), 2 + 120 / 20);
	kept_us = 1;
	for (int i = 0; i < 15; i++)
		assert_int_equal(waits(-1, 2), 2); /* after 1 */
	assert_int_equal(waits(-1, 0), 2 + 10);
	for (int i = 0; i < 15; i++)
		assert_int_equal(waits(-1, 10), 10); /* after 9: longer again */
	assert_int_equal(waits(-1, 0), 2 + 27);
	for (int i = 0; i < 15; i++)
		waits(-1, 0);
	assert_int_equal(waits(-1, 0), 1);
	clock_advance(50);
	kept_us = 100; /* and as at first */
	assert_int_equal(waits(-1, 0), 2 + SPIN / 10);
}

static void never_sleeps_at_once_for_more_than_a_second(void **state)
{
	(void)state;
	poller_spin(SPIN, true);
	for (int ms = 50; ms <= 400; ms *= 2) {
		spin_so_often(16, 0);
		sleeps_at_once_for((uint64_t)ms);
	}
	spin_so_often(16, 0);
	sleeps_at_once_for(800);
	for (int i = 0; i < 3; i++) {
		spin_so_often(16, 0);
		sleeps_at_once_for(1000);
	}
}

/* Who has to wait for the processor would be preferred when an event woke him. */
static void does_not_spin_in_a_crowd(void **state)
{
	(void)state;
	poller_spin(SPIN, true);
	kept_us = 2000;
	assert_int_equal(waits(-1, 2), 2);
	sleeps_at_once_for(50);
	kept_us = 100;
	spin_so_often(16, 8);
}

/* Time that it did not have the processor was not spent. */
static void counts_its_own_time(void **state)
{
	uint64_t spun = poller_stats.spun_us;

	(void)state;
	poller_spin(SPIN, true);
	waits(-1, 3);
	assert_int_equal(poller_stats.spun_us - spun, 200);
	kept_us = 5000000; /* as if a signal had stopped it */
	waits(-1, 2);
	assert_int_equal(poller_stats.spun_us - spun, 200 + SPIN);
	clock_advance(50);
	yield_us = kept_us = 1000; /* others had it */
	waits(-1, 2);
	assert_int_equal(poller_stats.spun_us - spun, 200 + SPIN);
}

static void does_not_spin_beside_large_transfers(void **state)
{
	(void)state;
	poller_spin(SPIN, true);
	poller_rest(0, false, clock_now_ms + 10);
	assert_int_equal(waits(-1, 0), 1);
	clock_advance(10);
	assert_int_equal(waits(-1, 0), 1);
	clock_advance(1);
	assert_int_equal(waits(-1, 0), 2 + SPIN / 100);
}

static int afresh(void **state)
{
	(void)state;
	clock_freeze(2000);
	yield_us = 0;
	kept_us = 100;
	poller_spin(0, false);
	poller_rest(0, false, 0);
	poller_set_processor(test_yielder, test_clock);
	poller_set_wait(test_wait);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sleeps_at_once, afresh),
		cmocka_unit_test_setup(rests_before_it_sleeps, afresh),
		cmocka_unit_test_setup(gives_way_before_it_rests, afresh),
		cmocka_unit_test_setup(gives_no_way_to_a_crowd, afresh),
		cmocka_unit_test_setup(spins_before_it_sleeps, afresh),
		cmocka_unit_test_setup(spins_as_long_as_it_pays, afresh),
		cmocka_unit_test_setup(spins_for_as_long_as_most_take, afresh),
		cmocka_unit_test_setup(never_sleeps_at_once_for_more_than_a_second, afresh),
		cmocka_unit_test_setup(does_not_spin_in_a_crowd, afresh),
		cmocka_unit_test_setup(counts_its_own_time, afresh),
		cmocka_unit_test_setup(does_not_spin_beside_large_transfers, afresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
