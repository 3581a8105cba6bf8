/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings and the servers that their messages go to: what leaves, how it is framed, what waits, and what
 * is said of a server that does not take it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "config/load.h"
#include "event/loop.h"
#include "event/timer.h"
#include "log/log_conf.h"
#include "log/ring.h"
#include "log/ring_server.h"
#include "log/test_world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int listen_on(unsigned *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	sin.sin_port = htons((uint16_t)*port);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(listen(fd, 5), 0);
	getsockname(fd, (struct sockaddr *)&sin, &len);
	*port = ntohs(sin.sin_port);
	return fd;
}

static int accept_soon(int fd)
{
	int i, got = -1;

	for (i = 0; i < 1000 && (got = accept4(fd, NULL, NULL, SOCK_NONBLOCK)) < 0; i++)
		loop_turn(5);
	assert_true(got >= 0);
	return got;
}

static void expect_stream(int fd, const char *text)
{
	char buf[400];
	size_t len = 0, want = strlen(text);
	int i;

	for (i = 0; i < 1000 && len < want; i++) {
		ssize_t n = recv(fd, buf + len, sizeof(buf) - 1 - len, 0);

		if (n > 0)
			len += (size_t)n;
		else
			loop_turn(5);
	}
	buf[len] = 0;
	assert_string_equal(buf, text);
}

/* The configuration runs, with %u standing for this port. */
static void start_to(unsigned port, const char *fmt)
{
	unsigned of_collector = udp_port;

	udp_port = port;
	start(fmt);
	udp_port = of_collector;
}

static void ring_server_gets_messages(const char *proto, const char *first, const char *second)
{
	unsigned port = 0;
	int fd = listen_on(&port), c;
	char text[400];

	snprintf(text, sizeof(text),
		 "global\n log ring@r local0\nring r\n format short\n timeout connect 1s\n"
		 " timeout server 1s\n server s 127.0.0.1:%%u%s\n", proto);
	start_to(port, text);
	say(LOG_L_INFO, "one");
	say(LOG_L_INFO, "two");
	c = accept_soon(fd);
	expect_stream(c, first);
	say(LOG_L_INFO, "three");
	expect_stream(c, second);
	close(c);
	close(fd);
	stop();
}

static void ring_server_legacy(void **state)
{
	(void)state;
	ring_server_gets_messages("", "<6>one\n<6>two\n", "<6>three\n");
}

static void ring_server_octet_count(void **state)
{
	(void)state;
	ring_server_gets_messages(" log-proto octet-count", "6 <6>one6 <6>two", "8 <6>three");
}

static int unread(int fd)
{
	int n = 0;

	assert_int_equal(ioctl(fd, FIONREAD, &n), 0);
	return n;
}

/* Until so many wait there to be read. */
static void await_bytes(int fd, int n)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int one = 1;

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &n, sizeof(n)), 0);
	assert_int_equal(poll(&pfd, 1, -1), 1);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one)), 0);
}

/* Reading what nobody wants must not keep the loop. */
static void ring_server_that_talks_gets_its_turn(void **state)
{
	enum { TALK = 48000 };
	unsigned port = 0;
	int fd = listen_on(&port), c, i;
	static const char much[TALK];
	const struct ring_server *s;

	(void)state;
	start_to(port, "global\n log ring@r local0\nring r\n format raw\n server s 127.0.0.1:%u\n");
	say(LOG_L_INFO, "one");
	c = accept_soon(fd);
	expect_stream(c, "one\n");
	s = list_first(&ring_find("r")->servers, struct ring_server, reader.node);
	assert_int_equal(send(c, much, TALK, 0), TALK);
	await_bytes(s->src.fd, TALK);
	loop_turn(0);
	assert_true(unread(s->src.fd) > 0 && unread(s->src.fd) < TALK);
	say(LOG_L_INFO, "two");
	for (i = 0; i < 1000 && unread(s->src.fd); i++)
		loop_turn(0);
	assert_int_equal(unread(s->src.fd), 0);
	expect_stream(c, "two\n");
	assert_int_equal(s->failures, 0);
	close(c);
	close(fd);
	stop();
}

