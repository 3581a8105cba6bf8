/* SPDX-License-Identifier: BSD-2-Clause */
/* How streams divide a limit that they share, as time passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/err.h"
#include "filter/limit_share.h"
#include "proxy/stick_conf.h"
#include "stick/memory.h"

enum { LIMIT = 100000, PERIOD = 1000, MOST = 8, STEP = 5 };

static struct stick_line line;
static struct limit_share shares[MOST];
static double got[MOST];  /* since the last look */
static bool wants[MOST];

static int begin(void **state)
{
	struct stick_definition def = { .name = "t", .type = STICK_INTEGER, .key_len = 4, .size = 10 };
	struct err err;
	bool anew;

	(void)state;
	clock_freeze(1000000);
	def.columns[STICK_bytes_out_rate] = (struct stick_column){ .count = 1, .period = PERIOD };
	stick_layout(&def);
	if (stick_memory_begin(false, &err) < 0)
		fail_msg("%s", err.text);
	line = (struct stick_line){ .name = "t", .def = def };
	line.table = stick_table_open(&def, &anew, &err);
	assert_non_null(line.table);
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < MOST; i++)
		limit_share_end(&shares[i]);
	stick_memory_end();
	return 0;
}

static void join(unsigned i)
{
	static const uint32_t key = 7;

	assert_true(limit_share_begin(&shares[i], &line, STICK_bytes_out_rate, LIMIT,
				      (struct span){ (const char *)&key, sizeof(key) }));
	wants[i] = true;
}

/* Each takes all it may. Returns what all have got together, in got[] what each has. */
static double pass(unsigned ms)
{
	double sum = 0;
	uint64_t bytes;
	unsigned i, t;

	for (i = 0; i < MOST; i++)
		got[i] = 0;
	for (t = 0; t < ms; t += STEP) {
		clock_freeze(clock_now_ms + STEP);
		for (i = 0; i < MOST; i++) {
			if (!shares[i].entry || !wants[i] || limit_share_full(&shares[i]))
				continue;
			bytes = (uint64_t)(limit_share_rate(&shares[i]) * STEP);
			limit_share_passed(&shares[i], bytes);
			got[i] += (double)bytes;
			sum += (double)bytes;
		}
	}
	return sum;
}

static void near(double value, double wanted, double percent)
{
	if (value < wanted * (1 - percent / 100) || value > wanted * (1 + percent / 100))
		fail_msg("%.0f instead of %.0f", value, wanted);
}

static void one_has_it_all(void **state)
{
	unsigned i;

	(void)state;
	join(0);
	for (i = 0; i < 5; i++)
		near(pass(PERIOD), LIMIT, 2);
}

static void all_have_the_same(void **state)
{
	unsigned i, n;

	(void)state;
	join(0);
	join(1);
	join(2);
	for (i = 0; i < 5; i++) {
		near(pass(PERIOD), LIMIT, 3);
		for (n = 0; n < 3; n++)
			near(got[n], LIMIT / 3.0, 5);
	}
}

static void what_one_leaves_others_have(void **state)
{
	(void)state;
	join(0);
	join(1);
	wants[1] = false;
	near(pass(PERIOD), LIMIT / 2.0, 3); /* the other may come at any moment */
	pass(2 * PERIOD);
	near(pass(PERIOD), LIMIT, 3);
	wants[1] = true; /* it comes: for a moment more than all may pass, then they share */
	assert_true(pass(PERIOD) < 1.5 * LIMIT);
	pass(3 * PERIOD);
	near(pass(PERIOD), LIMIT, 3);
	near(got[1], LIMIT / 2.0, 15);
}

static void who_comes_later_has_its_part(void **state)
{
	unsigned i;

	(void)state;
	join(0);
	pass(3 * PERIOD);
	join(1);
	join(2);
	join(3);
	for (i = 0; i < 4; i++)
		assert_true(pass(PERIOD) < 1.2 * LIMIT);
	pass(3 * PERIOD);
	near(pass(PERIOD), LIMIT, 4);
	near(got[0], LIMIT / 4.0, 20);
}

static void nothing_is_kept_of_those_that_end(void **state)
{
	(void)state;
	join(0);
	join(1);
	pass(PERIOD);
	assert_int_equal(stick_uses(shares[0].entry), 1);
	limit_share_end(&shares[1]);
	limit_share_end(&shares[1]);
	assert_int_equal(stick_uses(shares[0].entry), 0);
	pass(PERIOD);
	near(pass(PERIOD), LIMIT, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_has_it_all, begin, end),
		cmocka_unit_test_setup_teardown(all_have_the_same, begin, end),
		cmocka_unit_test_setup_teardown(what_one_leaves_others_have, begin, end),
		cmocka_unit_test_setup_teardown(who_comes_later_has_its_part, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_kept_of_those_that_end, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
