/* SPDX-License-Identifier: BSD-2-Clause */
/* The arithmetic of the moving average: it jumps up, sinks by its half-life, and lives with clocks
 * that jump and numbers that begin anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proxy/latency.h"

#include <stdlib.h>

enum { HALF = 1000 };
static const uint64_t start = 5000000;

static void a_higher_value_is_taken_at_once(void **state)
{
	uint64_t word = latency_after(0, 700, start, HALF);

	(void)state;
	assert_int_equal(latency_faded(word, start, HALF), 700);
	word = latency_after(word, 50000, start, HALF);
	assert_int_equal(latency_faded(word, start, HALF), 50000);
}

/* As often as it comes: in the same moment nothing sinks, in a half-life half of the way. */
static void a_lower_value_draws_it_down_by_time(void **state)
{
	uint64_t word = latency_after(0, 50000, start, HALF);
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		word = latency_after(word, 1000, start, HALF);
	assert_int_equal(latency_faded(word, start, HALF), 50000);
	word = latency_after(word, 1000, start + HALF, HALF);
	assert_int_equal(latency_faded(word, start + HALF, HALF), 1000 + 49000 / 2);
	for (i = 2; i < 60; i++)
		word = latency_after(word, 1000, start + i * HALF, HALF);
	assert_int_equal(latency_faded(word, start + (i - 1) * HALF, HALF), 1000);
}

static void it_fades_while_nothing_comes(void **state)
{
	uint64_t word = latency_after(0, 64000, start, HALF);
	uint32_t us, last = 64001;
	unsigned ms;

	(void)state;
	for (ms = 0; ms < 30 * HALF; ms += 7) {
		us = latency_faded(word, start + ms, HALF);
		assert_true(us <= last);
		last = us;
	}
	assert_int_equal(latency_faded(word, start + HALF, HALF), 32000);
	assert_int_equal(latency_faded(word, start + 4 * HALF, HALF), 4000);
	assert_int_equal(latency_faded(word, start + HALF + HALF / 2, HALF), 24000);
	assert_int_equal(last, 0);
}

static void nothing_measured_is_nothing(void **state)
{
	(void)state;
	assert_int_equal(latency_faded(0, start, HALF), 0);
	assert_int_equal(latency_faded(0, 0, 1), 0);
	assert_int_equal(latency_faded(0, UINT64_MAX, UINT32_MAX), 0);
}

/* Another process has read its clock later; a machine was asleep; two years have passed. */
static void clocks_jump(void **state)
{
	uint64_t word = latency_after(0, 8000, start, HALF), later;
	const uint64_t round = UINT64_C(1) << (64 - LATENCY_BITS);

	(void)state;
	assert_int_equal(latency_faded(word, start - 1, HALF), 8000);
	assert_int_equal(latency_faded(word, start - 5000, HALF), 8000);
	word = latency_after(word, 1000, start - 5, HALF);
	assert_int_equal(latency_faded(word, start - 5, HALF), 8000);
	assert_int_equal(latency_faded(word, start + UINT64_C(86400000) * 300, HALF), 0);
	later = latency_after(0, 8000, round - 10, HALF);
	assert_int_equal(latency_faded(later, round + HALF - 10, HALF), 4000);
}

static void values_have_an_end(void **state)
{
	const uint32_t most = (1u << LATENCY_BITS) - 1;
	uint64_t word = latency_after(0, UINT64_MAX, start, HALF);

	(void)state;
	assert_int_equal(latency_faded(word, start, HALF), most);
	assert_int_equal(latency_faded(word, start, UINT32_MAX), most);
	assert_in_range(latency_faded(word, start + UINT32_MAX / 2, UINT32_MAX), most / 4 * 3 - 4,
			most / 4 * 3 + 4);
	assert_int_equal(latency_faded(word, start + 1, 1), most / 2);
	assert_int_equal(latency_faded(word, start + 40, 1), 0);
}

/* Whatever comes: between the lowest and the highest that has come. */
static void it_stays_between(void **state)
{
	uint64_t word = 0, now = start;
	uint32_t us, value;
	unsigned i;

	(void)state;
	srandom(1);
	for (i = 0; i < 100000; i++) {
		value = 300 + (uint32_t)random() % 20000;
		now += (uint64_t)random() % 50;
		word = latency_after(word, value, now, 1 + (unsigned)random() % 5000);
		us = latency_faded(word, now, HALF);
		assert_true(us >= value && us <= 20300);
	}
}

#define TEST cmocka_unit_test

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_higher_value_is_taken_at_once),
		TEST(a_lower_value_draws_it_down_by_time),
		TEST(it_fades_while_nothing_comes),
		TEST(nothing_measured_is_nothing),
		TEST(clocks_jump),
		TEST(values_have_an_end),
		TEST(it_stays_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
