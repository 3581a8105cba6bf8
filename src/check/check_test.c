/* SPDX-License-Identifier: BSD-2-Clause */
/* Health checks of sockets on loopback, with a clock that stands still: results, what they make
 * of the health, the lines of the log (those of the reference, recorded with the same servers),
 * and that nothing stays open or armed between checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/segment.h"
#include "base/str.h"
#include "check/check.h"
#include "check/check_conf.h"
#include "check/health.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "event/loop.h"
#include "expr/expr.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, &expr_module, &check_tcp_module,
					     &check_http_module, &check_stock_module, &check_module,
					     NULL };
static struct config *cfg;
static int saved_stderr, captured, listening = -1;
static unsigned port; /* of the listening socket */

/* -- world ----------------------------------------------------------------------------------- */

static void open_port(int backlog)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	socklen_t len = sizeof(in);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in.sin_port = htons((uint16_t)port);
	listening = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	assert_int_equal(bind(listening, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(listening, backlog), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&in, &len), 0);
	port = ntohs(in.sin_port);
}

static void close_port(void)
{
	close(listening);
	listening = -1;
}

static int setup(void **state)
{
	(void)state;
	port = 0;
	open_port(100);
	saved_stderr = dup(STDERR_FILENO);
	captured = memfd_create("stderr", 0);
	dup2(captured, STDERR_FILENO);
	return 0;
}

/* global: lines of that section; backend: lines of backend be, in which $ is the port. */
static void begin(const char *global, const char *backend)
{
	struct err err = { "" };
	char buf[4096];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_printf(&t, "global\n%sdefaults\n timeout connect 5s\n timeout client 1s\n"
		    " timeout server 1s\nbackend be\n", global);
	for (; *backend; backend++) {
		if (*backend == '$')
			text_num(&t, port);
		else
			text_char(&t, *backend);
	}
	clock_freeze(100000);
	assert_int_equal(loop_init(20), 0);
	cfg = config_new(list, false);
	config_read_text(cfg, "test", buf, t.len);
	if (config_finish(cfg)) {
		diag_print(cfg->diag, stdout, false, DIAG_NOTE);
		fail();
	}
	assert_int_equal(proxies_prepare(cfg, config_data(cfg, &proxy_module), &err), 0);
	assert_int_equal(check_module.prepare(cfg, config_data(cfg, &check_module), &err), 0);
	assert_int_equal(check_module.start(cfg, config_data(cfg, &check_module), &err), 0);
}

static int teardown(void **state)
{
	struct proxies *all = proxies_running;

	(void)state;
	if (all) {
		check_module.stop();
		segment_free(&all->segment);
		proxies_running = NULL;
	}
	config_free(&cfg);
	loop_free();
	memset(&server_hooks, 0, sizeof(server_hooks));
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(captured);
	if (listening >= 0)
		close_port();
	return 0;
}

static struct server *srv(const char *name)
{
	return server_find(proxy_find(proxies_running, "be", PROXY_BACKEND), name);
}

/* Lets timers and sockets work until no check is running, at most for as long as they may. */
static void work(void)
{
	struct server *s;
	int turns = 0;
	bool running;

	do {
		loop_turn(20);
		running = false;
		for (s = srv("s1"); s; s = s->next)
			running |= s->state->check.running || s->state->agent.running;
	} while (running && ++turns < 20);
}

static void pass(unsigned ms)
{
	clock_advance(ms);
	work();
}

static unsigned next_in(const char *name)
{
	return (unsigned)(srv(name)->check->timer.when - clock_now_ms);
}

static void assert_state(const char *name, const char *status, int check_status)
{
	char buf[100];

	assert_string_equal(server_status_text(srv(name), buf, sizeof(buf)), status);
	assert_int_equal(srv(name)->state->check.status, check_status);
}

/* The lines since the last call, without the marks in front; durations are N. */
static const char *said(void)
{
	static char buf[8192];
	char raw[8192], *line, *rest = raw, *from, *to;
	ssize_t n = pread(captured, raw, sizeof(raw) - 1, 0);

	assert_true(n >= 0);
	raw[n] = 0;
	buf[0] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!strstr(line, " : "))
			continue;
		line = strstr(line, " : ") + 3;
		from = strstr(line, "duration: ");
		to = from ? strstr(from, "ms") : NULL;
		if (to) {
			memcpy(from + 10, "N", 1);
			memmove(from + 11, to, strlen(to) + 1);
		}
		strcat(strcat(buf, line), "\n");
	}
	assert_int_equal(ftruncate(captured, 0), 0);
	assert_int_equal(lseek(captured, 0, SEEK_SET), 0);
	return buf;
}

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
	assert_null(srv("s1")->check->conn);
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
	assert_null(srv("s1")->check->walk);
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
	assert_null(srv("s1")->check->walk);
	assert_null(srv("s1")->check->conn);
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
	assert_non_null(s->check->walk);
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	assert_null(s->check->walk);
	assert_null(s->check->conn);
	assert_false(timer_armed(&s->check->timer));
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

