/* SPDX-License-Identifier: BSD-2-Clause */
/* When the loop rests: large pieces in quick succession, and nothing else. */
#include "relay/rest.h"

#include "base/clock.h"
#include "event/loop.h"
#include "event/poller.h"
#include "relay/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sys/epoll.h>

enum { LARGE = 128 << 10, SMALL = 16 << 10 };

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
static uint64_t cpu_ns;

static void read_meter(struct trial_mark *mark)
{
	mark->us = clock_now_ms * 1000;
	mark->cpu_ns = cpu_ns;
}

/* A turn in which nothing is ready: does it rest? */
static bool rests(void)
{
	uint64_t before = poller_stats.rests;

	loop_turn(-1);
	return poller_stats.rests > before;
}

/* A second or more under such a load, on a machine where a rest saves half of the CPU time, up to a
 * moment in which it rests: is there one in two seconds? */
static bool rests_after_these(void (*moved)(const void *, size_t), size_t piece,
			      unsigned events_a_ms)
{
	unsigned ms, i;
	bool rested = false;

	for (ms = 0; ms < 1000 || (ms < 2000 && !rested); ms++) {
		for (i = 0; i < events_a_ms; i++) {
			loop_stats.events++;
			if (piece)
				moved(&stream[i % 16], piece);
		}
		clock_advance(1);
		rested = rests();
		cpu_ns += rested ? 500000 : 1000000;
	}
	return rested;
}

static bool rests_after(size_t piece, unsigned events_a_ms)
{
	return rests_after_these(rest_moved, piece, events_a_ms);
}

static void rests_where_it_pays(void **state)
{
	(void)state;
	assert_true(rests_after(LARGE, 10));
	assert_true(rests_after(LARGE, 10));
}

/* Nothing is known of a new load: speed first. */
static void begins_without(void **state)
{
	unsigned i;

	(void)state;
	clock_advance(5000);
	for (i = 0; i < 150; i++) {
		loop_stats.events++;
		rest_moved(&stream[i % 16], LARGE);
		assert_false(rests());
		if (i % 10 == 0)
			clock_advance(1);
	}
}

static void ends_with_the_pieces(void **state)
{
	(void)state;
	assert_true(rests_after(LARGE, 10));
	clock_advance(11);
	assert_false(rests());
}

static void never_when_a_task_waits(void **state)
{
	uint64_t before;

	(void)state;
	assert_true(rests_after(LARGE, 10));
	before = poller_stats.rests;
	loop_turn(0); /* as with a task: the poller is not to wait */
	assert_int_equal(poller_stats.rests, before);
}

static void never_between_small_pieces(void **state)
{
	(void)state;
	assert_true(rests_after(LARGE, 10));
	assert_false(rests_after(SMALL, 100));
}

/* Frames are smaller, and many make up a large transfer. */
static void between_full_frames(void **state)
{
	(void)state;
	assert_true(rests_after_these(rest_framed, SMALL, 100));
	assert_false(rests_after_these(rest_framed, SMALL / 4, 400));
}

/* A large transfer beside many small exchanges. */
static void never_beside_small_exchanges(void **state)
{
	unsigned i;

	(void)state;
	assert_true(rests_after(LARGE, 10));
	for (i = 0; i < 640; i++) {
		loop_stats.events += 10;
		rest_moved(stream, LARGE);
	}
	assert_false(rests());
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
	poller_set_wait(nothing_ready);
	poller_set_processor(nobody_there, NULL);
	rest_set_meter(read_meter);
	return loop_init(8);
}

static int teardown(void **state)
{
	(void)state;
	poller_set_wait(NULL);
	rest_set_meter(NULL);
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rests_where_it_pays),
		cmocka_unit_test(begins_without),
		cmocka_unit_test(ends_with_the_pieces),
		cmocka_unit_test(never_when_a_task_waits),
		cmocka_unit_test(never_between_small_pieces),
		cmocka_unit_test(between_full_frames),
		cmocka_unit_test(never_beside_small_exchanges),
		cmocka_unit_test(never_when_they_are_slow),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
