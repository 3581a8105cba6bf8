/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions over real sockets, from the accepted descriptor to the end: what is counted, which time
 * limit holds when, headers that come in pieces, and that nothing is left of it. The sockets are of
 * the Unix family, so that what is sent has arrived; the clock stands still but for what a test lets
 * pass. */
#include "session/session.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/pool.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "log/log.h"
#include "net/faults.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "session/admission.h"
#include "session/handshake.h"
#include "session/keepalive.h"
#include "session/test_visitor.h"
#include "stream/stream.h"
#include "tally/tallies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int fd = -1;             /* the client's */
static int log_fd = -1;         /* where lines of the log come */
static struct listener *at;     /* where it is accepted */
static struct proxy *front;
static char got[2000];
static size_t got_len;

/* ---- the client ------------------------------------------------------------------------------- */

static void client_open_from(const char *frontend, uint16_t port)
{
	front = world_frontend(frontend);
	at = visitor_listener(frontend);
	got_len = 0;
	fd = visitor_comes_from(port, frontend, "");
}

static void client_open(const char *frontend)
{
	client_open_from(frontend, 5000);
}

static void client_says(const char *text)
{
	visitor_says(fd, text);
}

/* Takes what is there. Is the connection closed? */
static bool client_hears(void)
{
	ssize_t n = recv(fd, got + got_len, sizeof(got) - 1 - got_len, MSG_DONTWAIT);

	if (n > 0)
		got_len += (size_t)n;
	got[got_len] = 0;
	return n == 0 || (n < 0 && errno != EAGAIN);
}

static bool client_is_closed(void)
{
	client_hears();
	return client_hears();
}

static void client_got(const char *begin)
{
	client_hears();
	assert_true(got_len >= strlen(begin));
	assert_memory_equal(got, begin, strlen(begin));
	got_len = 0;
}

static uint64_t in_use(const char *name)
{
	const struct pool *pool;

	for (pool = pool_first(); pool; pool = pool->next)
		if (!strcmp(pool->name, name))
			return pool->used;
	return 0;
}

/* Nothing of it is left. */
static void client_gone(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
	turns(QUIET);
	assert_int_equal(in_use("session"), 0);
	assert_int_equal(in_use("handshake"), 0);
	assert_int_equal(in_use("stream"), 0);
	assert_int_equal(in_use("peer address"), 0);
	assert_int_equal(in_use("buffer"), 0);
	assert_int_equal(streams_count, 0);
	assert_int_equal(front->fe->current, 0);
	assert_int_equal(front->fe->h1.open_connections, 0);
	assert_int_equal(at->tally->current, 0);
	assert_int_equal(at->current, 0);
	assert_int_equal(global_tally->current, 0);
}

/* ---- what is counted -------------------------------------------------------------------------- */

/* Of the process, the frontend and the listener, since they were looked at. */
static struct global_tally all;
static struct counters of_front, of_listener;

static void look(const char *frontend)
{
	front = world_frontend(frontend);
	at = visitor_listener(frontend);
	memset(&global_tally->conn_rate, 0, sizeof(struct rate));
	memset(&global_tally->sess_rate, 0, sizeof(struct rate));
	memset(&front->fe->counters, 0, sizeof(struct counters));
	memset(&at->tally->counters, 0, sizeof(struct counters));
	all = *global_tally;
	of_front = front->fe->counters;
	of_listener = at->tally->counters;
}

static void process_counts(unsigned connections, unsigned sessions, unsigned requests)
{
	assert_int_equal(global_tally->cum_conns - all.cum_conns, connections);
	assert_int_equal(global_tally->conn_rate.current, connections);
	assert_int_equal(global_tally->cum_sessions - all.cum_sessions, sessions);
	assert_int_equal(global_tally->sess_rate.current, sessions);
	assert_int_equal(global_tally->cum_requests - all.cum_requests, requests);
	assert_int_equal(global_tally->cum_tls, all.cum_tls);
	assert_int_equal(global_tally->no_memory, all.no_memory);
	assert_int_equal(global_tally->accept_failures, all.accept_failures);
}

static void frontend_counts(unsigned connections, unsigned sessions)
{
	assert_int_equal(front->fe->counters.connections, connections);
	assert_int_equal(front->fe->counters.connection_rate.current, connections);
	assert_int_equal(front->fe->counters.connections_max, connections ? 1 : 0);
	assert_int_equal(front->fe->counters.sessions, sessions);
	assert_int_equal(front->fe->counters.session_rate.current, sessions);
	assert_int_equal(at->tally->counters.connections, connections);
	assert_int_equal(at->tally->counters.connections_max, connections ? 1 : 0);
}

