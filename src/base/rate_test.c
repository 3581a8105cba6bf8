/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates: what counts as "the last second", and that waiting as told always makes room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rate.h"

static void counts_the_current_second(void **state)
{
	struct rate r = { 0 };

	(void)state;
	assert_int_equal(rate_add(&r, 5000, 3), 3);
	assert_int_equal(rate_add(&r, 5999, 2), 5);
	assert_int_equal(rate_read(&r, 5999), 5);
	assert_int_equal(r.max, 5);
}

static void slides_over_the_second(void **state)
{
	struct rate r = { 0 };

	(void)state;
	rate_add(&r, 5000, 100);
	assert_int_equal(rate_read(&r, 6000), 100);
	assert_int_equal(rate_read(&r, 6500), 50);
	assert_int_equal(rate_read(&r, 6990), 1);
	assert_int_equal(rate_read(&r, 7000), 0);
	assert_int_equal(rate_add(&r, 6500, 10), 60);
	assert_int_equal(r.max, 100);
}

static void forgets_after_a_pause(void **state)
{
	struct rate r = { 0 };

	(void)state;
	rate_add(&r, 5000, 100);
	assert_int_equal(rate_add(&r, 900000, 1), 1);
	assert_int_equal(rate_read(&r, 900999), 1);
}

static void room_is_what_is_left(void **state)
{
	struct rate r = { 0 };

	(void)state;
	assert_int_equal(rate_room(&r, 5000, 10), 10);
	rate_add(&r, 5000, 8);
	assert_int_equal(rate_room(&r, 5001, 10), 2);
	rate_add(&r, 5002, 2);
	assert_int_equal(rate_room(&r, 5003, 10), 0);
	assert_int_equal(rate_room(&r, 5003, 5), 0);
}

/* After the wait there is room, and one millisecond earlier there was none. */
static void wait_is_exact(void **state)
{
	unsigned limit, n, later, wait;

	(void)state;
	for (limit = 1; limit < 40; limit += 3)
		for (n = 0; n < 60; n += 7)
			for (later = 0; later < 2100; later += 130) {
				struct rate r = { 0 };
				uint64_t now = 5000 + later;

				rate_add(&r, 5000, n);
				rate_add(&r, now, n / 2);
				wait = rate_wait(&r, now, limit);
				assert_true(rate_room(&r, now + wait, limit) > 0);
				if (wait)
					assert_int_equal(rate_room(&r, now + wait - 1, limit), 0);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_the_current_second),
		cmocka_unit_test(slides_over_the_second),
		cmocka_unit_test(forgets_after_a_pause),
		cmocka_unit_test(room_is_what_is_left),
		cmocka_unit_test(wait_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
