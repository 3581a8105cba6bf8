/* SPDX-License-Identifier: BSD-2-Clause */
/* What the loop calls, measured: who, how often, how long, behind whom; and when auto begins and
 * ends. */
#include "event/profile.h"

#include "event/loop.h"
#include "event/poller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sys/epoll.h>
#include <time.h>

static void burn_ms(unsigned ms)
{
	struct timespec ts;
	uint64_t until = 0, now;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
		now = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
		until = until ? until : now + ms;
	} while (now < until);
}

static unsigned left; /* turns */

static void on_ready(struct source *src, uint32_t events)
{
	(void)src;
	(void)events;
	burn_ms(3);
}

static void on_second(struct source *src, uint32_t events)
{
	(void)src;
	(void)events;
	if (!--left)
		loop_stop();
}

static struct source first = { .registered = true, .ready = on_ready };
static struct source second = { .registered = true, .ready = on_second };

static int both(struct epoll_event *events, int max, int timeout_ms)
{
	(void)timeout_ms;
	assert_true(max >= 2);
	events[0] = (struct epoll_event){ .events = EPOLLIN, .data.ptr = &first };
	events[1] = (struct epoll_event){ .events = EPOLLIN, .data.ptr = &second };
	return 2;
}

static const struct profile_row *row_of(void (*function)(void))
{
	unsigned count;
	const struct profile_row *rows = profile_rows(&count);

	for (unsigned i = 0; i < count; i++)
		if (rows[i].function == function)
			return &rows[i];
	return NULL;
}

static void run(unsigned turns)
{
	poller_set_wait(both);
	assert_int_equal(loop_init(8), 0);
	left = turns;
	loop_run();
	loop_free();
	poller_set_wait(NULL);
}

static void calls_are_measured(void **state)
{
	const struct profile_row *row;

	(void)state;
	profile_set(PROFILE_ON);
	assert_true(profile_state.runs);
	run(4);
	row = row_of((void (*)(void))on_ready);
	assert_non_null(row);
	assert_int_equal(row->calls, 4);
	assert_true(row->cpu_ns >= 8000000);
	row = row_of((void (*)(void))on_second);
	assert_int_equal(row->calls, 4);
	assert_true(row->lat_ns >= 8000000); /* it stood behind the first */
	profile_set(PROFILE_ON);
	assert_null(row_of((void (*)(void))on_ready));
}

static void off_measures_nothing(void **state)
{
	(void)state;
	profile_set(PROFILE_ON);
	profile_set(PROFILE_OFF);
	assert_false(profile_state.runs);
	run(2);
	assert_null(row_of((void (*)(void))on_ready));
}

static unsigned switched;

static void on_switched(bool runs)
{
	switched += runs ? 1 : 16;
}

static void auto_begins_where_turns_are_long(void **state)
{
	(void)state;
	profile_switched = on_switched;
	profile_set(PROFILE_AUTO);
	assert_false(profile_state.runs);
	burn_ms(PROFILE_TURNS + 50);
	profile_judge(); /* too few turns to say */
	assert_false(profile_state.runs);
	loop_stats.turns += PROFILE_TURNS;
	profile_judge();
	assert_true(profile_state.runs);
	assert_int_equal(switched, 1);
	loop_stats.turns += PROFILE_TURNS * 1000;
	profile_judge();
	assert_false(profile_state.runs);
	assert_int_equal(switched, 17);
	profile_set(PROFILE_OFF);
	burn_ms(PROFILE_TURNS + 50);
	loop_stats.turns += PROFILE_TURNS;
	profile_judge();
	assert_false(profile_state.runs);
	profile_switched = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_measured),
		cmocka_unit_test(off_measures_nothing),
		cmocka_unit_test(auto_begins_where_turns_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
