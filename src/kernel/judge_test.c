/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel relay decides, from numbers alone. */
#include "kernel/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>

enum { MB = 1 << 20 };

static void test_credit(void **state)
{
	(void)state;
	/* An empty queue: seven eighths of it, at most KERNEL_MOST_AHEAD. */
	assert_int_equal(kernel_credit(80000, 0, 0, 0), 70000);
	assert_int_equal(kernel_credit(4 * MB, 0, 0, 0), KERNEL_MOST_AHEAD);
	/* What comes there next takes its room, and what is not acknowledged its share. */
	assert_int_equal(kernel_credit(80000, 0, 30000, 30000), 40000);
	assert_int_equal(kernel_credit(4 * MB, 0, 0, KERNEL_MOST_AHEAD - 10000), 10000);
	/* The receiver is behind. */
	assert_int_equal(kernel_credit(4 * MB, 0, 0, KERNEL_MOST_AHEAD), 0);
	assert_int_equal(kernel_credit(4 * MB, 0, 0, UINT64_MAX), 0);
	/* Acknowledged before it is counted: nobody is behind. */
	assert_int_equal(kernel_ahead(300, 100), 200);
	assert_int_equal(kernel_ahead(100, 200), 0);
	assert_int_equal(kernel_credit(4 * MB, 0, 0, kernel_ahead(100, 200)), KERNEL_MOST_AHEAD);
	/* A queue that is full, over-full, or as good as full; one that does not exist. */
	assert_int_equal(kernel_credit(80000, 80000, 0, 0), 0);
	assert_int_equal(kernel_credit(80000, 90000, 0, 0), 0);
	assert_int_equal(kernel_credit(80000, 0, 70000, 0), 0);
	assert_int_equal(kernel_credit(80000, 80000 - KERNEL_LEAST_GRANT, 0, 0), 0);
	assert_int_equal(kernel_credit(0, 0, 0, 0), 0);
}

static void test_segments(void **state)
{
	(void)state;
	assert_int_equal(kernel_segments(4 * MB, 0, 0), KERNEL_MOST_SEGMENTS);
	assert_int_equal(kernel_segments(80000, 0, 0), 70000 / KERNEL_SEGMENT_COST);
	assert_int_equal(kernel_segments(80000, 90000, 0), 0);
	assert_int_equal(kernel_segments(80000, 0, 80000), 0);
}

/* So many bytes and answers more, a moment later. */
static bool more(struct kernel_bulk *bulk, uint64_t bytes, uint64_t answers, uint64_t ms)
{
	static uint64_t all, answered, now = 1000;

	if (!bulk->ms)
		*bulk = (struct kernel_bulk){ all, answered, now, false };
	all += bytes;
	answered += answers;
	now += ms;
	return kernel_is_bulk(bulk, all, answered, now);
}

static void test_bulk(void **state)
{
	struct kernel_bulk bulk = { 0, 0, 0, false };

	(void)state;
	assert_false(more(&bulk, MB / 2, 0, 10)); /* not enough yet */
	assert_true(more(&bulk, MB / 2, 0, 10));
	assert_true(more(&bulk, 1000, 0, 10));    /* what was judged holds */
	assert_false(more(&bulk, 1000, 0, 100));  /* until the next time */
	assert_false(more(&bulk, MB, 4, 10));     /* an answer to each quarter of a megabyte */
	assert_true(more(&bulk, MB, 3, 10));
	assert_false(more(&bulk, MB - 1, 0, 100)); /* slow */
	/* What the process has to pass on all the same weighs more. */
	assert_int_equal(kernel_weight(100, 10), 100 + 10 * KERNEL_BULK_WEIGHT);
}

static void test_ripens(void **state)
{
	(void)state;
	assert_int_equal(kernel_ripens(9, 8, 100), 8);
	assert_int_equal(kernel_ripens(9, 8, 0), 9);
	assert_int_equal(kernel_ripens(2, 8, KERNEL_SMALL_PIECE), 1);
	assert_int_equal(kernel_ripens(2, 8, KERNEL_SMALL_PIECE + 1), 9);
	assert_int_equal(kernel_ripens(1, 0, 0), 1);
	assert_int_equal(kernel_ripens(1, 0, MB), 1);
	assert_int_equal(kernel_ripens(60, 8, MB), 60); /* who has left waits longer */
}

static void test_lesson(void **state)
{
	struct kernel_lesson lesson = { 0, 0 };
	unsigned want, n;

	(void)state;
	assert_true(kernel_lesson_tries(&lesson));
	assert_true(kernel_lesson_pays(&lesson, 1000, 500));
	assert_true(kernel_lesson_tries(&lesson));
	for (want = 1; want <= 2 * KERNEL_MOST_SKIPPED; want *= 2) {
		assert_false(kernel_lesson_pays(&lesson, 1000, 950));
		for (n = 0; !kernel_lesson_tries(&lesson); n++)
			continue;
		assert_int_equal(n, want < KERNEL_MOST_SKIPPED ? want : KERNEL_MOST_SKIPPED);
	}
	assert_true(kernel_lesson_pays(&lesson, 1000, 900)); /* forgotten */
	assert_true(kernel_lesson_tries(&lesson));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_credit), cmocka_unit_test(test_segments),
		cmocka_unit_test(test_bulk),   cmocka_unit_test(test_ripens),
		cmocka_unit_test(test_lesson),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
