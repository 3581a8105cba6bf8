/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments of requests and responses: filters that write down what they hear, and make streams wait
 * or end wherever they may be. Three lines, two of the frontend and one of the backend. Clients are
 * fake, streams and exchanges are real, servers are scripted sockets. The clock stands still. */
#include "stream/moments.h"

#include "exchange/test_client.h"
#include "exchange/test_heard.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>

enum { BODY = 100 };

static int begin(void **state)
{
	(void)state;
	heard_begin();
	served_world_begin(SERVED_HTTP " retry-on empty-response\n"
			   "frontend f\n http-request deny if { path /0 }\n"
			   " filter lua.a\n filter lua.b\n default_backend b\n"
			   "frontend hasty\n timeout client 50ms\n filter lua.a\n"
			   " default_backend hasty\n"
			   "frontend told\n log global\n"
			   "frontend untold\n"
			   "frontend logs\n log 127.0.0.1:9 local0\n"
			   "backend hasty\n timeout server 50ms\n server s abns@%s\n"
			   "backend b\n filter lua.c\n http-reuse always\n server s abns@%s\n");
	return 0;
}

static int end(void **state)
{
	served_world_end(state);
	heard_end();
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	says(0, MOMENT_BEGUN, SAID_GOES_ON);
	served_afresh();
	return 0;
}

static int nothing_left(void **state)
{
	(void)state;
	turns(3);
	assert_int_equal(hearing.states, 0);
	assert_int_equal(streams_count, 0);
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

#define WHOLE "BEGUN REQUEST BACKEND RULED CONNECTED SENT RESPONSE ANSWER ANSWERED ENDED"

/* The second request of a connection begins afresh. */
static void a_request_meets_all(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < 2; i++) {
		hearing.all[0] = 0;
		lane = wire_ask(&w, 0, 100);
		lane_await(lane);
		lane_is_whole(lane);
		assert_string_equal(heard_by('a'), WHOLE);
		assert_string_equal(heard_by('b'), WHOLE);
		assert_string_equal(heard_by('c'), strstr(WHOLE, "BACKEND"));
	}
	wire_close(&w);
}

/* `log global` where the global section has no target. */
static void a_log_without_a_target_hears_nothing(void **state)
{
	uint32_t nobody = world_frontend("untold")->steps_front;

	(void)state;
	assert_int_equal(world_frontend("told")->steps_front, nobody);
	assert_int_not_equal(world_frontend("logs")->steps_front, nobody);
}

/* Three ends at once over one connection: one waits, the others go on. */
static void one_waits_for_itself(void **state)
{
	struct wire w;
	struct lane *a, *b;

	(void)state;
	wire_open(&w, world_frontend("f"));
	says('c', MOMENT_RULED, SAID_WAITS);
	a = wire_ask(&w, 0, 10);
	turns(QUIET);
	hearing.what = SAID_GOES_ON;
	b = wire_ask(&w, 1, 20);
	lane_await(b);
	lane_is_whole(b);
	assert_non_null(a->end);
	stream_wake(a->stream);
	lane_await(a);
	lane_is_whole(a);
	wire_close(&w);
}

/* In the order of the lines; those in front of the one that waits are not asked again. */
static void lines_have_an_order(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	says('b', MOMENT_RULED, SAID_WAITS);
	lane = wire_ask(&w, 0, 10);
	turns(QUIET);
	stream_wake(lane->stream);
	turns(QUIET);
	assert_non_null(strstr(hearing.all, "aRULED bRULED bRULED"));
	assert_null(strstr(hearing.all, "cRULED"));
	hearing.what = SAID_GOES_ON;
	stream_wake(lane->stream);
	lane_await(lane);
	assert_non_null(strstr(hearing.all, "aRULED bRULED bRULED bRULED cRULED "
					    "aCONNECTED bCONNECTED cCONNECTED"));
	assert_int_equal(times_heard('a', MOMENT_RULED), 1);
	wire_close(&w);
}

static void it_waits_anywhere(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < ASKED_AT; i++) {
		served.asked = 0;
		says('a', asked_at[i], SAID_WAITS);
		lane = wire_ask(&w, 0, BODY);
		turns(QUIET);
		assert_non_null(lane->end);
		assert_int_equal(lane->status, 0);
		assert_int_equal(served.asked, asked_at[i] > MOMENT_CONNECTED);
		waits_at(i);
		stream_wake(lane->stream);
		turns(QUIET);
		assert_non_null(lane->end);
		hearing.what = SAID_GOES_ON;
		stream_wake(lane->stream);
		lane_await(lane);
		lane_is_whole(lane);
		assert_int_equal(times_heard('a', asked_at[i]), 3);
		assert_int_equal(times_heard('b', asked_at[i]), 1);
		assert_int_equal(served.asked, 1);
	}
	wire_close(&w);
}

