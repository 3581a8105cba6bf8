/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals that wait together, and one after the other. */
#include "event/signals.h"

#include "event/loop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static int heard[16];
static unsigned count;

static void hear(int signo)
{
	if (count < 16)
		heard[count++] = signo;
}

/* All are sent before the loop looks. */
static void send_both(int first, int second)
{
	count = 0;
	kill(getpid(), first);
	kill(getpid(), second);
	loop_turn(10000);
	assert_int_equal(count, 2);
}

static void test_together(void **state)
{
	(void)state;
	send_both(SIGTTOU, SIGTTIN);
	assert_int_equal(heard[1], SIGTTIN);
	send_both(SIGTTIN, SIGTTOU); /* the kernel does not tell */
	assert_int_equal(heard[1], SIGTTIN);
	send_both(SIGTTOU, SIGUSR2);
	send_both(SIGTTIN, SIGUSR1);
}

static void test_one_by_one(void **state)
{
	int i;

	(void)state;
	count = 0;
	for (i = 0; i < 8; i++) {
		kill(getpid(), i % 2 ? SIGTTOU : SIGTTIN);
		loop_turn(10000);
	}
	assert_int_equal(count, 8);
	for (i = 0; i < 8; i++)
		assert_int_equal(heard[i], i % 2 ? SIGTTOU : SIGTTIN);
}

/* Many of one kind that wait are one. */
static void test_many(void **state)
{
	int i;

	(void)state;
	count = 0;
	for (i = 0; i < 100; i++)
		kill(getpid(), SIGUSR2);
	loop_turn(10000);
	assert_int_equal(count, 1);
	assert_int_equal(heard[0], SIGUSR2);
}

static int open_loop(void **state)
{
	static const int watched[] = { SIGUSR1, SIGUSR2, SIGTTIN, SIGTTOU };
	size_t i;

	(void)state;
	if (loop_init(10) < 0)
		return -1;
	for (i = 0; i < 4; i++)
		if (signal_watch(watched[i], hear) < 0)
			return -1;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, open_loop, NULL);
}
