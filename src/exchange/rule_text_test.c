/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of rules: which are refused, and when a control character is told of. All modules read
 * them. */
#include "exchange/http_action.h"

#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

static void rule_says(const char *rule, const char *expected)
{
	char text[300], said[300] = "";

	snprintf(text, sizeof(text), "listen l\n bind 127.0.0.1:1\n server s 127.0.0.1:80\n"
		 " http-request %s\n", rule);
	if (*expected)
		snprintf(said, sizeof(said), "4 %s\n", expected);
	config_says(text, said);
}

#define CONTROL "warning: a control character: it cannot be part of a line of HTTP, and a blank leaves in its place"

static void control_characters_are_told(void **state)
{
	(void)state;
	rule_says("set-header X-A b", "");
	rule_says("set-header X-A \"b\\nc\"", CONTROL);
	rule_says("set-header X-A \"b\tc\"", "");
	rule_says("replace-header X-A b \"c\\nd\"", CONTROL);
	rule_says("replace-header X-A b c", "");
}

/* Escapes of a replacement mean bytes; elsewhere they are none. */
static void so_are_those_that_escapes_mean(void **state)
{
	(void)state;
	rule_says("replace-header X-A b c\\\\x0ad", CONTROL);
	rule_says("replace-header X-A b c\\\\x41d", "");
	rule_says("set-header X-A c\\\\x0ad", "");
}

static void a_text_is_not_empty(void **state)
{
	(void)state;
	rule_says("set-path \"\"", "error: a format must not be empty; \"%[str()]\" makes an empty text");
	rule_says("set-path %[str()]", "");
	rule_says("replace-header X-A b \"\"",
		  "error: the replacement must not be empty; \"%[str()]\" makes an empty text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_told),
		cmocka_unit_test(so_are_those_that_escapes_mean),
		cmocka_unit_test(a_text_is_not_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
