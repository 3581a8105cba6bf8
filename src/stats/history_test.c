/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of requests and 5xx responses, and the curve of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "stats/history.h"

#include <string.h>

static struct history h;
static char memory[8192];

static const char *say(void)
{
	struct text out;

	text_init(&out, memory, sizeof(memory));
	history_say(&h, "Requests", &out);
	assert_false(out.cut);
	return memory;
}

static void has(const char *text)
{
	if (!strstr(memory, text))
		print_message("missing: %s\nin: %s\n", text, memory);
	assert_non_null(strstr(memory, text));
}

static void a_sample_is_what_came_since(void **state)
{
	(void)state;
	history_begin(&h, 1000, 7);
	assert_string_equal(say(), "");
	history_add(&h, 1050, 7, 1);
	assert_string_equal(say(), "");
	history_add(&h, 1150, 7, 1);
	assert_int_equal(h.requests_of[0], 50);
	assert_int_equal(h.requests_of[1], 100);
	assert_false(history_fails(&h));
	say();
	has("M58 8L59 0\"/>");
	has("over the last 10 s: 20 now, 20 at most; 5xx: 0 now, 0 at most");
	assert_null(strstr(memory, "class=e"));
}

static void failures_count_for_a_minute(void **state)
{
	(void)state;
	history_begin(&h, 0, 0);
	history_add(&h, 10000, 1, 1);
	assert_true(history_fails(&h));
	for (unsigned i = 1; i < HISTORY_LATELY; i++) {
		history_add(&h, 10000, 1, 1);
		assert_true(history_fails(&h));
	}
	say();
	has("<svg class=\"h bad\"");
	has("<path class=e d=\"M48 16v-2\"/>");
	has("5xx: 0 now, 0.2 at most");
	history_add(&h, 10000, 1, 1);
	assert_false(history_fails(&h));
	say();
	has("<svg class=\"h\"");
}

static void cleared_counters_give_zero(void **state)
{
	(void)state;
	history_begin(&h, 100, 10);
	history_add(&h, 5, 0, 1);
	history_add(&h, 15, 1, 1);
	assert_int_equal(h.requests_of[0], 0);
	assert_int_equal(h.errors_of[0], 0);
	assert_int_equal(h.requests_of[1], 10);
	assert_int_equal(h.errors_of[1], 1);
}

/* The process stood still: what came meanwhile is spread, and 5xx are not lost by rounding. */
static void late_samples_are_spread(void **state)
{
	(void)state;
	history_begin(&h, 0, 0);
	history_add(&h, 30, 1, 3);
	assert_int_equal(h.count, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(h.requests_of[i], 10);
		assert_int_equal(h.errors_of[i], 1);
	}
	history_add(&h, 30 + 120000, 1, 1000000);
	assert_int_equal(h.count, HISTORY_SAMPLES);
	for (unsigned i = 0; i < HISTORY_SAMPLES; i++)
		assert_int_equal(h.errors_of[i], 0);
}

static void the_oldest_makes_room(void **state)
{
	(void)state;
	history_begin(&h, 0, 0);
	for (unsigned i = 1; i <= 3 * HISTORY_SAMPLES; i++)
		history_add(&h, (uint64_t)i * 5, i == 1, 1);
	assert_int_equal(h.count, HISTORY_SAMPLES);
	say();
	has("over the last 300 s: 1 now, 1 at most; 5xx: 0 now, 0 at most");
	has("M0 0L1 0");
}

static void huge_numbers_fit(void **state)
{
	(void)state;
	history_begin(&h, 0, 0);
	for (unsigned i = 1; i <= HISTORY_SAMPLES; i++)
		history_add(&h, i * (UINT64_MAX / 64), i * (UINT64_MAX / 64), 1);
	say();
	has("858993459 now");
	has("M59 16v-16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_is_what_came_since),
		cmocka_unit_test(failures_count_for_a_minute),
		cmocka_unit_test(cleared_counters_give_zero),
		cmocka_unit_test(late_samples_are_spread),
		cmocka_unit_test(the_oldest_makes_room),
		cmocka_unit_test(huge_numbers_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
