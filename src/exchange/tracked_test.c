/* SPDX-License-Identifier: BSD-2-Clause */
/* What whole streams add to the entries of stick tables that they follow: requests, mistakes of
 * clients, failures of servers, bytes. Clients are fake, streams and exchanges are real, servers are
 * scripted sockets. The clock stands still but for what a test lets pass. */
#include "exchange/test_bytes.h"
#include "exchange/test_client.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include "base/clock.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "stick/table.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct wire w;
static struct bytes_client c;

static int begin(void **state)
{
	(void)state;
	served_world_begin("defaults\n mode http\n timeout connect 7s\n timeout client 60s\n"
			   " timeout server 50s\n"
			   "frontend f\n http-request track-sc0 int(7) table seen\n"
			   " http-request track-sc0 int(8) table seen\n"
			   " http-request track-sc2 int(9) table seen if { path /51 }\n"
			   " http-request deny if { path /1 }\n default_backend b\n"
			   "backend b\n server s abns@%s\n"
			   "listen t\n mode tcp\n option contstats\n"
			   " tcp-request content track-sc1 int(7) table seen\n server s abns@%s\n"
			   "backend seen\n stick-table type integer size 100 store http_req_cnt,"
			   "http_err_cnt,http_fail_cnt,bytes_in_cnt,bytes_out_cnt,"
			   "http_req_rate(10s),http_err_rate(10s),http_fail_rate(10s),"
			   "bytes_in_rate(10s),bytes_out_rate(10s)\n");
	return 0;
}

/* ---- the entry -------------------------------------------------------------------------------- */

static struct stick_table *seen(void)
{
	const struct stick_line *line = stick_line_before(stick_running, NULL);

	assert_string_equal(line->name, "seen");
	return line->table;
}

static int afresh(void **state)
{
	uint32_t key = 7;
	struct stick_entry *e = stick_find(seen(), (struct span){ (char *)&key, sizeof(key) });

	(void)state;
	if (e)
		assert_true(stick_remove(seen(), e));
	served_afresh();
	pass(30000);
	return 0;
}

/* Counters and rates of what is followed, in the order requests, errors, failures, bytes in and
 * out; 8 is never followed, as the number 0 has an entry already. */
static void tracked(uint64_t req, uint64_t err, uint64_t fail, uint64_t in, uint64_t out)
{
	static const enum stick_data counts[] = { STICK_http_req_cnt, STICK_http_err_cnt,
		STICK_http_fail_cnt, STICK_bytes_in_cnt, STICK_bytes_out_cnt };
	static const enum stick_data rates[] = { STICK_http_req_rate, STICK_http_err_rate,
		STICK_http_fail_rate, STICK_bytes_in_rate, STICK_bytes_out_rate };
	const uint64_t expected[] = { req, err, fail, in, out };
	uint32_t key = 7, other = 8;
	struct stick_entry *e = stick_find(seen(), (struct span){ (char *)&key, sizeof(key) });
	unsigned i;

	assert_non_null(e);
	for (i = 0; i < 5; i++) {
		assert_int_equal(stick_value(seen(), e, counts[i], 0), expected[i]);
		assert_int_equal(stick_value(seen(), e, rates[i], 0), expected[i]);
	}
	stick_give(seen(), e);
	assert_null(stick_find(seen(), (struct span){ (char *)&other, sizeof(other) }));
}

/* Without the rates, which may be over. */
static uint64_t failures(void)
{
	uint32_t key = 7;
	struct stick_entry *e = stick_find(seen(), (struct span){ (char *)&key, sizeof(key) });
	uint64_t n = stick_value(seen(), e, STICK_http_fail_cnt, 0);

	stick_give(seen(), e);
	return n;
}

static void ask(size_t n, unsigned status)
{
	wire_open(&w, world_frontend("f"));
	wire_ask(&w, 0, n);
	turns(QUIET);
	assert_null(w.lanes[0].end);
	assert_int_equal(w.lanes[0].status, status);
	wire_close(&w);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void an_answer(void **state)
{
	(void)state;
	ask(50, 200);
	tracked(1, 0, 0, 0, 50);
	ask(40, 200);
	tracked(2, 0, 0, 0, 90);
}

static void a_refusal(void **state)
{
	(void)state;
	ask(1, 403);
	tracked(1, 1, 0, 0, 93);
}

/* By the status: 4xx is the client's fault, 5xx the server's, but for what it does not have. */
static void answers_of_servers(void **state)
{
	static const struct {
		unsigned status, err, fail;
	} answers[] = { { 399, 0, 0 }, { 400, 1, 0 }, { 499, 1, 0 }, { 500, 0, 1 }, { 501, 0, 0 },
			{ 502, 0, 1 }, { 504, 0, 1 }, { 505, 0, 0 }, { 506, 0, 1 }, { 599, 0, 1 } };
	unsigned err = 0, fail = 0, i;
	char answer[100];

	(void)state;
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		sprintf(answer, "HTTP/1.1 %u X\r\nContent-Length: 0\r\n\r\n", answers[i].status);
		served.says = answer;
		ask(50, answers[i].status);
		err += answers[i].err;
		fail += answers[i].fail;
		tracked(i + 1, err, fail, 0, 0);
	}
}

static void no_answer(void **state)
{
	(void)state;
	served.says = "";
	served.leaves = 1;
	ask(50, 502);
	tracked(1, 0, 1, 0, 107);
	served.says = "nonsense\r\n\r\n";
	ask(50, 502);
	tracked(2, 0, 2, 0, 214);
}

static void no_answer_in_time(void **state)
{
	(void)state;
	served.says = "";
	wire_open(&w, world_frontend("f"));
	wire_ask(&w, 0, 50);
	turns(QUIET);
	pass(50000);
	assert_null(w.lanes[0].end);
	assert_int_equal(w.lanes[0].status, 504);
	wire_close(&w);
	assert_int_equal(failures(), 1);
}

/* Counted while it lives, every five seconds and when somebody asks; each byte once. */
static void bytes_along(void **state)
{
	(void)state;
	assert_true(streams_watched & WATCH_BYTES);
	served.says = "answer";
	bytes_open(&c, world_frontend("t"), "hello");
	turns(QUIET);
	tracked(0, 0, 0, 0, 0);
	pass(4999);
	tracked(0, 0, 0, 0, 0);
	pass(1);
	tracked(0, 0, 0, 5, 6);
	bytes_say(&c, "more");
	pass(4999);
	tracked(0, 0, 0, 5, 6);
	pass(1);
	assert_non_null(c.end);
	bytes_finish(&c);
	turns(QUIET);
	assert_null(c.end);
	bytes_free(&c);
}

/* A rule of requests says it for the stream, not for the connection. */
static void the_next_request_does_not_follow(void **state)
{
	uint32_t key = 9;
	struct stick_entry *e;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < 2; i++) {
		wire_ask(&w, i, 51 - i);
		turns(QUIET);
		assert_int_equal(w.lanes[i].status, 200);
	}
	tracked(2, 0, 0, 0, 101);
	e = stick_find(seen(), (struct span){ (char *)&key, sizeof(key) });
	assert_non_null(e);
	assert_int_equal(stick_value(seen(), e, STICK_http_req_cnt, 0), 1);
	assert_int_equal(stick_value(seen(), e, STICK_bytes_out_cnt, 0), 51);
	stick_give(seen(), e);
	wire_close(&w);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer), EACH(a_refusal), EACH(answers_of_servers), EACH(no_answer),
		EACH(no_answer_in_time), EACH(bytes_along),
		EACH(the_next_request_does_not_follow),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
