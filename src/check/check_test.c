/* SPDX-License-Identifier: BSD-2-Clause */
/* How servers are asked: sockets on loopback, with a clock that stands still. Results, the lines of
 * the log (those of the reference, recorded with the same servers), and that nothing stays open or
 * armed between checks. When servers are asked, and what it means, is in health_test.c. */
#include "check/test_world.h"

#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int lowest_free_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/* -- results --------------------------------------------------------------------------------- */

static void a_listening_port_passes(void **state)
{
	unsigned before;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	before = open_descriptors();
	assert_state("s1", "UP 1/3", CHECK_INIT);
	work();
	assert_state("s1", "UP", CHECK_L4OK);
	assert_int_equal(open_descriptors(), before);
	assert_null(check_of(srv("s1"))->conn);
	assert_string_equal(said(), "");
}

/* Reset before it was acknowledged: the program behind the port has nothing to accept. */
static void the_server_does_not_see_the_connection(void **state)
{
	int i;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 1s\n");
	assert_int_equal(fcntl(listening, F_SETFL, O_NONBLOCK), 0);
	for (i = 0; i < 5; i++)
		pass(1000);
	assert_int_equal(srv("s1")->state->check.status, CHECK_L4OK);
	assert_int_equal(accept(listening, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
}

static void refused_takes_it_down_and_up_again(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 1s fall 2 rise 3\n"
	      " server s2 127.0.0.1:$ backup\n");
	work();
	close_port();
	pass(1000);
	assert_state("s1", "UP 1/2", CHECK_L4CON);
	pass(1000);
	assert_state("s1", "DOWN", CHECK_L4CON);
	assert_int_equal(srv("s1")->state->check.error, ECONNREFUSED);
	assert_int_equal(srv("s1")->tally->counters.failed_checks, 2);
	assert_string_equal(said(),
		"Server be/s1 is DOWN, reason: Layer4 connection problem, info: \"Connection "
		"refused\", check duration: Nms. 0 active and 1 backup servers left. Running on "
		"backup. 0 sessions active, 0 requeued, 0 remaining in queue.\n");
	pass(1000);
	assert_int_equal(srv("s1")->tally->counters.failed_checks, 2);
	open_port(100);
	pass(1000);
	assert_state("s1", "DOWN 1/3", CHECK_L4OK);
	pass(1000);
	assert_state("s1", "DOWN 2/3", CHECK_L4OK);
	pass(1000);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_string_equal(said(),
		"Server be/s1 is UP, reason: Layer4 check passed, check duration: Nms. 1 active and "
		"1 backup servers online. 0 sessions requeued, 0 total in queue.\n");
}

/* Its queue of connections is full: the kernel answers to nobody. */
static void silence_is_a_timeout(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int fds[3], i;

	(void)state;
	close_port();
	open_port(0);
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in.sin_port = htons((uint16_t)port);
	for (i = 0; i < 3; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fds[i], (struct sockaddr *)&in, sizeof(in));
	}
	begin("", " server s1 127.0.0.1:$ check inter 2s fall 2\n");
	loop_turn(0);
	assert_true(srv("s1")->state->check.running);
	assert_int_equal(next_in("s1"), 2000);
	clock_advance(1999);
	loop_turn(0);
	assert_true(srv("s1")->state->check.running);
	clock_advance(1);
	loop_turn(0);
	loop_turn(0);
	assert_state("s1", "DOWN", CHECK_L4TOUT);
	assert_int_equal(srv("s1")->state->check.error, 0);
	assert_non_null(strstr(said(), "Server be/s1 is DOWN, reason: Layer4 timeout, check "
				       "duration: Nms. 0 active"));
	for (i = 0; i < 3; i++)
		close(fds[i]);
}

/* Manual, "timeout check": then timeout connect limits the connection. */
static void timeout_check_splits_the_time(void **state)
{
	(void)state;
	close_port();
	open_port(0);
	begin("", " timeout connect 700\n timeout check 300\n server s1 192.0.2.1:1 check\n"
	      " server s2 192.0.2.1:1 check inter 400\n");
	clock_advance(1000);
	loop_turn(0);
	if (srv("s1")->state->check.running) /* there is a route to there */
		assert_int_equal(next_in("s1"), 700);
	if (srv("s2")->state->check.running)
		assert_int_equal(next_in("s2"), 400);
}

static void a_wrong_source_address_is_said(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ source 192.0.2.77 check\n server s2 127.0.0.1:$\n");
	work();
	assert_state("s1", "DOWN", CHECK_L4CON);
	assert_string_equal(said(),
		"Server be/s1 is DOWN, reason: Layer4 connection problem, info: \"Can't bind to source "
		"address (Cannot assign requested address)\", check duration: Nms. 1 active and 0 "
		"backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.\n");
}

