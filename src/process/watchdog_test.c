/* SPDX-License-Identifier: BSD-2-Clause */
/* Who hangs: a worker that neither turns nor sleeps in the poller, for long; by a clock of the
 * test's own, and with processes that wait, are stopped, or are busy. */
#include "process/watchdog.h"

#include "base/clock.h"
#include "base/err.h"
#include "process/worker_entry.h"
#include "share/segment.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct worker worker;
static struct segment_row *row;

/* A child that waits in the kernel (not in the poller), or is busy. */
static void child_start(bool busy)
{
	struct err err;

	segment = segment_new(SEGMENT_ROWS_LEAST, &err);
	assert_non_null(segment);
	worker = (struct worker){ .number = 1, .state = WORKER_SERVES, .words_fd = -1,
				  .turns = UINT64_MAX };
	worker.row = segment_take_row(segment, 1, 1);
	assert_true(worker.row > 0);
	row = segment_row(segment, (unsigned)worker.row);
	worker.pid = fork();
	assert_true(worker.pid >= 0);
	while (worker.pid == 0) {
		alarm(300);
		if (!busy)
			pause();
	}
	clock_freeze(1000000);
	watchdog_look(&worker); /* the first look */
}

static int child_end(int signo)
{
	int status;

	if (signo)
		kill(worker.pid, signo);
	assert_int_equal(waitpid(worker.pid, &status, 0), worker.pid);
	segment_free(&segment);
	assert_true(WIFSIGNALED(status));
	return WTERMSIG(status);
}

static void pass(uint64_t ms)
{
	clock_advance(ms);
	watchdog_look(&worker);
}

static void test_turns(void **state)
{
	int i;

	(void)state;
	child_start(false);
	for (i = 0; i < 10; i++) {
		atomic_fetch_add(&row->pulse.turns, 1);
		pass(50000);
		assert_false(worker.aborted);
	}
	child_end(SIGKILL);
}

static void test_sleeps(void **state)
{
	(void)state;
	child_start(false);
	atomic_store(&row->pulse.asleep, 1);
	pass(3600000);
	assert_false(worker.aborted);
	atomic_store(&row->pulse.asleep, 0);
	pass(59000);
	assert_false(worker.aborted);
	child_end(SIGKILL);
}

static void test_waits_in_the_kernel(void **state)
{
	(void)state;
	child_start(false);
	pass(59000);
	assert_false(worker.aborted);
	pass(1000);
	assert_true(worker.aborted);
	assert_int_equal(child_end(0), SIGABRT);
}

/* Its handler of SIGABRT hangs as well. */
static void test_says_nothing(void **state)
{
	(void)state;
	signal(SIGABRT, SIG_IGN);
	child_start(false);
	signal(SIGABRT, SIG_DFL);
	pass(60000);
	assert_true(worker.aborted);
	pass(2000);
	assert_int_equal(kill(worker.pid, 0), 0);
	assert_int_equal(waitpid(worker.pid, NULL, WNOHANG), 0);
	pass(1000);
	assert_int_equal(child_end(0), SIGKILL);
}

static void test_stopped(void **state)
{
	siginfo_t info;

	(void)state;
	child_start(false);
	kill(worker.pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WSTOPPED | WNOWAIT), 0);
	pass(3600000);
	assert_false(worker.aborted);
	kill(worker.pid, SIGCONT);
	assert_int_equal(waitid(P_PID, (id_t)worker.pid, &info, WCONTINUED | WNOWAIT), 0);
	pass(59000);
	assert_false(worker.aborted);
	pass(1000);
	assert_true(worker.aborted);
	assert_int_equal(child_end(0), SIGABRT);
}

/* Processor time counts, whatever the clock says: the machine may be crowded. */
static void test_busy(void **state)
{
	int i;

	(void)state;
	child_start(true);
	pass(30000);
	assert_false(worker.aborted);
	for (i = 0; i < 60000 && !worker.aborted; i++) {
		usleep(10000);
		pass(0);
	}
	assert_true(worker.aborted);
	assert_int_equal(child_end(0), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_waits_in_the_kernel),
		cmocka_unit_test(test_says_nothing),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
