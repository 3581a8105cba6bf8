/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is told of moments: subscribers switch themselves on for all streams, and off, each by
 * itself. The list is that of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/stream.h"
#include "stream/subscriber.h"

/* Those of the list that are on: bits. */
static void are_told(unsigned on)
{
	unsigned moment, i, all = 0;

	for (i = 0; subscribers[i]; i++)
		if (on & 1u << i)
			all |= subscribers[i]->moments;
	assert_int_equal(moments_of_all, all);
	assert_int_equal((streams_watched & WATCH_MOMENTS) != 0, all != 0);
	for (moment = 0; moment < MOMENTS; moment++)
		for (i = 0; subscribers[i]; i++)
			assert_int_equal(subscribers_of[moment] >> i & 1,
					 on >> i & subscribers[i]->moments >> moment & 1);
}

static void each_by_itself(void **state)
{
	unsigned i;

	(void)state;
	assert_non_null(subscribers[1]);
	are_told(0);
	for (i = 0; subscribers[i]; i++) {
		assert_true(i < SUBSCRIBERS_MOST);
		streams_watched = WATCH_BYTES;
		moments_everywhere(subscribers[i], true);
		are_told(1u << i);
		moments_everywhere(subscribers[i], true);
		are_told(1u << i);
		assert_true(streams_watched & WATCH_BYTES);
		moments_everywhere(subscribers[i], false);
		are_told(0);
		assert_int_equal(streams_watched, WATCH_BYTES);
	}
}

static void all_at_once(void **state)
{
	unsigned i, on = 0;

	(void)state;
	for (i = 0; subscribers[i]; i++) {
		moments_everywhere(subscribers[i], true);
		on |= 1u << i;
		are_told(on);
	}
	for (i = 0; subscribers[i]; i++) {
		moments_everywhere(subscribers[i], false);
		on &= ~(1u << i);
		are_told(on);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_by_itself),
		cmocka_unit_test(all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
