/* SPDX-License-Identifier: BSD-2-Clause */
/* The shapes that others parse: scripts read the version, version_atleast() the level. */
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

/* As semantic versions compare: three numbers; of equal ones that with a text behind '-' is
 * older. */
static int semantic_order(const char *a, const char *b)
{
	unsigned x[3], y[3];
	int len_a, len_b;

	assert_int_equal(sscanf(a, "%u.%u.%u%n", &x[0], &x[1], &x[2], &len_a), 3);
	assert_int_equal(sscanf(b, "%u.%u.%u%n", &y[0], &y[1], &y[2], &len_b), 3);
	for (int i = 0; i < 3; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return (b[len_b] == '-') - (a[len_a] == '-');
}

static void tools_find_no_release_of_the_level_newer(void **state)
{
	char of_level[64];

	(void)state;
	/* The grammar of semantic versions: what is behind '-' are words, numbers without a zero
	 * in front. */
	assert_matches(version_for_tools,
		       "^[0-9]+\\.[0-9]+\\.[0-9]+-[a-z][a-z0-9]*\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)"
		       "(-[a-z0-9]+)?$");
	assert_int_equal(strncmp(version_for_tools, version_language, strlen(version_language)), 0);
	for (int i = 0; i < 99; i++) {
		snprintf(of_level, sizeof(of_level), "%s.%d", version_language, i);
		assert_int_equal(semantic_order(version_for_tools, of_level), 1);
	}
	assert_int_equal(semantic_order("2.6.0-penstock0.1.0", "2.6.0"), -1);
	assert_int_equal(semantic_order(version_for_tools, "2.7.0"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_has_three_numbers),
		cmocka_unit_test(level_has_two_numbers),
		cmocka_unit_test(tools_find_no_release_of_the_level_newer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