/* -- when ---------------------------------------------------------------------------------------- */

static void intervals_follow_the_state(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 4s fastinter 1s downinter 2s fall 2\n");
	work();
	assert_int_equal(next_in("s1"), 4000);
	close_port();
	pass(4000);
	assert_int_equal(next_in("s1"), 1000);
	pass(1000);
	assert_state("s1", "DOWN", CHECK_L4CON);
	assert_int_equal(next_in("s1"), 2000);
	open_port(100);
	pass(2000);
	assert_int_equal(next_in("s1"), 1000);
	pass(1000);
	assert_int_equal(next_in("s1"), 4000);
}

static void the_start_is_spread(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 400\n server s2 127.0.0.1:$ check inter 4s\n"
	      " server s3 127.0.0.1:$ check\n server s4 127.0.0.1:$ check\n"
	      " server off 127.0.0.1:$ check disabled\n");
	assert_int_equal(next_in("s1"), 0);
	assert_int_equal(next_in("s2"), 80);
	assert_int_equal(next_in("s3"), 160);
	assert_int_equal(next_in("s4"), 240);
	assert_false(timer_armed(&srv("off")->check->timer));
}

static void max_spread_checks_shortens_it(void **state)
{
	(void)state;
	begin(" max-spread-checks 100\n",
	      " server s1 127.0.0.1:$ check\n server s2 127.0.0.1:$ check\n");
	assert_int_equal(next_in("s1"), 0);
	assert_int_equal(next_in("s2"), 50);
}

static void spread_checks_varies_the_interval(void **state)
{
	unsigned least = UINT32_MAX, most = 0, i;

	(void)state;
	begin(" spread-checks 20\n", " server s1 127.0.0.1:$ check inter 1s\n");
	work();
	for (i = 0; i < 60; i++) {
		least = next_in("s1") < least ? next_in("s1") : least;
		most = next_in("s1") > most ? next_in("s1") : most;
		pass(next_in("s1"));
	}
	assert_in_range(least, 800, 950);
	assert_in_range(most, 1050, 1200);
}

/* In maintenance and while paused there is no timer at all. */
static void maintenance_stops_it(void **state)
{
	struct server *s;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check inter 1s\n");
	work();
	s = srv("s1");
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	assert_false(timer_armed(&s->check->timer));
	server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	assert_true(timer_armed(&s->check->timer));
	check_pause(s, true);
	assert_false(timer_armed(&s->check->timer));
	server_set_admin(s, ADMIN_FORCED_MAINT, 0);
	check_pause(s, false);
	assert_false(timer_armed(&s->check->timer));
	server_set_admin(s, 0, ADMIN_FORCED_MAINT);
	assert_int_equal(next_in("s1"), 1000);
	clock_advance(1000);
	loop_turn(0);
	check_pause(s, true);
	assert_false(s->state->check.running);
	assert_null(s->check->conn);
}

/* -- health, without sockets ----------------------------------------------------------------- */

/* Results by letter: o L4OK, c L4CON, t L4TOUT; what the status is afterwards. */
static void health_counts_as_the_reference(void **state)
{
	static const struct {
		const char *result, *status;
	} steps[] = { { "o", "UP" },   { "c", "UP 2/3" },   { "o", "UP" },       { "t", "UP 2/3" },
		      { "c", "UP 1/3" }, { "o", "UP" },     { "ccc", "DOWN" },   { "t", "DOWN" },
		      { "o", "DOWN 1/2" }, { "c", "DOWN" }, { "oo", "UP" } };
	const char *r;
	unsigned i;

	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	for (i = 0; i < ARRAY_LEN(steps); i++) {
		for (r = steps[i].result; *r; r++)
			health_result(srv("s1"), *r == 'o' ? CHECK_L4OK :
						 *r == 'c' ? CHECK_L4CON : CHECK_L4TOUT);
		assert_state("s1", steps[i].status, srv("s1")->state->check.status);
	}
}