/* It goes away and comes back: what was not sent comes then, in order. */
static void ring_server_comes_back(void **state)
{
	unsigned port = 0;
	int fd = listen_on(&port), c, i, old = log_to_stderr;
	char text[400];

	(void)state;
	log_to_stderr = false;
	clock_freeze(200000);
	start_to(port, "global\n log tcp@127.0.0.1:%u format raw local0\n");
	say(LOG_L_INFO, "before");
	c = accept_soon(fd);
	expect_stream(c, "before\n");
	close(c);
	close(fd);
	for (i = 0; i < 20; i++)
		loop_turn(5);
	say(LOG_L_INFO, "meanwhile");
	loop_turn(0);
	clock_advance(1001); /* refused: it is not there */
	loop_turn(5);
	loop_turn(5);
	fd = listen_on(&port);
	clock_advance(1001);
	c = accept_soon(fd);
	snprintf(text, sizeof(text),
		 "ring tcp@127.0.0.1:%u: server tcp@127.0.0.1:%u: it has closed the connection, its "
		 "messages wait\nmeanwhile\nring tcp@127.0.0.1:%u: server tcp@127.0.0.1:%u: connected "
		 "again\n", port, port, port, port);
	expect_stream(c, text);
	say(LOG_L_INFO, "after");
	expect_stream(c, "after\n");
	close(c);
	close(fd);
	stop();
	log_to_stderr = old;
}

static struct ring_server *server(void)
{
	return list_first(&ring_find("r")->servers, struct ring_server, reader.node);
}

static void turns(int n)
{
	while (n--)
		loop_turn(1);
}

/* What the process says of its servers goes to the collector: "<4>ring r: server s: WHY, ..." */
static void expect_failure(const char *why)
{
	char pattern[200];

	snprintf(pattern, sizeof(pattern), "^<4>ring r: server s: %s, its messages wait\n$", why);
	expect(pattern);
}

/* A server that is not there is tried once a second; that is said once, and that it is back. */
static void ring_server_is_tried_each_second(void **state)
{
	char path[] = "/tmp/forward_test.XXXXXX", text[300];

	(void)state;
	clock_freeze(300000);
	log_to_stderr = false;
	assert_non_null(mkdtemp(path));
	snprintf(text, sizeof(text), "global\n log ring@r local0 info err\n log 127.0.0.1:%u format "
		 "short local0\nring r\n server s %s/s\n", udp_port, path);
	start(text);
	turns(3);
	assert_int_equal(server()->failures, 1);
	expect_failure("No such file or directory");
	clock_advance(999);
	turns(3);
	assert_int_equal(server()->failures, 1);
	clock_advance(1);
	turns(3);
	assert_int_equal(server()->failures, 2);
	say(LOG_L_INFO, "new messages are no reason to try sooner");
	turns(3);
	assert_int_equal(server()->failures, 2);
	expect("^<6>new");
	expect_none();
	assert_int_equal(server()->connects, 0);
	stop();
	assert_int_equal(timer_count(), 0);
	rmdir(path);
	log_to_stderr = true;
}

/* A listener whose queue is full answers no more: two connections fill it. */
static int full_listener(unsigned *port, int fillers[2])
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = listen_on(port);

	assert_int_equal(listen(fd, 0), 0);
	sin.sin_port = htons((uint16_t)*port);
	for (int i = 0; i < 2; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fillers[i], (struct sockaddr *)&sin, sizeof(sin));
	}
	return fd;
}

static void timeout_of_connections(void **state)
{
	unsigned port = 0;
	int fillers[2], fd = full_listener(&port, fillers);
	char text[300];

	(void)state;
	clock_freeze(320000);
	log_to_stderr = false;
	snprintf(text, sizeof(text), "global\n log ring@r local0 info\n log 127.0.0.1:%u format "
		 "short local0\nring r\n timeout connect 700\n server s 127.0.0.1:%u\n", udp_port,
		 port);
	start(text);
	turns(3);
	assert_int_equal(server()->state, RING_SERVER_CONNECTING);
	clock_advance(699);
	turns(3);
	assert_int_equal(server()->failures, 0);
	clock_advance(1);
	turns(3);
	assert_int_equal(server()->failures, 1);
	assert_int_equal(server()->state, RING_SERVER_IDLE);
	assert_int_equal(server()->src.fd, -1);
	expect_failure("no connection within timeout connect");
	clock_advance(1000);
	turns(1);
	assert_int_equal(server()->state, RING_SERVER_CONNECTING);
	stop();
	for (int i = 0; i < 2; i++)
		close(fillers[i]);
	close(fd);
	log_to_stderr = true;
}