/* A socket of datagrams; "log /its/path". */
static char log_path[] = "/tmp/penstock-session-XXXXXX/log";

static void log_begin(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char *slash = strrchr(log_path, '/');

	*slash = 0;
	assert_non_null(mkdtemp(log_path));
	*slash = '/';
	memcpy(un.sun_path, log_path, sizeof(log_path));
	log_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(log_fd, (struct sockaddr *)&un, sizeof(un)), 0);
}

static void log_end(void)
{
	close(log_fd);
	unlink(log_path);
	*strrchr(log_path, '/') = 0;
	rmdir(log_path);
}

/* The next line, a date in brackets left out; "": there is none. */
static const char *logged(void)
{
	static char line[1000];
	ssize_t n = recv(log_fd, line, sizeof(line) - 1, 0);
	char *open, *close;

	line[n < 0 ? 0 : n] = 0;
	line[strcspn(line, "\n")] = 0;
	open = strchr(line, '[');
	close = strchr(line, ']');
	if (open && close)
		memmove(open, close + 1, strlen(close));
	return line;
}

static int begin(void **state)
{
	struct err err = { "" };
	char text[3500];

	(void)state;
	log_begin();
	snprintf(text, sizeof(text),
		 SERVED_HTTP
		 "frontend f\n bind 127.0.0.1:1\n timeout http-request 7s\n"
		 " timeout http-keep-alive 3s\n default_backend b\n"
		 "frontend plain\n bind 127.0.0.1:1\n default_backend b\n"
		 "frontend request\n bind 127.0.0.1:1\n timeout http-request 7s\n"
		 " default_backend b\n"
		 "backend b\n http-reuse always\n server s abns@%%s\n"
		 "listen t\n bind 127.0.0.1:1\n mode tcp\n server s abns@%%s\n"
		 "listen p\n bind 127.0.0.1:1 accept-proxy\n mode tcp\n timeout client 9s\n"
		 " tcp-request connection reject if { src_port 4711 }\n"
		 " tcp-request session reject if { src_port 4712 }\n"
		 " server s abns@%%s\n"
		 "listen header\n bind 127.0.0.1:1 accept-proxy name in\n mode tcp\n"
		 " timeout client 9s\n log %s format raw local0\n server s abns@%%s\n"
		 "listen told\n bind 127.0.0.1:1 accept-proxy\n mode tcp\n timeout client 9s\n"
		 " log %s format raw local0\n log-format \"%%Th %%ci:%%cp\"\n"
		 " error-log-format \"%%[fc_err] %%[fc_err_str]\"\n server s abns@%%s\n",
		 log_path, log_path);
	visitors_begin(text);
	assert_int_equal(log_run_module.prepare(world_config(), NULL, &err), 0);
	return 0;
}

static int end(void **state)
{
	log_run_module.stop();
	served_world_end(state);
	log_end();
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	served_afresh();
	pass(3000);
	return 0;
}

/* ---- tests: counters -------------------------------------------------------------------------- */

#define REQUEST "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"

static void a_session_of_http(void **state)
{
	(void)state;
	look("f");
	client_open("f");
	assert_int_equal(front->fe->current, 1);
	assert_int_equal(at->tally->current, 1);
	assert_int_equal(at->current, 1);
	assert_int_equal(global_tally->current, 1);
	assert_int_equal(front->fe->h1.open_connections, 1);
	process_counts(1, 1, 0);
	frontend_counts(1, 1);
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	process_counts(1, 1, 2);
	frontend_counts(1, 1);
	assert_int_equal(front->fe->counters.requests, 2);
	assert_int_equal(front->fe->h1.open_connections, 1);
	client_gone();
}

static void a_session_of_bytes(void **state)
{
	(void)state;
	look("t");
	served.says = "answer";
	client_open("t");
	client_says("hello");
	client_got("answer");
	process_counts(1, 1, 1);
	frontend_counts(1, 1);
	assert_int_equal(front->fe->h1.total_connections, 0);
	client_gone();
}

/* Its times count from here, by both clocks. */
static void a_session_knows_when_it_began(void **state)
{
	struct addr from = { .family = AF_UNIX };
	struct session *se;

	(void)state;
	look("t");
	admission_take(at);
	se = session_new(at, &from);
	assert_int_equal(se->origin.accepted_ms, clock_now_ms);
	assert_int_equal(se->origin.accepted.tv_sec, clock_wall().tv_sec);
	assert_ptr_equal(se->origin.frontend, front);
	assert_ptr_equal(se->origin.listener, at);
	session_free(&se);
	assert_null(se);
	client_gone();
}

