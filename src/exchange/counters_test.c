/* SPDX-License-Identifier: BSD-2-Clause */
/* What whole streams add to all counters of their frontend, listener, backend and servers, however
 * they end: each counter that has moved is named with its number, and no other one has. Clients are
 * fake, streams and exchanges are real, servers are scripted sockets. The clock stands still but
 * for what a test lets pass. */
#include "exchange/test_bytes.h"
#include "exchange/test_client.h"
#include "exchange/test_counted.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include "proxy/learn.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODY = 100 };

static struct wire w;
static struct bytes_client c;

/* ---- the world -------------------------------------------------------------------------------- */

static int begin(void **state)
{
	char text[4000];
	unsigned dead_port;

	(void)state;
	close(world_listen(&dead_port)); /* nobody listens there */
	snprintf(text, sizeof(text),
		 SERVED_HTTP " timeout queue 3s\n retries 2\n"
		 "frontend f\n http-request deny if { path /1 }\n"
		 " http-request return status 204 if { path /2 }\n"
		 " http-request redirect location / if { path /3 }\n"
		 " http-response deny if { status 418 }\n"
		 " use_backend dead if { path /10 }\n use_backend one if { path /11 }\n"
		 " use_backend two if { path /12 }\n use_backend none if { path /13 }\n"
		 " use_backend once if { path /14 }\n"
		 " default_backend b\n"
		 "backend b\n http-reuse always\n server s abns@%%s\n"
		 "backend dead\n server s 127.0.0.1:%u\n"
		 "backend one\n balance uri\n http-reuse never\n"
		 " server s abns@%%s maxconn 1 maxqueue 1\n"
		 "backend two\n balance first\n option redispatch 1\n"
		 " server s 127.0.0.1:%u\n server t abns@%%s\n"
		 "backend none\n server s abns@%%s disabled\n"
		 "backend once\n retry-on empty-response\n retry-budget 0 min 1\n"
		 " server s abns@%%s\n"
		 "listen t\n mode tcp\n server s abns@%%s\n"
		 "listen c\n mode tcp\n option contstats\n server s abns@%%s\n"
		 "listen n\n mode tcp\n option nolinger\n server s abns@%%s\n",
		 dead_port, dead_port);
	served_world_begin(text);
	return 0;
}

/* One request to such a backend, to its end. */
static struct lane *ask(const char *backend, size_t n)
{
	struct lane *lane;

	wire_open(&w, world_frontend("f"));
	look_at("f", backend);
	lane = wire_ask(&w, 0, n);
	turns(QUIET);
	return lane;
}

static void answered_with(unsigned status)
{
	assert_null(w.lanes[0].end);
	assert_int_equal(w.lanes[0].status, status);
	wire_close(&w);
	at_rest();
}

/* ---- exchanges -------------------------------------------------------------------------------- */

static void an_answer(void **state)
{
	(void)state;
	ask("b", BODY);
	lane_is_whole(&w.lanes[0]);
	answered_with(200);
	moved("front: bytes_out 100 requests 1 responses_2xx 1 request_rate.current 1\n"
	      "listener: bytes_out 100 requests 1 responses_2xx 1\n"
	      "back: sessions 1 bytes_out 100 balanced 1 connects 1 requests 1 responses_2xx "
	      "1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 100 balanced 1 connects 1 requests 1 "
	      "responses_2xx 1 connections_max 1 session_rate.current 1\n");
	/* The second one finds the connection. */
	ask("b", BODY);
	answered_with(200);
	moved("front: bytes_out 100 requests 1 responses_2xx 1 request_rate.current 1\n"
	      "listener: bytes_out 100 requests 1 responses_2xx 1\n"
	      "back: sessions 1 bytes_out 100 balanced 1 reuses 1 requests 1 responses_2xx 1 "
	      "connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 100 balanced 1 reuses 1 requests 1 responses_2xx "
	      "1 connections_max 1 session_rate.current 1\n");
}

