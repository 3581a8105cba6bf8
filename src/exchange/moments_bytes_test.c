/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments of streams of bytes (mode tcp), of which there are fewer: what a filter hears, and that
 * the stream waits or ends wherever it says so. Clients are fake, servers are scripted sockets. The
 * clock stands still. */
#include "stream/moments.h"

#include "exchange/test_bytes.h"
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

static struct bytes_client c;

static int begin(void **state)
{
	(void)state;
	heard_begin();
	served_world_begin("listen t\n mode tcp\n timeout connect 5s\n timeout client 60s\n"
			   " timeout server 60s\n filter lua.a\n server s abns@%s\n");
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
	served.says = "hello";
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

/* The client has no more to say, and its stream ends. */
static void leave(void)
{
	bytes_finish(&c);
	turns(QUIET);
	bytes_free(&c);
}

/* ---- tests ---------------------------------------------------------------------------------- */

#define BYTES "BEGUN REQUEST BACKEND CONNECTED SENT RESPONSE ANSWER ENDED"

static void bytes_meet_theirs(void **state)
{
	(void)state;
	bytes_open(&c, world_frontend("t"), "hello");
	turns(QUIET);
	assert_int_equal(c.len, 5);
	assert_memory_equal(c.got, "hello", 5);
	leave();
	assert_string_equal(heard_by('a'), BYTES);
}

/* None of them passes meanwhile. */
static void bytes_wait_anywhere(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < ASKED_AT; i++) {
		if (asked_at[i] == MOMENT_RULED)
			continue;
		served.asked = 0;
		says('a', asked_at[i], SAID_WAITS);
		bytes_open(&c, world_frontend("t"), "hello");
		turns(QUIET);
		assert_int_equal(c.len, 0);
		assert_int_equal(served.asked, asked_at[i] > MOMENT_CONNECTED);
		waits_at(i);
		hearing.what = SAID_GOES_ON;
		stream_wake(c.stream);
		turns(QUIET);
		assert_int_equal(c.len, 5);
		assert_int_equal(times_heard('a', asked_at[i]), 2);
		leave();
	}
}

static void bytes_end_anywhere(void **state)
{
	static const enum moment_said ends[] = { SAID_ENDS, SAID_REFUSES, SAID_FAULTY, SAID_SHORT,
						 SAID_WAITS };
	unsigned i, k;

	(void)state;
	for (i = 0; i < ASKED_AT; i++)
		for (k = 0; k < ARRAY_LEN(ends) && asked_at[i] != MOMENT_RULED; k++) {
			says('a', asked_at[i], ends[k]);
			bytes_open(&c, world_frontend("t"), "hello");
			turns(QUIET);
			if (ends[k] == SAID_WAITS) {
				assert_non_null(c.end);
				stream_end_soon(c.stream, END_KILLED);
				turns(3);
			}
			assert_null(c.end);
			assert_int_equal(c.len, 0);
			assert_int_equal(hearing.states, 0);
			bytes_free(&c);
		}
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, afresh, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(bytes_meet_theirs),
		EACH(bytes_wait_anywhere),
		EACH(bytes_end_anywhere),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