static void it_is_killed_anywhere(void **state)
{
	unsigned i, how;
	struct wire w;

	(void)state;
	for (how = 0; how < 2; how++)
		for (i = 0; i < ASKED_AT; i++) {
			struct lane *lane;

			wire_open(&w, world_frontend("f"));
			says('b', asked_at[i], SAID_WAITS);
			lane = wire_ask(&w, 0, BODY);
			turns(QUIET);
			if (how)
				stream_end_soon(lane->stream, END_KILLED);
			else
				wire_die(&w);
			if (how)
				turns(QUIET);
			if (lane->end) /* whose request a server has, is told */
				assert_true(how && asked_at[i] > MOMENT_CONNECTED);
			says(0, MOMENT_BEGUN, SAID_GOES_ON);
			lane_await(lane);
			turns(3);
			assert_int_equal(hearing.states, 0);
			wire_close(&w);
		}
}

static void it_ends_anywhere(void **state)
{
	struct wire w;
	struct lane *lane;
	unsigned i;

	(void)state;
	wire_open(&w, world_frontend("f"));
	for (i = 0; i < ASKED_AT; i++) {
		bool late = asked_at[i] > MOMENT_CONNECTED;

		served.asked = 0;
		says('a', asked_at[i], SAID_ENDS);
		hearing.answers = true;
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		assert_int_equal(lane->status, 299);
		assert_int_equal(served.asked, late);
		assert_int_equal(times_heard('b', asked_at[i]), 0);
		/* No filter hears of answers. */
		assert_int_equal(times_heard('a', MOMENT_ANSWERED), 0);
		says('b', asked_at[i], SAID_REFUSES);
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		assert_int_equal(lane->status, late ? 502 : 400);
		says('b', asked_at[i], SAID_SHORT);
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		assert_int_equal(lane->status, 500);
		says('b', asked_at[i], SAID_ENDS); /* without a word */
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		assert_int_equal(lane->status, 0);
		says(0, MOMENT_BEGUN, SAID_GOES_ON);
		lane = wire_ask(&w, 0, BODY);
		lane_await(lane);
		lane_is_whole(lane);
	}
	wire_close(&w);
}

/* As long as its side may be silent. */
static void a_wait_has_a_limit(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("hasty"));
	says('a', MOMENT_RULED, SAID_WAITS);
	lane = wire_ask(&w, 0, 10);
	turns(QUIET);
	assert_non_null(lane->end);
	pass(50);
	assert_null(lane->end);
	assert_int_equal(lane->status, 400);
	assert_int_equal(served.asked, 0);
	wire_close(&w);
}

/* Rules answer: what is left of the request is passed over. */
/* ... which begins anew with each moment at which it waits. */
static void each_wait_has_its_own(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("hasty"));
	says('a', MOMENT_REQUEST, SAID_WAITS);
	lane = wire_ask(&w, 0, 10);
	turns(QUIET);
	pass(40);
	says('a', MOMENT_BACKEND, SAID_WAITS);
	stream_wake(lane->stream);
	turns(QUIET);
	assert_int_equal(times_heard('a', MOMENT_BACKEND), 1);
	pass(49);
	assert_non_null(lane->end);
	pass(1);
	assert_null(lane->end);
	assert_int_equal(lane->status, 400);
	wire_close(&w);
}

static void an_answer_by_a_rule(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	lane = wire_ask(&w, 0, 0);
	lane_await(lane);
	assert_int_equal(lane->status, 403);
	assert_string_equal(heard_by('a'), "BEGUN REQUEST ENDED");
	assert_string_equal(heard_by('c'), "");
	wire_close(&w);
}

/* The server leaves without a word, twice. */
static void a_request_is_sent_again(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, world_frontend("f"));
	served.mute = 2;
	lane = wire_ask(&w, 0, 10);
	lane_await(lane);
	lane_is_whole(lane);
	assert_int_equal(served.asked, 3);
	assert_string_equal(heard_by('a'),
			    "BEGUN REQUEST BACKEND RULED CONNECTED SENT CONNECTED SENT CONNECTED "
			    "SENT RESPONSE ANSWER ANSWERED ENDED");
	wire_close(&w);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, afresh, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_request_meets_all),
		EACH(a_log_without_a_target_hears_nothing),
		EACH(one_waits_for_itself),
		EACH(lines_have_an_order),
		EACH(it_waits_anywhere),
		EACH(it_is_killed_anywhere),
		EACH(it_ends_anywhere),
		EACH(a_wait_has_a_limit),
		EACH(each_wait_has_its_own),
		EACH(an_answer_by_a_rule),
		EACH(a_request_is_sent_again),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