static void a_missing_unix_socket_is_a_socket_error(void **state)
{
	(void)state;
	begin("", " server s1 unix@/nowhere/at/all check\n server s2 127.0.0.1:$\n");
	work();
	assert_state("s1", "DOWN", CHECK_SOCKERR);
	assert_non_null(strstr(said(), "reason: Socket error, info: \"General socket error (No such "
				       "file or directory)\", check duration: Nms."));
}

/* What we lack says nothing about the server. */
static void out_of_descriptors_leaves_it_up(void **state)
{
	struct rlimit limit, none;

	(void)state;
	begin("", " option log-health-checks\n server s1 127.0.0.1:$ check inter 1s\n");
	work();
	said();
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = (rlim_t)lowest_free_descriptor();
	setrlimit(RLIMIT_NOFILE, &none);
	pass(1000);
	pass(1000);
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_state("s1", "UP", CHECK_SOCKERR);
	assert_string_equal(said(),
		"Health check for server be/s1 failed, reason: Socket error, info: \"General socket "
		"error (Too many open files)\", check duration: Nms, status: 3/3 UP.\n");
	pass(1000);
	assert_state("s1", "UP", CHECK_L4OK);
}

static void out_of_descriptors_leaves_walks_up(void **state)
{
	struct rlimit limit, none;

	(void)state;
	begin("", " option tcp-check\n tcp-check send x\n"
	      " server s1 127.0.0.1:$ check inter 1s\n");
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = (rlim_t)lowest_free_descriptor();
	setrlimit(RLIMIT_NOFILE, &none);
	work();
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_state("s1", "UP 1/3", CHECK_SOCKERR);
	assert_null(check_of(srv("s1"))->walk);
	pass(1000);
	assert_state("s1", "UP", CHECK_L7OK);
}

/* -- walks ------------------------------------------------------------------------------------- */

/* The server's side of a check that has just begun. */
static int accept_check(void)
{
	int fd;

	loop_turn(20);
	fd = accept(listening, NULL, NULL);
	assert_true(fd >= 0);
	loop_turn(20);
	return fd;
}

/* However many bytes come: timeout check is the end. */
static void a_trickle_runs_out_of_time(void **state)
{
	unsigned before;
	int fd, i;

	(void)state;
	begin("", " option tcp-check\n tcp-check expect string zzz\n timeout check 1s\n"
	      " server s1 127.0.0.1:$ check inter 10s\n server s2 127.0.0.1:$\n");
	before = open_descriptors();
	fd = accept_check();
	for (i = 0; i < 9; i++) {
		assert_int_equal(send(fd, "z-", 2, MSG_NOSIGNAL), 2);
		clock_advance(100);
		loop_turn(20);
		assert_true(srv("s1")->state->check.running);
	}
	pass(100);
	assert_state("s1", "DOWN", CHECK_L7TOUT);
	assert_string_equal(srv("s1")->state->check.said,
			    " at step 1 of tcp-check (expect string 'zzz')");
	assert_null(check_of(srv("s1"))->walk);
	assert_null(check_of(srv("s1"))->conn);
	close(fd);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(next_in("s1"), 9000);
}

/* A server that never stops sending is judged by what fits into the buffer. */
static void a_flood_ends_with_the_buffer(void **state)
{
	static const char flood[65536];
	ssize_t n;
	int fd, i;

	(void)state;
	begin("", " option tcp-check\n tcp-check expect string zzz\n timeout check 10s\n"
	      " server s1 127.0.0.1:$ check inter 20s\n server s2 127.0.0.1:$\n");
	fd = accept_check();
	for (i = 0; i < 50 && srv("s1")->state->check.running; i++) {
		n = send(fd, flood, sizeof(flood), MSG_NOSIGNAL | MSG_DONTWAIT);
		assert_true(n > 0 || errno == EAGAIN || errno == ECONNRESET || errno == EPIPE);
		loop_turn(20);
	}
	assert_state("s1", "DOWN", CHECK_L7RSP);
	assert_string_equal(srv("s1")->state->check.said,
			    "TCPCHK did not match content 'zzz' at step 1");
	close(fd);
}

static void maintenance_breaks_a_walk_off(void **state)
{
	struct server *s;
	int fd;

	(void)state;
	begin("", " option redis-check\n server s1 127.0.0.1:$ check\n");
	fd = accept_check();
	s = srv("s1");
	assert_non_null(check_of(s)->walk);
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	assert_null(check_of(s)->walk);
	assert_null(check_of(s)->conn);
	assert_false(timer_armed(&check_of(s)->timer));
	assert_false(s->state->check.running);
	close(fd);
}