/* However often others are told: a header behind a header, a rule. */
static void its_own_addresses_are_kept(void **state)
{
	struct addr own = { .family = AF_INET, .port = 1 }, second = { .family = AF_INET, .port = 2 },
		    third = { .family = AF_INET, .port = 3 };
	struct session *se;

	(void)state;
	look("t");
	admission_take(at);
	se = session_new(at, &own);
	assert_null(origin_dst(&se->origin));
	assert_true(session_set_addrs(se, &second, &third));
	assert_true(session_set_addrs(se, &third, &second));
	assert_int_equal(se->origin.src.port, 3);
	assert_int_equal(origin_dst(&se->origin)->port, 2);
	assert_int_equal(se->origin.told->own_src.port, 1);
	assert_false(se->origin.told->has_own_dst);
	session_free(&se);
	client_gone();
}

static void rules_refuse_it(void **state)
{
	(void)state;
	look("p");
	client_open_from("p", 4711);
	assert_true(client_is_closed());
	process_counts(1, 0, 0);
	frontend_counts(1, 0);
	assert_int_equal(front->fe->counters.denied_connections, 1);
	assert_int_equal(at->tally->counters.denied_connections, 1);
	client_gone();
	pass(2000);
	look("p");
	client_open_from("p", 4713);
	client_says("PROXY TCP4 1.2.3.4 5.6.7.8 4712 80\r\n");
	assert_true(client_is_closed());
	process_counts(1, 0, 0);
	frontend_counts(1, 0);
	assert_int_equal(front->fe->counters.denied_sessions, 1);
	assert_int_equal(at->tally->counters.denied_sessions, 1);
	client_gone();
}

static void ports_of_root_are_refused(void **state)
{
	(void)state;
	admission_rejects_privileged = 1;
	look("t");
	client_open_from("t", 1023);
	assert_true(client_is_closed());
	process_counts(1, 0, 0);
	assert_int_equal(front->fe->counters.denied_connections, 1);
	assert_int_equal(at->tally->counters.denied_connections, 1);
	client_gone();
	client_open_from("t", 1024);
	assert_false(client_is_closed());
	client_gone();
	admission_rejects_privileged = 0;
	client_open_from("t", 1023);
	assert_false(client_is_closed());
	client_gone();
}

/* ---- tests: time limits ----------------------------------------------------------------------- */

/* The connection is closed ms from now, and not before; an answer comes first (NULL: none). */
static void closes_in(uint64_t ms, const char *answer)
{
	pass(ms - 1);
	assert_false(client_is_closed());
	pass(1);
	if (answer)
		client_got(answer);
	assert_true(client_is_closed());
	client_gone();
}

/* timeout http-keep-alive is none of the first request's. */
static void the_first_request_has_its_own_limit(void **state)
{
	(void)state;
	client_open("f");
	closes_in(7000, "HTTP/1.1 408 ");
	client_open("request");
	closes_in(7000, "HTTP/1.1 408 ");
	client_open("plain");
	closes_in(60000, "HTTP/1.1 408 ");
}

static void the_next_request_has_another(void **state)
{
	(void)state;
	client_open("f");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	closes_in(3000, NULL);
	client_open("request");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	closes_in(7000, NULL);
	client_open("plain");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	closes_in(60000, NULL);
}

/* A request that has begun has the limit of requests, from its first byte on. */
static void half_a_request_has_that_of_requests(void **state)
{
	(void)state;
	client_open("f");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	pass(2000);
	client_says("GET /5 HT");
	closes_in(7000, "HTTP/1.1 408 ");
}

/* ---- tests: at rest --------------------------------------------------------------------------- */

static void the_client_leaves_between_two_requests(void **state)
{
	(void)state;
	client_open("f");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	assert_int_equal(in_use("stream"), 0);
	assert_int_equal(in_use("session"), 1);
	assert_int_equal(streams_count, 1);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	turns(QUIET);
	assert_true(client_is_closed());
	client_gone();
}

/* Two requests at once: the second needs no event. */
static void the_next_request_is_there_already(void **state)
{
	(void)state;
	client_open("f");
	client_says(REQUEST REQUEST);
	assert_int_equal(served.asked, 2);
	client_gone();
}

static void all_that_wait_are_closed(void **state)
{
	(void)state;
	client_open("f");
	keepalive_close_all();
	assert_true(client_is_closed());
	client_gone();
}