static void any_status(void **state)
{
	static const struct {
		const char *answer;
		unsigned status;
		const char *column;
	} answers[] = {
		{ "HTTP/1.1 302 F\r\nContent-Length: 0\r\n\r\n", 302, "3xx" },
		{ "HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n", 404, "4xx" },
		{ "HTTP/1.1 503 U\r\nContent-Length: 0\r\n\r\n", 503, "5xx" },
		{ "HTTP/1.1 699 ?\r\nContent-Length: 0\r\n\r\n", 699, "other" },
	};
	char expected[1000];
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++) {
		served.says = answers[i].answer;
		ask("b", 5);
		answered_with(answers[i].status);
		sprintf(expected,
			"front: requests 1 responses_%s 1 request_rate.current 1\n"
			"listener: requests 1 responses_%s 1\n"
			"back: sessions 1 balanced 1 reuses 1 requests 1 responses_%s 1 "
			"connections_max 1 session_rate.current 1\n"
			"server: sessions 1 balanced 1 reuses 1 requests 1 responses_%s 1 "
			"connections_max 1 session_rate.current 1\n",
			answers[i].column, answers[i].column, answers[i].column,
			answers[i].column);
		moved(expected);
		pass(2000);
	}
}

static void rules_answer(void **state)
{
	(void)state;
	ask("b", 1);
	answered_with(403);
	moved("front: bytes_out 93 denied_requests 1 requests 1 responses_4xx 1 "
	      "request_rate.current 1\n"
	      "listener: bytes_out 93 denied_requests 1 requests 1 responses_4xx 1\n"
	      "back:\n"
	      "server:\n");
	pass(2000);
	ask("b", 2);
	answered_with(204);
	moved("front: requests 1 responses_2xx 1 intercepted 1 request_rate.current 1\n"
	      "listener: requests 1 responses_2xx 1\n"
	      "back:\n"
	      "server:\n");
	pass(2000);
	ask("b", 3);
	answered_with(302);
	moved("front: requests 1 responses_3xx 1 intercepted 1 request_rate.current 1\n"
	      "listener: requests 1 responses_3xx 1\n"
	      "back:\n"
	      "server:\n");
	pass(2000);
	served.says = "HTTP/1.1 418 T\r\nContent-Length: 0\r\n\r\n";
	ask("b", 4);
	answered_with(502);
	moved("front: bytes_out 107 denied_responses 1 requests 1 responses_5xx 1 "
	      "request_rate.current 1\n"
	      "listener: bytes_out 107 denied_responses 1 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 denied_responses 1 balanced 1 connects 1 "
	      "requests 1 responses_5xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 107 denied_responses 1 balanced 1 connects 1 "
	      "requests 1 responses_4xx 1 connections_max 1 session_rate.current 1\n");
}

static void the_server_says_nothing(void **state)
{
	(void)state;
	served.says = "";
	served.leaves = 9;
	ask("b", 5);
	answered_with(502);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_responses 1 balanced 1 connects 1 "
	      "requests 1 responses_5xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 107 failed_responses 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
}

static void the_server_says_nonsense(void **state)
{
	(void)state;
	served.says = "nonsense and nothing else\r\n\r\n";
	ask("b", 5);
	answered_with(502);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_responses 1 balanced 1 connects 1 "
	      "requests 1 responses_5xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 107 failed_responses 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
}

/* Within its answer. */
static void the_server_breaks_off(void **state)
{
	(void)state;
	served.says = "HTTP/1.1 203 N\r\nContent-Length: 10\r\n\r\nfff";
	served.leaves = 9;
	ask("b", 5);
	turns(QUIET);
	assert_true(w.lanes[0].reset);
	answered_with(203);
	moved("front: bytes_out 3 server_aborts 1 requests 1 responses_2xx 1 "
	      "request_rate.current 1\n"
	      "listener: bytes_out 3 requests 1 responses_2xx 1\n"
	      "back: sessions 1 bytes_out 3 failed_responses 1 server_aborts 1 balanced 1 "
	      "connects 1 requests 1 responses_2xx 1 connections_max 1 session_rate.current "
	      "1\n"
	      "server: sessions 1 bytes_out 3 failed_responses 1 server_aborts 1 balanced 1 "
	      "connects 1 requests 1 responses_2xx 1 connections_max 1 session_rate.current "
	      "1\n");
}

