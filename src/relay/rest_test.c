/* SPDX-License-Identifier: BSD-2-Clause */
/* When the loop rests: large pieces in quick succession, and nothing else. */
#include "relay/rest.h"

#include "base/clock.h"
#include "event/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sys/epoll.h>

enum { LARGE = 128 << 10, SMALL = 16 << 10, EVENTS = 640 };

static int nothing_ready(struct epoll_event *events, int max, int timeout_ms)
{
	(void)events;
	(void)max;
	(void)timeout_ms;
	return 0;
}

static unsigned nobody_there(void)
{
	return 0;
}

static const char stream[16];

/* So many events, each with a piece, then a turn in which nothing is ready: does it rest? */
static bool rests_after(size_t piece, unsigned events_a_ms)
{
	uint64_t before;
	unsigned i;

	for (i = 1; i <= EVENTS; i++) {
		loop_stats.events++;
		if (piece)
			rest_moved(&stream[i % 16], piece);
		if (i % events_a_ms == 0)
			clock_advance(1);
	}
	before = loop_stats.rests;
	loop_turn(-1);
	return loop_stats.rests > before;
}

static void rests_between_large_pieces(void **state)
{
	(void)state;
	assert_true(rests_after(LARGE, 10));
	assert_true(rests_after(LARGE, 10));
}

static void ends_with_the_pieces(void **state)
{
	uint64_t before;

	(void)state;
	assert_true(rests_after(LARGE, 10));
	clock_advance(11);
	before = loop_stats.rests;
	loop_turn(-1);
	assert_int_equal(loop_stats.rests, before);
}

static void never_when_a_task_waits(void **state)
{
	uint64_t before;

	(void)state;
	assert_true(rests_after(LARGE, 10));
	before = loop_stats.rests;
	loop_turn(0); /* as with a task: the poller is not to wait */
	assert_int_equal(loop_stats.rests, before);
}

static void never_between_small_pieces(void **state)
{
	(void)state;
	assert_true(rests_after(LARGE, 10));
	assert_false(rests_after(SMALL, 100));
}

/* A large transfer beside many small exchanges. */
static void never_beside_small_exchanges(void **state)
{
	unsigned i;

	(void)state;
	assert_true(rests_after(LARGE, 10));
	for (i = 0; i < EVENTS; i++) {
		loop_stats.events += 10;
		rest_moved(stream, LARGE);
	}
	assert_false(rests_after(0, 1000));
}

static void never_when_they_are_slow(void **state)
{
	(void)state;
	assert_false(rests_after(LARGE, 1));
}

static int setup(void **state)
{
	(void)state;
	clock_freeze(1000);
	loop_set_poller(nothing_ready);
	loop_set_yielder(nobody_there);
	return loop_init(8);
}

static int teardown(void **state)
{
	(void)state;
	loop_set_poller(NULL);
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rests_between_large_pieces),
		cmocka_unit_test(ends_with_the_pieces),
		cmocka_unit_test(never_when_a_task_waits),
		cmocka_unit_test(never_between_small_pieces),
		cmocka_unit_test(never_beside_small_exchanges),
		cmocka_unit_test(never_when_they_are_slow),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