static void log_health_checks_says_each_change(void **state)
{
	struct server *s;

	(void)state;
	begin("", " option log-health-checks\n server s1 127.0.0.1:$ check fall 2\n"
	      " server s2 127.0.0.1:$ check backup\n");
	s = srv("s1");
	health_result(s, CHECK_L4OK);
	health_result(s, CHECK_L4OK);
	health_result(srv("s2"), CHECK_L4OK);
	s->state->check.error = ECONNREFUSED;
	health_result(s, CHECK_L4CON);
	health_result(s, CHECK_L4CON);
	health_result(s, CHECK_L4CON);
	assert_string_equal(said(),
		"Health check for server be/s1 succeeded, reason: Layer4 check passed, check duration: "
		"Nms, status: 2/2 UP.\n"
		"Health check for backup server be/s2 succeeded, reason: Layer4 check passed, check "
		"duration: Nms, status: 3/3 UP.\n"
		"Health check for server be/s1 failed, reason: Layer4 connection problem, info: "
		"\"Connection refused\", check duration: Nms, status: 1/2 UP.\n"
		"Health check for server be/s1 failed, reason: Layer4 connection problem, info: "
		"\"Connection refused\", check duration: Nms, status: 0/2 DOWN.\n"
		"Server be/s1 is DOWN. 0 active and 1 backup servers left. Running on backup. 0 "
		"sessions active, 0 requeued, 0 remaining in queue.\n");
}

/* "set server health stopping" holds until the next check says otherwise. */
static void a_success_ends_stopping(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check\n");
	server_set_stopping(srv("s1"), "changed from CLI");
	health_result(srv("s1"), CHECK_L4OK);
	assert_int_equal(srv("s1")->state->op, SERVER_UP);
}

static void trackers_follow(void **state)
{
	(void)state;
	begin("", " server s1 127.0.0.1:$ check fall 1\n server s2 127.0.0.1:$ track s1\n");
	health_result(srv("s1"), CHECK_L4OK);
	assert_null(srv("s2")->check);
	said();
	health_result(srv("s1"), CHECK_L4TOUT);
	assert_int_equal(srv("s2")->state->op, SERVER_DOWN);
	assert_non_null(strstr(said(), "Server be/s2 is DOWN via be/s1."));
}

/* -- observed traffic -------------------------------------------------------------------------- */

static void errors(struct server *s, unsigned n)
{
	while (n--)
		server_hooks.observed(s, OBSERVED_NOT_CONNECTED);
}

static void begin_observing(const char *on_error)
{
	char backend[200];

	snprintf(backend, sizeof(backend), " server s1 127.0.0.1:$ check inter 10s fastinter 2s "
		 "fall 4 observe layer4 error-limit 3 %s\n", on_error);
	begin("", backend);
	work();
	assert_state("s1", "UP", CHECK_L4OK);
}

static void errors_count_as_a_failed_check(void **state)
{
	struct server *s;

	(void)state;
	begin_observing("");
	s = srv("s1");
	errors(s, 2);
	server_hooks.observed(s, OBSERVED_CONNECTED);
	errors(s, 2);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_int_equal(next_in("s1"), 10000);
	errors(s, 1);
	assert_state("s1", "UP 3/4", CHECK_HANA);
	assert_int_equal(next_in("s1"), 2000);
	assert_int_equal(s->tally->counters.failed_hana, 1);
	assert_int_equal(s->state->check.error, 3);
	errors(s, 9);
	assert_state("s1", "DOWN", CHECK_HANA);
	assert_string_equal(said(),
		"Server be/s1 is DOWN, reason: Health analyze, info: \"Detected 3 consecutive errors, "
		"last one was: L4 unsuccessful connection\". 0 active and 0 backup servers left. 0 "
		"sessions active, 0 requeued, 0 remaining in queue.\n"
		"backend 'be' has no server available!\n");
	errors(s, 30);
	assert_int_equal(s->tally->counters.failed_hana, 4);
}

static void on_error_fastinter_only_hurries(void **state)
{
	(void)state;
	begin_observing("on-error fastinter");
	errors(srv("s1"), 3);
	assert_state("s1", "UP", CHECK_L4OK);
	assert_int_equal(next_in("s1"), 2000);
	assert_int_equal(srv("s1")->tally->counters.failed_hana, 1);
}

static void on_error_sudden_death_leaves_one_try(void **state)
{
	(void)state;
	begin_observing("on-error sudden-death");
	errors(srv("s1"), 3);
	assert_state("s1", "UP 1/4", CHECK_HANA);
	errors(srv("s1"), 3);
	assert_state("s1", "DOWN", CHECK_HANA);
}

static void on_error_mark_down_does_so(void **state)
{
	(void)state;
	begin_observing("on-error mark-down");
	errors(srv("s1"), 3);
	assert_state("s1", "DOWN", CHECK_HANA);
	assert_int_equal(srv("s1")->tally->counters.failed_checks, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
		TEST(intervals_follow_the_state),
		TEST(the_start_is_spread),
		TEST(max_spread_checks_shortens_it),
		TEST(spread_checks_varies_the_interval),
		TEST(maintenance_stops_it),
		TEST(health_counts_as_the_reference),
		TEST(log_health_checks_says_each_change),
		TEST(a_success_ends_stopping),
		TEST(trackers_follow),
		TEST(errors_count_as_a_failed_check),
		TEST(on_error_fastinter_only_hurries),
		TEST(on_error_sudden_death_leaves_one_try),
		TEST(on_error_mark_down_does_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