/* The process stops: who has asked is closed, who has not may ask once. */
static void a_stop_closes_those_that_have_asked(void **state)
{
	(void)state;
	client_open("plain");
	keepalive_finish(false);
	turns(QUIET);
	assert_false(client_is_closed());
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	keepalive_finish(true);
	turns(QUIET);
	assert_false(client_is_closed());
	keepalive_finish(false);
	turns(QUIET);
	assert_true(client_is_closed());
	client_gone();
}

/* ... within the time over which that is spread, and not at once. */
static void a_stop_may_be_spread(void **state)
{
	(void)state;
	keepalive_spread_ms = 1000;
	client_open("plain");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	keepalive_finish(true);
	turns(QUIET);
	assert_false(client_is_closed());
	pass(1000);
	assert_true(client_is_closed());
	client_gone();
	keepalive_spread_ms = UINT32_MAX;
	client_open("plain");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	keepalive_finish(false);
	pass(10000);
	assert_false(client_is_closed());
	keepalive_spread_ms = 0;
	client_gone();
}

static void responses_say_that_it_stops(void **state)
{
	(void)state;
	assert_false(keepalive_is_over());
	global_state->stopping = true;
	assert_true(keepalive_is_over());
	keepalive_spread_ms = UINT32_MAX;
	assert_false(keepalive_is_over());
	keepalive_spread_ms = 0;
	client_open("plain");
	client_says(REQUEST);
	client_got("HTTP/1.1 200 OK\r\n");
	assert_true(client_is_closed());
	global_state->stopping = false;
	client_gone();
}

/* ---- tests: headers in front ------------------------------------------------------------------ */

#define HEADER "PROXY TCP4 1.2.3.4 5.6.7.8 1111 80\r\n"

/* Byte by byte; what follows is the server's. */
static void a_header_comes_in_pieces(void **state)
{
	uint64_t taken = handshake_stats.taken;
	const char *at_byte;

	(void)state;
	served.says = "answer";
	client_open("p");
	assert_int_equal(in_use("handshake"), 1);
	assert_int_equal(streams_count, 1);
	for (at_byte = HEADER; *at_byte; at_byte++) {
		char one[2] = { *at_byte, 0 };

		assert_int_equal(in_use("handshake"), 1);
		client_says(one);
	}
	assert_int_equal(in_use("handshake"), 0);
	assert_int_equal(handshake_stats.taken, taken + 1);
	client_says("hello");
	client_got("answer");
	assert_int_equal(front->fe->counters.bytes_in, 0); /* not counted before its end */
	look("p");
	client_gone();
	assert_int_equal(front->fe->counters.bytes_in, 5);
}

static void a_header_does_not_come(void **state)
{
	uint64_t refused = handshake_stats.refused;

	(void)state;
	client_open("p");
	client_says("PROXY ");
	look("p");
	closes_in(9000, NULL);
	assert_int_equal(front->fe->counters.failed_requests, 1);
	assert_int_equal(at->tally->counters.failed_requests, 1);
	assert_int_equal(front->fe->counters.tls_failed, 0);
	assert_int_equal(handshake_stats.refused, refused + 1);
	client_open("p");
	client_says("PROXY ");
	close(fd);
	fd = -1;
	client_gone();
	assert_int_equal(handshake_stats.refused, refused + 2);
	client_open("p");
	client_says("GET / HTTP/1.1\r\n\r\n");
	assert_true(client_is_closed());
	client_gone();
	assert_int_equal(handshake_stats.refused, refused + 3);
}

/* What becomes of a header: then the connection is closed, or no more is said until its time is
 * over. */
enum { CLOSES, SAYS, WAITS };

static void refused_header(const char *frontend, int then, const char *bytes, size_t len,
			   const char *line)
{
	client_open_from(frontend, 1024);
	if (len)
		assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
	if (then == CLOSES)
		assert_int_equal(shutdown(fd, SHUT_WR), 0);
	turns(QUIET);
	if (then == WAITS)
		pass(9000);
	assert_true(client_is_closed());
	assert_string_equal(logged(), line);
	assert_string_equal(logged(), "");
	client_gone();
}

#define PROXY(then, bytes, text)                                                                  \
	refused_header("header", then, bytes, sizeof(bytes) - 1, "127.0.0.9:1024  header/in: " text)
static void each_fault_of_a_header_has_its_line(void **state)
{
	(void)state;
	PROXY(CLOSES, "", "Connection closed while waiting for PROXY protocol header");
	PROXY(WAITS, "", "Timeout while waiting for PROXY protocol header");
	PROXY(WAITS, "PROXY TCP4 1", "Timeout while waiting for PROXY protocol header");
	PROXY(CLOSES, "PROXY TCP4 1", "Truncated PROXY protocol header received");
	PROXY(SAYS, "GET / HTTP/1.1\r\n\r\n",
	      "Received something which does not look like a PROXY protocol header");
	PROXY(SAYS, "PROXY TCP4 1.2.3.4 5.6.7.8 x 80\r\n",
	      "Received an invalid PROXY protocol header");
}

