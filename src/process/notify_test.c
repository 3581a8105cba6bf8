/* SPDX-License-Identifier: BSD-2-Clause */
/* What a service manager hears from notify.c, at a path and at an abstract address. */
#include "process/notify.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static int manager = -1;
static char path[64], heard[2048];

/* Listens at this address, as a manager does, and sets the environment. */
static void manager_start(bool abstract)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	socklen_t len;

	snprintf(path, sizeof(path), "%cpenstock-notify-test.%ld", abstract ? '@' : '/',
		 (long)getpid());
	if (!abstract)
		snprintf(path, sizeof(path), "/tmp/penstock-notify-test.%ld", (long)getpid());
	strcpy(to.sun_path, path);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (abstract)
		to.sun_path[0] = 0;
	else
		unlink(path);
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_true(manager >= 0);
	assert_int_equal(bind(manager, (struct sockaddr *)&to, len), 0);
	setenv("NOTIFY_SOCKET", path, 1);
	assert_true(notify_start());
}

static void manager_stop(void)
{
	close(manager);
	if (*path == '/')
		unlink(path);
	unsetenv("NOTIFY_SOCKET");
}

/* The next datagram; "": there is none. */
static const char *hear(void)
{
	ssize_t n = recv(manager, heard, sizeof(heard) - 1, 0);

	heard[n < 0 ? 0 : n] = 0;
	return heard;
}

static void says(bool abstract)
{
	unsigned long long usec;
	int end = 0;

	manager_start(abstract);
	assert_int_equal(notify_ready("2 workers"), 0);
	assert_string_equal(hear(), "READY=1\nSTATUS=2 workers\n");
	assert_int_equal(notify_ready(NULL), 0);
	assert_string_equal(hear(), "READY=1\n");
	assert_int_equal(notify_reloading("reading\nfiles"), 0);
	hear();
	assert_int_equal(sscanf(heard, "RELOADING=1\nMONOTONIC_USEC=%llu%n", &usec, &end), 1);
	assert_true(usec > 0);
	assert_string_equal(heard + end, "\nSTATUS=reading files\n");
	assert_int_equal(notify_stopping(NULL), 0);
	assert_string_equal(hear(), "STOPPING=1\n");
	notify_alive(1);
	assert_string_equal(hear(), "");
	notify_stop();
	assert_int_equal(notify_ready(NULL), 0);
	assert_string_equal(hear(), "");
	manager_stop();
}

static void test_path(void **state)
{
	(void)state;
	says(false);
}

static void test_abstract(void **state)
{
	(void)state;
	says(true);
}

static void test_nobody(void **state)
{
	char long_path[300];

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_false(notify_start());
	assert_int_equal(notify_ready("text"), 0);
	setenv("NOTIFY_SOCKET", "", 1);
	assert_false(notify_start());
	setenv("NOTIFY_SOCKET", "vsock:2:1", 1);
	assert_false(notify_start());
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[0] = '/';
	long_path[sizeof(long_path) - 1] = 0;
	setenv("NOTIFY_SOCKET", long_path, 1);
	assert_false(notify_start());
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	assert_true(notify_start());
	assert_int_equal(notify_ready("text"), -1);
	assert_int_equal(errno, ENOENT);
	notify_stop();
}

/* No more often than it is asked for. */
static void test_alive(void **state)
{
	(void)state;
	setenv("WATCHDOG_USEC", "20000000", 1);
	unsetenv("WATCHDOG_PID");
	manager_start(true);
	notify_alive(5000);
	assert_string_equal(hear(), "WATCHDOG=1\n");
	notify_alive(14999);
	assert_string_equal(hear(), "");
	notify_alive(15000);
	assert_string_equal(hear(), "WATCHDOG=1\n");
	notify_stop();
	notify_alive(90000);
	assert_string_equal(hear(), "");
	manager_stop();
	unsetenv("WATCHDOG_USEC");
}

static unsigned period(const char *usec, const char *pid)
{
	setenv("WATCHDOG_USEC", usec, 1);
	unsetenv("WATCHDOG_PID");
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	assert_true(notify_start());
	return notify_alive_ms();
}

static void test_watchdog(void **state)
{
	char own[32];

	(void)state;
	snprintf(own, sizeof(own), "%ld", (long)getpid());
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	assert_int_equal(period("30000000", NULL), 15000);
	assert_int_equal(period("30000000", own), 15000);
	assert_int_equal(period("30000000", "1"), 0);
	assert_int_equal(period("1", NULL), 1);
	assert_int_equal(period("soon", NULL), 0);
	notify_stop();
	assert_int_equal(notify_alive_ms(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_abstract),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_watchdog),
		cmocka_unit_test(test_alive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
