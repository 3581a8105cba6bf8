/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters that look like others are found and named; all others are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/odd.h"

#include <string.h>

static bool find(const char *text, struct odd *odd)
{
	return odd_find(text, strlen(text), odd);
}

static void odd_ones_are_named(void **state)
{
	struct odd odd;

	(void)state;
	assert_true(find("ab\xc2\xa0" "c", &odd));
	assert_string_equal(odd.name, "U+00A0, a no-break space");
	assert_int_equal(odd.at, 2);
	assert_int_equal(odd.len, 2);
	assert_false(odd.quote);
	assert_true(find("\xe2\x80\x9cx\xe2\x80\x9d", &odd));
	assert_int_equal(odd.at, 0);
	assert_true(odd.quote);
	assert_true(find("x\r", &odd));
	assert_string_equal(odd.name, "a carriage return");
}

static void others_are_not(void **state)
{
	struct odd odd;

	(void)state;
	assert_false(find("", &odd));
	assert_false(find("plain \t text", &odd));
	assert_false(find("\xc3\xa4\xc3\xb6 \xe2\x82\xac \xf0\x9f\x98\x80",
			  &odd));                        /* umlauts, a euro, a face */
	assert_false(odd_find("\xe2\x80\x9c", 2, &odd)); /* breaks off */
	assert_false(odd_find("\xc2", 1, &odd));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(odd_ones_are_named),
					    cmocka_unit_test(others_are_not) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