static void the_server_is_too_slow(void **state)
{
	(void)state;
	served.says = "";
	ask("b", 5);
	pass(49999);
	assert_non_null(w.lanes[0].end);
	pass(1);
	answered_with(504);
	moved("front: bytes_out 92 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 92 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 92 failed_responses 1 balanced 1 connects 1 "
	      "requests 1 responses_5xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 92 failed_responses 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
	assert_int_equal(served.asked, 1);
}

/* So many connections were: by TCP, which takes its time on a busy machine. */
static void is_refused(unsigned times)
{
	unsigned i;

	for (i = 0; w.lanes[0].end && w.lanes[0].stream->failures < times && i < 1000; i++) {
		turns(1);
		world_turn(1);
	}
	turns(QUIET);
}

static void the_server_is_not_there(void **state)
{
	unsigned i;

	(void)state;
	ask("dead", 10);
	for (i = 0; i < 2; i++) {
		is_refused(i + 1);
		pass(999);
		assert_non_null(w.lanes[0].end);
		pass(1);
	}
	is_refused(3);
	answered_with(503);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_connections 1 retries 2 balanced 1 "
	      "connects 3 requests 1 responses_5xx 1 connections_max 1 session_rate.current "
	      "1\n"
	      "server: sessions 1 bytes_out 107 failed_connections 1 retries 2 balanced 1 "
	      "connects 3 connections_max 1 session_rate.current 1\n");
}

static void another_server_is(void **state)
{
	(void)state;
	ask("two", 12);
	is_refused(1);
	answered_with(200);
	moved("front: bytes_out 12 requests 1 responses_2xx 1 request_rate.current 1\n"
	      "listener: bytes_out 12 requests 1 responses_2xx 1\n"
	      "back: sessions 1 bytes_out 12 redispatches 1 balanced 2 connects 2 requests 1 "
	      "responses_2xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 redispatches 1 balanced 1 connects 1 connections_max 1 "
	      "session_rate.current 1\n"
	      "second: sessions 1 bytes_out 12 balanced 1 connects 1 requests 1 "
	      "responses_2xx 1 connections_max 1 session_rate.current 1\n");
}

static void no_server_may_be_used(void **state)
{
	(void)state;
	ask("none", 13);
	answered_with(503);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_connections 1 requests 1 responses_5xx "
	      "1 connections_max 1 session_rate.current 1\n"
	      "server:\n");
}

/* The second waits in the queue until it is over; there is no room for a third. */
static void the_queue(void **state)
{
	(void)state;
	served.says = "";
	ask("one", 11);
	look_at("f", "one");
	wire_ask(&w, 1, 11);
	turns(QUIET);
	assert_int_equal(server_at(0)->tally->queued, 1);
	assert_int_equal(looked_backend->be->total_queued, 1);
	assert_int_equal(looked_backend->be->current, 2);
	assert_int_equal(looked_backend->be->served, 1);
	wire_ask(&w, 2, 11);
	turns(QUIET);
	assert_null(w.lanes[2].end);
	assert_int_equal(w.lanes[2].status, 503);
	moved("front: bytes_out 107 requests 2 responses_5xx 1 request_rate.current 2\n"
	      "listener: bytes_out 107 requests 2 responses_5xx 1\n"
	      "back: sessions 2 bytes_out 107 failed_connections 1 balanced 2 requests 2 "
	      "responses_5xx 1 connections_max 3 session_rate.current 2\n"
	      "server: bytes_out 107 failed_connections 1 balanced 2 queue_max 1\n");
	look_at("f", "one");
	pass(2999);
	assert_non_null(w.lanes[1].end);
	pass(1);
	assert_null(w.lanes[1].end);
	assert_int_equal(w.lanes[1].status, 503);
	moved("front: bytes_out 107 responses_5xx 1\n"
	      "listener: bytes_out 107 responses_5xx 1\n"
	      "back: bytes_out 107 failed_connections 1 responses_5xx 1\n"
	      "server: bytes_out 107 failed_connections 1\n");
	pass(50000);
	answered_with(504);
}

