/* SPDX-License-Identifier: BSD-2-Clause */
/* Units of time (manual 2.5) and size. */
#include "config/value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_time(void **state)
{
	static const struct {
		const char *text;
		char unit;
		uint64_t us;
	} table[] = {
		{ "0", 'm', 0 },	   { "5", 'm', 5000 },	       { "5", 's', 5000000 },
		{ "7", 'u', 7 },	   { "3us", 'm', 3 },	       { "3ms", 's', 3000 },
		{ "3s", 'm', 3000000 },	   { "2m", 'm', 120000000 },   { "1h", 'm', 3600000000 },
		{ "1d", 'm', 86400000000 }, { "2", 'M', 120000000 },   { "1", 'h', 3600000000 },
		{ "1", 'd', 86400000000 },
	};
	uint64_t us;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(value_time(table[i].text, table[i].unit, &us, NULL), VALUE_OK);
		assert_int_equal(us, table[i].us);
	}
}

static void test_time_refused(void **state)
{
	const char *bad = NULL;
	uint64_t us;

	(void)state;
	assert_int_equal(value_time("", 'm', &us, NULL), VALUE_NONE);
	assert_int_equal(value_time("-1", 'm', &us, NULL), VALUE_NONE);
	assert_int_equal(value_time("x", 'm', &us, NULL), VALUE_NONE);
	assert_int_equal(value_time("5x", 'm', &us, &bad), VALUE_UNIT);
	assert_string_equal(bad, "x");
	assert_int_equal(value_time("5 s", 'm', &us, NULL), VALUE_UNIT);
	assert_int_equal(value_time("5ss", 'm', &us, NULL), VALUE_UNIT);
	assert_int_equal(value_time("5S", 'm', &us, NULL), VALUE_UNIT);
	assert_int_equal(value_time("99999999999999999999", 'm', &us, NULL), VALUE_OVERFLOW);
	assert_int_equal(value_time("18446744073709551615d", 'm', &us, NULL), VALUE_OVERFLOW);
}

static void test_size(void **state)
{
	const char *bad = NULL;
	uint64_t n;

	(void)state;
	assert_int_equal(value_size("16384", &n, NULL), VALUE_OK);
	assert_int_equal(n, 16384);
	assert_int_equal(value_size("2k", &n, NULL), VALUE_OK);
	assert_int_equal(n, 2048);
	assert_int_equal(value_size("2M", &n, NULL), VALUE_OK);
	assert_int_equal(n, 2 << 20);
	assert_int_equal(value_size("3g", &n, NULL), VALUE_OK);
	assert_int_equal(n, 3ull << 30);
	assert_int_equal(value_size("3kb", &n, &bad), VALUE_UNIT);
	assert_string_equal(bad, "kb");
	assert_int_equal(value_size("3t", &n, NULL), VALUE_UNIT);
	assert_int_equal(value_size("k", &n, NULL), VALUE_NONE);
	assert_int_equal(value_size("18446744073709551615k", &n, NULL), VALUE_OVERFLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_refused),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