/* The agent is asked all the same: it may end the maintenance. */
static void an_agent_ends_maintenance(void **state)
{
	struct server *s;
	int fd;

	(void)state;
	begin("", " server s1 127.0.0.1:$ weight 10 agent-check agent-port $ agent-inter 1s\n");
	s = srv("s1");
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	fd = accept_check();
	assert_int_equal(send(fd, "ready 50% do", 12, MSG_NOSIGNAL), 12);
	loop_turn(20);
	assert_true(s->state->agent.running);
	assert_int_equal(s->state->admin, ADMIN_FORCED_MAINT);
	assert_int_equal(send(fd, "wn\n", 3, MSG_NOSIGNAL), 3);
	pass(10);
	assert_int_equal(s->state->admin, 0);
	assert_int_equal(s->state->user_weight, 5);
	assert_int_equal(s->state->agent.status, CHECK_L7STS);
	assert_int_equal(s->state->op, SERVER_DOWN);
	assert_string_equal(s->state->agent.said, "via agent : down");
	close(fd);
}

/* An agent that is not there says nothing; nor do its timeouts. */
static void an_agent_that_is_away_changes_nothing(void **state)
{
	int fd;

	(void)state;
	begin("", " server s1 127.0.0.1:$ agent-check agent-port $ agent-inter 1s\n");
	fd = accept_check();
	assert_int_equal(send(fd, "down\n", 5, MSG_NOSIGNAL), 5);
	pass(10);
	assert_int_equal(srv("s1")->state->op, SERVER_DOWN);
	close(fd);
	close_port();
	pass(1000);
	assert_int_equal(srv("s1")->state->agent.status, CHECK_L4CON);
	assert_int_equal(srv("s1")->state->op, SERVER_DOWN);
	open_port(100);
	pass(1000);
	fd = accept(listening, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(send(fd, "up\n", 3, MSG_NOSIGNAL), 3);
	pass(10);
	assert_int_equal(srv("s1")->state->op, SERVER_UP);
	close(fd);
}

/* -- where and what ---------------------------------------------------------------------------- */

static void port_and_addr_are_asked_instead(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:1 check port $\n server s2 127.0.0.1:$ check addr 127.0.0.9\n"
	      " server s3 192.0.2.1:1 check addr 127.0.0.1 port $\n");
	pass(2000);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_state("s2", "DOWN", CHECK_L4CON);
	assert_state("s3", "UP", CHECK_L4OK);
}

static void assert_proxy_line(const char *settings, bool expected)
{
	char backend[200], line[200] = "", wanted[200];
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	int fd;

	snprintf(backend, sizeof(backend), " server s1 127.0.0.1:$ check %s\n", settings);
	begin("", backend);
	work();
	assert_int_equal(fcntl(listening, F_SETFL, O_NONBLOCK), 0);
	fd = accept(listening, (struct sockaddr *)&from, &len);
	if (!expected) {
		assert_int_equal(fd, -1);
		return;
	}
	assert_true(fd >= 0);
	assert_true(recv(fd, line, sizeof(line) - 1, 0) > 0);
	snprintf(wanted, sizeof(wanted), "PROXY TCP4 127.0.0.1 127.0.0.1 %u %u\r\n",
		 ntohs(from.sin_port), port);
	assert_string_equal(line, wanted);
	close(fd);
}

static void send_proxy_goes_along(void **state)
{
	(void)state;
	assert_proxy_line("send-proxy", true);
}

static void send_proxy_is_for_the_service_port(void **state)
{
	(void)state;
	assert_proxy_line("send-proxy port $", false);
}

static void check_send_proxy_is_for_any_port(void **state)
{
	(void)state;
	assert_proxy_line("check-send-proxy port $", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_listening_port_passes),
		TEST(the_server_does_not_see_the_connection),
		TEST(refused_takes_it_down_and_up_again),
		TEST(silence_is_a_timeout),
		TEST(timeout_check_splits_the_time),
		TEST(a_wrong_source_address_is_said),
		TEST(a_missing_unix_socket_is_a_socket_error),
		TEST(out_of_descriptors_leaves_it_up),
		TEST(out_of_descriptors_leaves_walks_up),
		TEST(a_trickle_runs_out_of_time),
		TEST(a_flood_ends_with_the_buffer),
		TEST(maintenance_breaks_a_walk_off),
		TEST(an_agent_ends_maintenance),
		TEST(an_agent_that_is_away_changes_nothing),
		TEST(port_and_addr_are_asked_instead),
		TEST(send_proxy_goes_along),
		TEST(send_proxy_is_for_the_service_port),
		TEST(check_send_proxy_is_for_any_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
