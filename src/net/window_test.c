/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive buffer of a near peer is bounded; nobody else's is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/sock.h"
#include "net/test_sockets.h"
#include "net/window.h"

#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

static int rcvbuf_of(int fd)
{
	int value = 0;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, &len), 0);
	return value;
}

/* How large the buffer of fd is when it was looked at. */
static int bounded(int fd, unsigned flags)
{
	struct conn conn = { .src.fd = fd, .flags = (uint16_t)flags };

	window_bound(&conn);
	assert_true(conn.flags & CONN_BOUNDED);
	return rcvbuf_of(fd);
}

static void a_near_peer(void **state)
{
	uint64_t before = window_bounded;
	int fds[2];

	(void)state;
	test_tcp_pair(fds, 0);
	assert_int_equal(bounded(fds[0], CONN_TCP), 2 * WINDOW_BYTES);
	assert_int_equal(window_bounded, before + 1);
	close(fds[0]);
	close(fds[1]);
}

/* Is fd, of which flags say what it is, left alone? */
static void assert_left(int fd, unsigned flags)
{
	uint64_t before = window_bounded;
	int was = rcvbuf_of(fd);

	assert_int_equal(bounded(fd, flags), was);
	assert_int_equal(window_bounded, before);
}

static void a_far_one(void **state)
{
	int fds[2];

	(void)state;
	test_tcp_pair(fds, 0);
	window_near.us = 0;
	window_near.mss = UINT_MAX;
	assert_left(fds[0], CONN_TCP);
	window_near.us = 25;
	window_near.mss = 32768;
	close(fds[0]);
	close(fds[1]);
}

static void what_the_configuration_says(void **state)
{
	int fds[2];

	(void)state;
	test_tcp_pair(fds, 0);
	sock_tune.rcvbuf_server = 1 << 20;
	assert_left(fds[0], CONN_TCP);
	sock_tune.rcvbuf_server = 0;
	sock_tune.rcvbuf_client = 1 << 20;
	assert_left(fds[0], CONN_TCP);
	sock_tune.rcvbuf_client = 0;
	close(fds[0]);
	close(fds[1]);
}

/* The kernel would drop what is on its way. */
static void one_that_was_offered_more(void **state)
{
	int fds[2];

	(void)state;
	test_tcp_pair(fds, 1 << 20);
	assert_left(fds[1], CONN_TCP);
	close(fds[0]);
	close(fds[1]);
}

static void one_without_a_window(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_left(fds[0], 0);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_near_peer),
		cmocka_unit_test(a_far_one),
		cmocka_unit_test(what_the_configuration_says),
		cmocka_unit_test(one_that_was_offered_more),
		cmocka_unit_test(one_without_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