static char expected[1 << 24];
static size_t expected_len;

/* A message of so many bytes, as the server is to get it. */
static void say_bytes(unsigned n, size_t len, bool octet_count)
{
	static char text[70000];
	int digits = snprintf(text, sizeof(text), "%u:", n);

	for (size_t i = (size_t)digits; i < len; i++)
		text[i] = (char)('a' + (i + n) % 26);
	log_send(log_global(), LOG_L_INFO, text, len);
	if (octet_count)
		expected_len += (size_t)sprintf(expected + expected_len, "%zu ", len);
	memcpy(expected + expected_len, text, len);
	expected_len += len;
	if (!octet_count)
		expected[expected_len++] = '\n';
}

/* What was said, all of it, in this order. */
static void expect_said(int c)
{
	static char got[sizeof(expected)];
	size_t len = 0;

	for (int i = 0; i < 4000 && len < expected_len; i++) {
		ssize_t n = recv(c, got + len, expected_len - len, 0);

		if (n > 0)
			len += (size_t)n;
		else
			loop_turn(1);
	}
	assert_int_equal(len, expected_len);
	assert_memory_equal(got, expected, len);
	turns(2);
	assert_int_equal(recv(c, got, 1, 0), -1);
	assert_int_equal(errno, EAGAIN);
	expected_len = 0;
}

/* Lengths around each number of digits, and around what is sent at a time. */
static void messages_of_any_length(bool octet_count)
{
	unsigned port = 0, n = 0;
	int fd = listen_on(&port), c;
	char text[300];

	snprintf(text, sizeof(text), "global\n log ring@r len 65535 local0\nring r\n size 1m\n "
		 "server s 127.0.0.1:%u%s\n", port, octet_count ? " log-proto octet-count" : "");
	clock_freeze(340000);
	start(text);
	say_bytes(n++, 0, octet_count);
	say_bytes(n++, 1, octet_count);
	for (size_t len = 9; len <= 10000; len = len * 10 + 9) {
		say_bytes(n++, len, octet_count);
		say_bytes(n++, len + 1, octet_count);
	}
	for (size_t len = 16384 - 30; len < 16384 + 20; len++)
		say_bytes(n++, len, octet_count);
	c = accept_soon(fd);
	expect_said(c);
	assert_int_equal(server()->reader.position, ring_end(ring_find("r")));
	assert_int_equal(server()->connects, 1);
	for (int i = 0; i < 40; i++)
		say_bytes(n++, 1000 + (size_t)i, octet_count);
	expect_said(c);
	say_bytes(n++, 65535, octet_count);
	expect_said(c);
	assert_int_equal(server()->failures, 0);
	assert_int_equal(ring_find("r")->dropped, 0);
	close(c);
	close(fd);
	stop();
}

static void messages_end_with_their_line(void **state)
{
	(void)state;
	messages_of_any_length(false);
}

static void messages_begin_with_their_length(void **state)
{
	(void)state;
	messages_of_any_length(true);
}

/* Says messages until some wait for the server, which takes nothing. */
static unsigned say_until_it_waits(void)
{
	unsigned n = 0;

	for (; n < 2000 && !(server()->state == RING_SERVER_READY && server()->sent < server()->len);
	     n++) {
		say_bytes(n, 4000, false);
		turns(1);
	}
	assert_true(n < 2000);
	return n;
}