/* The place of one that ends is the next one's. */
static void the_queue_moves(void **state)
{
	struct lane *second;

	(void)state;
	served.says = "";
	ask("one", 11);
	second = wire_ask(&w, 1, 11);
	turns(QUIET);
	served.says = NULL;
	stream_end(w.lanes[0].stream, END_KILLED);
	turns(QUIET);
	assert_null(second->end);
	assert_int_equal(second->status, 200);
	moved("front: bytes_out 11 requests 2 responses_2xx 1 request_rate.current 2\n"
	      "listener: bytes_out 11 requests 2 responses_2xx 1\n"
	      "back: sessions 2 bytes_out 11 balanced 2 connects 2 requests 2 responses_2xx "
	      "1 connections_max 2 session_rate.current 2\n"
	      "server: sessions 2 bytes_out 11 balanced 2 connects 2 requests 1 "
	      "responses_2xx 1 connections_max 1 queue_max 1 session_rate.current 2\n");
	wire_close(&w);
	at_rest();
}

static void the_client_leaves(void **state)
{
	(void)state;
	served.says = "";
	ask("b", 5);
	assert_int_equal(served.asked, 1);
	wire_die(&w);
	turns(QUIET);
	moved("front: client_aborts 1 requests 1 request_rate.current 1\n"
	      "listener: requests 1\n"
	      "back: sessions 1 client_aborts 1 balanced 1 connects 1 requests 1 "
	      "connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 client_aborts 1 balanced 1 connects 1 connections_max 1 "
	      "session_rate.current 1\n");
	wire_close(&w);
	at_rest();
}

/* It does not take its answer. */
static void the_client_is_too_slow(void **state)
{
	(void)state;
	wire_open(&w, world_frontend("f"));
	look_at("f", "b");
	w.lanes[0].begins_blocked = true;
	wire_ask(&w, 0, BODY);
	turns(QUIET);
	pass(59999);
	assert_non_null(w.lanes[0].end);
	pass(1001);
	assert_null(w.lanes[0].end);
	moved("front: client_aborts 1 requests 1 responses_2xx 1 request_rate.current 1\n"
	      "listener: requests 1 responses_2xx 1\n"
	      "back: sessions 1 client_aborts 1 balanced 1 connects 1 requests 1 "
	      "responses_2xx 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 client_aborts 1 balanced 1 connects 1 requests 1 "
	      "responses_2xx 1 connections_max 1 session_rate.current 1\n");
	wire_close(&w);
	at_rest();
}

static void an_administrator_ends_it(void **state)
{
	(void)state;
	served.says = "";
	ask("b", 5);
	stream_end_soon(w.lanes[0].stream, END_KILLED);
	turns(QUIET);
	answered_with(502);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 balanced 1 connects 1 requests 1 responses_5xx "
	      "1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_out 107 balanced 1 connects 1 connections_max 1 "
	      "session_rate.current 1\n");
}

