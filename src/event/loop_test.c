/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop with a poller of the test's own: order within a turn, tasks, reaping, sleep. */
#include "event/loop.h"

#include "base/clock.h"
#include "event/poller.h"
#include "event/timer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct source *ready_source;
static int last_timeout;

/* Reports ready_source once. */
static int test_poller(struct epoll_event *events, int max, int timeout_ms)
{
	assert_true(max >= 1);
	last_timeout = timeout_ms;
	if (!ready_source)
		return 0;
	events[0] = (struct epoll_event){ .events = EPOLLIN, .data.ptr = ready_source };
	ready_source = NULL;
	return 1;
}

static char order[16];
static size_t steps;

static void note(char c)
{
	assert_true(steps < sizeof(order) - 1);
	order[steps++] = c;
	order[steps] = 0;
}

static struct reap reap;
static struct task task;

static void on_reap(struct reap *r)
{
	(void)r;
	note('R');
}

static void on_task(struct task *t)
{
	(void)t;
	note('T');
}

static void on_ready(struct source *src, uint32_t events)
{
	(void)src;
	assert_int_equal(events, EPOLLIN);
	note('E');
	loop_reap(&reap, on_reap);
	task_wake(&task);
	task_wake(&task);
}

static void on_timer(struct timer *timer)
{
	(void)timer;
	note('C');
}

static void events_tasks_timers_then_reaping(void **state)
{
	struct source src = { .ready = on_ready };
	struct timer timer;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	src.fd = fds[0];
	clock_freeze(100);
	task_init(&task, on_task);
	timer_init(&timer, on_timer);
	timer_set(&timer, 100);
	assert_int_equal(loop_add(&src, EPOLLIN), 0);
	ready_source = &src;
	loop_turn(-1);
	assert_string_equal(order, "ETCR");
	loop_remove(&src);
	close(fds[0]);
	close(fds[1]);
}

/* An event polled before its source was removed is not delivered. */
static void removed_sources_stay_silent(void **state)
{
	struct source src = { .fd = -1, .ready = on_ready };

	(void)state;
	steps = 0;
	order[0] = 0;
	ready_source = &src;
	loop_turn(-1);
	assert_string_equal(order, "");
}

static void sleeps_until_the_next_timer_alone(void **state)
{
	struct timer timer;

	(void)state;
	clock_freeze(1000);
	loop_turn(-1);
	assert_int_equal(last_timeout, -1);
	timer_init(&timer, on_timer);
	timer_set(&timer, 1250);
	loop_turn(-1);
	assert_int_equal(last_timeout, 250);
	task_wake(&task);
	loop_turn(-1);
	assert_int_equal(last_timeout, 0);
	timer_cancel(&timer);
}

static void busy_never_sleeps(void **state)
{
	(void)state;
	loop_busy(true);
	assert_true(loop_is_busy());
	loop_turn(-1);
	assert_int_equal(last_timeout, 0);
	loop_busy(false);
	loop_turn(-1);
	assert_int_equal(last_timeout, -1);
}

static struct task numbered[4];

static void on_numbered(struct task *t)
{
	note((char)('0' + (t - numbered)));
	if (t == numbered)
		task_wake(&numbered[3]);
}

static void so_many_tasks_a_turn(void **state)
{
	(void)state;
	steps = 0;
	for (int i = 0; i < 4; i++)
		task_init(&numbered[i], on_numbered);
	for (int i = 0; i < 3; i++)
		task_wake(&numbered[i]);
	loop_limit_tasks(2);
	loop_turn(-1);
	assert_string_equal(order, "01");
	assert_int_equal(tasks_queued(), 2);
	loop_turn(-1); /* those that waited before come first */
	assert_int_equal(last_timeout, 0);
	assert_string_equal(order, "0123");
	loop_limit_tasks(0);
	for (int i = 1; i < 4; i++)
		task_wake(&numbered[i]);
	loop_turn(-1);
	assert_string_equal(order, "0123123");
	assert_int_equal(tasks_queued(), 0);
}

static int setup(void **state)
{
	(void)state;
	poller_set_wait(test_poller);
	return loop_init(8);
}

static int teardown(void **state)
{
	(void)state;
	poller_set_wait(NULL);
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_tasks_timers_then_reaping),
		cmocka_unit_test(removed_sources_stay_silent),
		cmocka_unit_test(sleeps_until_the_next_timer_alone),
		cmocka_unit_test(busy_never_sleeps),
		cmocka_unit_test(so_many_tasks_a_turn),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
