/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter of a stream of bytes sees those, too, that came before it was: rules have looked at them
 * while no server was there. */
#include "exchange/test_bytes.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>

enum { BYTES = 100 };

static struct bytes_client c;

static int begin(void **state)
{
	(void)state;
	served_world_begin("defaults\n mode tcp\n timeout connect 5s\n timeout client 60s\n"
			   " timeout server 60s\n"
			   "listen l\n tcp-request inspect-delay 5s\n"
			   " filter bwlim-in lim default-limit 40 default-period 1s\n"
			   " tcp-request content set-bandwidth-limit lim if { req.len gt 0 }\n"
			   " server s abns@%s\n");
	return 0;
}

#define TEN "0123456789"

/* Forty bytes a second, and no burst. */
static void the_first_bytes_are_limited(void **state)
{
	unsigned tenths;

	(void)state;
	served.says = "";
	bytes_open(&c, world_frontend("l"), TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN);
	turns(QUIET);
	assert_int_equal(streams_count, 1);
	for (tenths = 0; served.bytes < BYTES && tenths < 100; tenths++)
		pass(100);
	assert_in_range(tenths, 24, 27);
	bytes_finish(&c);
	for (tenths = 0; c.end && tenths < 20; tenths++)
		pass(100);
	assert_null(c.end);
	bytes_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_bytes_are_limited) };

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