/* One request may be tried once more at a time. */
static void retries_have_a_budget(void **state)
{
	(void)state;
	served.says = "";
	served.leaves = 9;
	ask("once", 14);
	answered_with(502);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_responses 1 retries 2 balanced 1 "
	      "connects 3 requests 1 responses_5xx 1 connections_max 1 session_rate.current "
	      "1\n"
	      "server: sessions 1 bytes_out 107 failed_responses 1 retries 2 balanced 1 "
	      "connects 3 connections_max 1 session_rate.current 1\n");
	assert_int_equal(served.asked, 3);
	served.asked = 0;
	pass(2000);
	served.leaves = 1;
	ask("once", 14);
	assert_int_equal(served.asked, 2);
	look_at("f", "once");
	assert_int_equal(looked_backend->be->retrying, 1);
	served.leaves = 1;
	wire_ask(&w, 1, 14);
	turns(QUIET);
	assert_null(w.lanes[1].end);
	moved("front: bytes_out 107 requests 1 responses_5xx 1 request_rate.current 1\n"
	      "listener: bytes_out 107 requests 1 responses_5xx 1\n"
	      "back: sessions 1 bytes_out 107 failed_responses 1 retries_denied 1 balanced 1 "
	      "connects 1 requests 1 responses_5xx 1 connections_max 2 session_rate.current "
	      "1\n"
	      "server: sessions 1 bytes_out 107 failed_responses 1 retries_denied 1 balanced "
	      "1 connects 1 connections_max 2 session_rate.current 1\n");
	pass(50000);
	assert_null(w.lanes[0].end);
	wire_close(&w);
	at_rest();
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static void open_bytes(const char *name, const char *first)
{
	look_at(name, name);
	bytes_open(&c, world_frontend(name), first);
	turns(QUIET);
}

static void bytes_are(const char *got)
{
	assert_int_equal(c.len, strlen(got));
	assert_memory_equal(c.got, got, c.len);
}

