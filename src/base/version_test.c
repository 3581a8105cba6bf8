/* SPDX-License-Identifier: BSD-2-Clause */
/* The shapes that others parse: scripts read the version, version_atleast() the level. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/version.h"

static void assert_matches(const char *text, const char *pattern)
{
	regex_t re;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	assert_int_equal(regexec(&re, text, 0, NULL, 0), 0);
	regfree(&re);
}

static void version_has_three_numbers(void **state)
{
	(void)state;
	assert_matches(version_penstock, "^[0-9]+\\.[0-9]+\\.[0-9]+(-[a-z0-9]+)?$");
}

static void level_has_two_numbers(void **state)
{
	(void)state;
	assert_matches(version_language, "^[0-9]+\\.[0-9]+$");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_has_three_numbers),
		cmocka_unit_test(level_has_two_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