static void a_format_of_errors_knows_the_fault(void **state)
{
	(void)state;
	refused_header("told", WAITS, "", 0, "13 Timeout while waiting for PROXY protocol header");
	refused_header("told", SAYS, "GET / HTTP/1.1\r\n\r\n", 18,
		       "15 Received something which does not look like a PROXY protocol header");
}

/* How long the header has taken, and whose it was. */
static void the_log_knows_the_header(void **state)
{
	(void)state;
	client_open("told");
	pass(1234);
	client_says(HEADER);
	pass(500);
	client_gone();
	assert_string_equal(logged(), "1234 1.2.3.4:1111");
	assert_string_equal(logged(), "");
}

/* The time for it is over as soon as it is there. */
static void a_header_was_in_time(void **state)
{
	(void)state;
	client_open("p");
	pass(8999);
	client_says(HEADER);
	pass(8999);
	assert_false(client_is_closed());
	client_gone();
}

/* ---- tests: admission ------------------------------------------------------------------------- */

static unsigned room(const char *frontend, unsigned *wait_ms)
{
	return admission_room(visitor_listener(frontend), wait_ms);
}

/* The smallest limit counts. */
static void there_is_room_below_all_limits(void **state)
{
	unsigned wait_ms = 99;

	(void)state;
	look("t");
	front->state->maxconn = 10;
	assert_int_equal(room("t", &wait_ms), 10);
	assert_int_equal(wait_ms, 0);
	at->maxconn = 9;
	assert_int_equal(room("t", &wait_ms), 9);
	global_state->maxconn = 8;
	assert_int_equal(room("t", &wait_ms), 8);
	client_open("t");
	assert_int_equal(room("t", &wait_ms), 7);
	at->maxconn = 3;
	assert_int_equal(room("t", &wait_ms), 2);
	front->state->maxconn = 2;
	assert_int_equal(room("t", &wait_ms), 1);
	front->state->maxconn = 1;
	assert_int_equal(room("t", &wait_ms), 0);
	front->state->maxconn = 0;
	assert_int_equal(room("t", &wait_ms), 0);
	assert_int_equal(wait_ms, 0);
	front->state->maxconn = 1000;
	at->maxconn = 0;
	global_state->maxconn = 1000;
	global_state->stopping = true;
	assert_int_equal(room("t", &wait_ms), 0);
	global_state->stopping = false;
	client_gone();
}

/* Without one for the next second; and when there is one again. */
static void rates_limit_it(void **state)
{
	unsigned *const limits[] = { &global_state->maxconn_rate, &global_state->maxsess_rate,
				     &world_frontend("t")->state->rate_limit };
	unsigned wait_ms, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		pass(2000);
		look("t");
		*limits[i] = 2;
		assert_int_equal(room("t", &wait_ms), 2);
		client_open("t");
		client_gone();
		assert_int_equal(room("t", &wait_ms), 1);
		assert_int_equal(wait_ms, 0);
		client_open("t");
		client_gone();
		assert_int_equal(room("t", &wait_ms), 0);
		assert_true(wait_ms > 0 && wait_ms <= 2000);
		pass(wait_ms);
		assert_true(room("t", &wait_ms) > 0);
		assert_int_equal(wait_ms, 0);
		*limits[i] = 0;
	}
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_session_of_http), EACH(a_session_of_bytes),
		EACH(a_session_knows_when_it_began),
		EACH(its_own_addresses_are_kept), EACH(rules_refuse_it),
		EACH(ports_of_root_are_refused), EACH(the_first_request_has_its_own_limit),
		EACH(the_next_request_has_another), EACH(half_a_request_has_that_of_requests),
		EACH(the_client_leaves_between_two_requests),
		EACH(the_next_request_is_there_already), EACH(all_that_wait_are_closed),
		EACH(a_stop_closes_those_that_have_asked), EACH(a_stop_may_be_spread),
		EACH(responses_say_that_it_stops), EACH(a_header_comes_in_pieces),
		EACH(a_header_does_not_come), EACH(each_fault_of_a_header_has_its_line),
		EACH(a_format_of_errors_knows_the_fault), EACH(the_log_knows_the_header),
		EACH(a_header_was_in_time),
		EACH(there_is_room_below_all_limits), EACH(rates_limit_it),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