/* What has left is gone; what has not, or in part, comes again as a whole. */
static void a_server_that_takes_nothing_is_left(void **state)
{
	unsigned port = 0, rest;
	int fd = listen_on(&port), c, small = 4096;
	char text[300];
	uint64_t position;

	(void)state;
	clock_freeze(360000);
	log_to_stderr = false;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	snprintf(text, sizeof(text), "global\n log ring@r len 5000 local0 info\n log 127.0.0.1:%u "
		 "format short local0 warning\nring r\n size 16m\n timeout server 700\n "
		 "server s 127.0.0.1:%u\n", udp_port, port);
	start(text);
	c = accept_soon(fd);
	turns(2);
	assert_true(fcntl(server()->src.fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(server()->src.fd, F_GETFL) & O_NONBLOCK);
	clock_advance(5000); /* nothing to send is no fault of the server */
	turns(2);
	assert_int_equal(server()->failures, 0);
	rest = say_until_it_waits();
	position = server()->reader.position;
	assert_in_range(position, 0, (uint64_t)(rest - 1) * 4004);
	assert_int_equal(position % 4004, 0);
	clock_advance(699);
	turns(2);
	assert_int_equal(server()->failures, 0);
	clock_advance(1);
	turns(2);
	assert_int_equal(server()->failures, 1);
	expect_failure("nothing taken within timeout server");
	close(c);
	memmove(expected, expected + position / 4004 * 4001,
		expected_len -= position / 4004 * 4001);
	expected_len += (size_t)sprintf(expected + expected_len, "ring r: server s: nothing taken within "
					"timeout server, its messages wait\nring r: server s: connected "
					"again\n");
	clock_advance(1000);
	c = accept_soon(fd);
	expect_said(c);
	assert_int_equal(server()->connects, 2);
	expect_none();
	close(c);
	close(fd);
	turns(3);
	expect_failure("it has closed the connection"); /* another time, another word */
	clock_advance(1000);
	turns(3);
	assert_int_equal(server()->failures, 3);
	expect_none();
	stop();
	log_to_stderr = true;
}

/* At the end what can go at once goes. */
static void the_last_words_are_sent(void **state)
{
	unsigned port = 0;
	int fd = listen_on(&port), c;

	(void)state;
	start_to(port, "global\n log ring@r local0\nring r\n server s 127.0.0.1:%u\n");
	c = accept_soon(fd);
	turns(2);
	assert_int_equal(server()->state, RING_SERVER_READY);
	say(LOG_L_INFO, "farewell");
	stop();
	expect_stream(c, "farewell\n");
	assert_int_equal(recv(c, &(char){ 0 }, 1, 0), 0);
	close(c);
	close(fd);
}

/* A process that was forked neither sends what its parent has said nor closes its connection. */
static void forked_processes_connect_anew(void **state)
{
	unsigned port = 0;
	int fd = listen_on(&port), c, second;

	(void)state;
	clock_freeze(380000);
	start_to(port, "global\n log ring@r local0\nring r\n server s 127.0.0.1:%u\n");
	c = accept_soon(fd);
	say(LOG_L_INFO, "parent");
	expect_stream(c, "parent\n");
	say(LOG_L_INFO, "parent's to send");
	log_forked();
	assert_int_equal(server()->state, RING_SERVER_IDLE);
	assert_int_equal(server()->src.fd, -1);
	assert_null(server()->buf);
	say(LOG_L_INFO, "before it starts");
	turns(3);
	assert_int_equal(log_parent_start(&(struct err){ "" }), 0);
	second = accept_soon(fd);
	expect_stream(second, "before it starts\n");
	say(LOG_L_INFO, "child");
	expect_stream(second, "child\n");
	close(c);
	close(second);
	close(fd);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_server_legacy),
		cmocka_unit_test(ring_server_octet_count),
		cmocka_unit_test(ring_server_that_talks_gets_its_turn),
		cmocka_unit_test(ring_server_comes_back),
		cmocka_unit_test(ring_server_is_tried_each_second),
		cmocka_unit_test(timeout_of_connections),
		cmocka_unit_test(messages_end_with_their_line),
		cmocka_unit_test(messages_begin_with_their_length),
		cmocka_unit_test(a_server_that_takes_nothing_is_left),
		cmocka_unit_test(the_last_words_are_sent),
		cmocka_unit_test(forked_processes_connect_anew),
	};

	return cmocka_run_group_tests(tests, log_world, NULL);
}