static void bytes_pass(void **state)
{
	(void)state;
	served.says = "answer";
	open_bytes("t", "hello");
	bytes_are("answer");
	bytes_say(&c, "more");
	turns(QUIET);
	bytes_finish(&c);
	turns(QUIET);
	assert_null(c.end);
	assert_false(c.reset);
	moved("front: bytes_in 9 bytes_out 12\n"
	      "listener: bytes_in 9 bytes_out 12\n"
	      "back: sessions 1 bytes_in 9 bytes_out 12 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_in 9 bytes_out 12 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
	bytes_free(&c);
	at_rest();
}

/* The server does so first, and the client may go on. */
static void halves_are_closed(void **state)
{
	(void)state;
	served.says = "answer";
	served.leaves = 1;
	open_bytes("t", "hello");
	bytes_are("answer");
	assert_non_null(c.end);
	assert_true(c.finished);
	bytes_finish(&c);
	turns(QUIET);
	assert_null(c.end);
	assert_false(c.reset);
	moved("front: bytes_in 5 bytes_out 6\n"
	      "listener: bytes_in 5 bytes_out 6\n"
	      "back: sessions 1 bytes_in 5 bytes_out 6 balanced 1 connects 1 connections_max "
	      "1 session_rate.current 1\n"
	      "server: sessions 1 bytes_in 5 bytes_out 6 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
	bytes_free(&c);
	at_rest();
}

static void the_server_of_bytes_breaks_off(void **state)
{
	(void)state;
	served.says = "ans";
	served.breaks_off = true;
	open_bytes("t", "hello");
	assert_null(c.end);
	assert_true(c.reset);
	moved("front: bytes_in 5 bytes_out 3 server_aborts 1\n"
	      "listener: bytes_in 5 bytes_out 3\n"
	      "back: sessions 1 bytes_in 5 bytes_out 3 failed_responses 1 server_aborts 1 "
	      "balanced 1 connects 1 connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_in 5 bytes_out 3 failed_responses 1 server_aborts 1 "
	      "balanced 1 connects 1 connections_max 1 session_rate.current 1\n");
	bytes_free(&c);
	at_rest();
}

static void the_client_of_bytes_breaks_off(void **state)
{
	(void)state;
	served.says = "answer";
	open_bytes("t", "hello");
	bytes_break_off(&c);
	turns(QUIET);
	assert_null(c.end);
	assert_false(c.reset);
	moved("front: bytes_in 5 bytes_out 6 client_aborts 1\n"
	      "listener: bytes_in 5 bytes_out 6\n"
	      "back: sessions 1 bytes_in 5 bytes_out 6 client_aborts 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_in 5 bytes_out 6 client_aborts 1 balanced 1 connects "
	      "1 connections_max 1 session_rate.current 1\n");
	bytes_free(&c);
	at_rest();
}

static void bytes_are_too_slow(void **state)
{
	(void)state;
	served.says = "";
	open_bytes("t", "hello");
	pass(49999);
	assert_non_null(c.end);
	pass(1);
	assert_null(c.end);
	assert_false(c.reset);
	moved("front: bytes_in 5 server_aborts 1\n"
	      "listener: bytes_in 5\n"
	      "back: sessions 1 bytes_in 5 server_aborts 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n"
	      "server: sessions 1 bytes_in 5 server_aborts 1 balanced 1 connects 1 "
	      "connections_max 1 session_rate.current 1\n");
	bytes_free(&c);
	at_rest();
}

/* A clean end, by a reset of both sides. */
static void nothing_lingers(void **state)
{
	(void)state;
	served.says = "answer";
	open_bytes("n", "hello");
	bytes_finish(&c);
	turns(QUIET);
	assert_null(c.end);
	assert_true(c.reset);
	bytes_free(&c);
	at_rest();
}

/* What has moved is counted while it lives, and once. */
static void bytes_are_counted_along(void **state)
{
	(void)state;
	served.says = "answer";
	open_bytes("c", "hello");
	look_at("c", "c");
	streams_count_bytes();
	moved("front: bytes_in 5 bytes_out 6\n"
	      "listener: bytes_in 5 bytes_out 6\n"
	      "back: bytes_in 5 bytes_out 6\n"
	      "server: bytes_in 5 bytes_out 6\n");
	bytes_say(&c, "more");
	turns(QUIET);
	streams_count_bytes();
	streams_count_bytes();
	moved("front: bytes_in 9 bytes_out 12\n"
	      "listener: bytes_in 9 bytes_out 12\n"
	      "back: bytes_in 9 bytes_out 12\n"
	      "server: bytes_in 9 bytes_out 12\n");
	bytes_say(&c, "still more");
	turns(QUIET);
	bytes_finish(&c);
	turns(QUIET);
	assert_null(c.end);
	moved("front: bytes_in 19 bytes_out 18\n"
	      "listener: bytes_in 19 bytes_out 18\n"
	      "back: bytes_in 19 bytes_out 18\n"
	      "server: bytes_in 19 bytes_out 18\n");
	bytes_free(&c);
	at_rest();
}

/* ---- times ------------------------------------------------------------------------------------ */

static void times_are(const struct times *before, const struct times *now, unsigned queue,
		      unsigned connect, unsigned response, unsigned total)
{
	assert_int_equal(now->queue.sum - before->queue.sum, queue);
	assert_int_equal(now->connect.sum - before->connect.sum, connect);
	assert_int_equal(now->response.sum - before->response.sum, response);
	assert_int_equal(now->total.sum - before->total.sum, total);
	assert_int_equal(now->total.samples - before->total.samples, 1);
}

/* 700 ms in the queue, 300 ms until the answer. */
static void where_time_was_spent(void **state)
{
	const struct times *of_server, *of_backend;
	struct times server, backend;
	struct lane *second;

	(void)state;
	served.says = "";
	ask("one", 11);
	of_server = &server_at(0)->tally->times;
	of_backend = &looked_backend->be->times;
	second = wire_ask(&w, 1, 11);
	pass(700);
	stream_end(w.lanes[0].stream, END_KILLED);
	server = *of_server;
	backend = *of_backend;
	turns(QUIET);
	assert_int_equal(served.asked, 2);
	pass(300);
	assert_int_equal(send(served.by, "HTTP/1.1 204 N\r\n\r\n", 18, MSG_NOSIGNAL), 18);
	turns(QUIET);
	assert_null(second->end);
	assert_int_equal(second->status, 204);
	times_are(&server, of_server, 700, 0, 300, 1000);
	times_are(&backend, of_backend, 700, 0, 300, 1000);
	assert_int_equal(server_at(0)->tally->counters.queue_max, 1);
	wire_close(&w);
	at_rest();
}

/* ---- what is seen of a server ----------------------------------------------------------------- */

static unsigned seen[OBSERVED_BROKEN + 1];

static void note_seen(struct server *server, enum observed what)
{
	assert_ptr_equal(server, server_at(0));
	seen[what]++;
}

static void watch_server(const char *backend)
{
	static struct observe_conf layer7 = { .layer = OBSERVE_LAYER7 };
	struct server *server = world_backend(backend)->servers;

	pass(2000);
	memset(seen, 0, sizeof(seen));
	server_part_set(server, &observe_conf_part, &layer7);
	server->learns = LEARNS_CONNECTIONS | LEARNS_RESPONSES;
	server_hooks.observed = note_seen;
}

/* So many connections were made and refused, and one more thing was seen. */
static void was_seen(unsigned made, unsigned refused, enum observed what)
{
	unsigned i;

	server_hooks.observed = NULL;
	assert_int_equal(seen[OBSERVED_CONNECTED], made);
	assert_int_equal(seen[OBSERVED_NOT_CONNECTED], refused);
	for (i = OBSERVED_GOOD_RESPONSE; i <= OBSERVED_BROKEN; i++)
		assert_int_equal(seen[i], i == what);
}

static void servers_are_watched(void **state)
{
	(void)state;
	watch_server("one");
	ask("one", 11);
	answered_with(200);
	was_seen(1, 0, OBSERVED_GOOD_RESPONSE);
	watch_server("one");
	served.says = "";
	served.leaves = 1;
	ask("one", 11);
	answered_with(502);
	was_seen(1, 0, OBSERVED_CLOSED);
	watch_server("one");
	served.says = "HTTP/1.1 500 S\r\nContent-Length: 0\r\n\r\n";
	ask("one", 11);
	answered_with(500);
	was_seen(1, 0, OBSERVED_WRONG_STATUS);
	watch_server("one");
	served.says = "";
	ask("one", 11);
	pass(50000);
	answered_with(504);
	was_seen(1, 0, OBSERVED_TIMEOUT);
}

static void servers_that_refuse_are_watched(void **state)
{
	unsigned i;

	(void)state;
	watch_server("dead");
	ask("dead", 10);
	for (i = 1; i <= 3; i++) {
		is_refused(i);
		assert_int_equal(seen[OBSERVED_NOT_CONNECTED], i);
		pass(1000);
	}
	answered_with(503);
	was_seen(0, 3, OBSERVED_CONNECTED);
}

#define EACH(test) cmocka_unit_test_setup(test, served_world_afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer), EACH(any_status), EACH(rules_answer),
		EACH(the_server_says_nothing), EACH(the_server_says_nonsense),
		EACH(the_server_breaks_off), EACH(the_server_is_too_slow),
		EACH(the_server_is_not_there), EACH(another_server_is),
		EACH(no_server_may_be_used), EACH(the_queue), EACH(the_queue_moves),
		EACH(the_client_leaves), EACH(the_client_is_too_slow),
		EACH(an_administrator_ends_it), EACH(retries_have_a_budget), EACH(bytes_pass),
		EACH(halves_are_closed),
		EACH(the_server_of_bytes_breaks_off), EACH(the_client_of_bytes_breaks_off),
		EACH(bytes_are_too_slow), EACH(nothing_lingers), EACH(bytes_are_counted_along),
		EACH(where_time_was_spent), EACH(servers_are_watched),
		EACH(servers_that_refuse_are_watched),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
