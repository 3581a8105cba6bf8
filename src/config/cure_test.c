/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of words of other languages: units, signs, blanks, words. A word of our own, "test",
 * brings lines in, and each cure is asked for one of their words. */
#include "config/cure.h"

#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* About the word i of the line; *known: what cure_unknown and cure_second return. */
static void (*cure)(struct statement *st, int i);
static int cured;
static bool known;

static void unknown(struct statement *st, int i)
{
	known = cure_unknown(st, i);
}

static void second(struct statement *st, int i)
{
	known = cure_second(st, i);
}

static int parse_test(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	while (stmt_next(st))
		;
	stmt_error(st, 0, "a problem");
	cure(st, cured);
	return -1;
}

static const struct keyword keywords[] = {
	{ .name = "test", .scope = SCOPE_GLOBAL, .parse = parse_test },
	{ .name = "default_backend", .scope = SCOPE_GLOBAL, .parse = parse_test },
	{ 0 },
};
static const struct module test_module = { .name = "test", .keywords = keywords };
static const struct module *const test_modules[] = { &environment_module, &test_module, NULL };

/* The hint to the word i of the line; "": none is given. */
static void says(void (*how)(struct statement *st, int i), const char *line, int i,
		 const char *wanted)
{
	struct config *cfg = config_new(test_modules, false);
	const struct problem *problem;
	char text[300];
	int len = snprintf(text, sizeof(text), "global\n\t%s\n", line);

	cure = how;
	cured = i;
	known = false;
	assert_int_not_equal(config_read_text(cfg, "test", text, (size_t)len), 0);
	problem = cfg->diag->first;
	assert_non_null(problem);
	assert_string_equal(problem->message, "a problem");
	assert_string_equal(problem->hint ? problem->hint : "", wanted);
	config_free(&cfg);
}

static void times(void **state)
{
	(void)state;
	says(cure_time, "test 5sec", 1, "write '5s'");
	says(cure_time, "test 30Minutes", 1, "write '30m'");
	says(cure_time, "test 100msecs", 1, "write '100ms'");
	says(cure_time, "test 1.5s", 1, "numbers are whole: write '1500ms'");
	says(cure_time, "test 0.5min", 1, "numbers are whole: write '30s'");
	says(cure_time, "test 2.5d", 1, "numbers are whole: write '60h'");
	says(cure_time, "test 1.5us", 1, "");  /* nothing is smaller */
	says(cure_time, "test 5weeks", 1, "");
	says(cure_time, "test sec", 1, "");    /* no number */
	says(cure_time, "test 99999999999.5s", 1, "");
	says(cure_time, "test 5sec,", 1, "no ',' stands behind a value");
}

static void sizes(void **state)
{
	(void)state;
	says(cure_size, "test 10KB", 1, "write '10k'");
	says(cure_size, "test 10MiB", 1, "write '10m'");
	says(cure_size, "test 1.5g", 1, "numbers are whole: write '1536m'");
	says(cure_size, "test 1.5k", 1, "numbers are whole: write '1536'");
	says(cure_size, "test 5sec", 1, ""); /* a time is no size */
	says(cure_size, "test 64k;", 1, "no ';' stands behind a value");
}

static void signs(void **state)
{
	(void)state;
	says(cure_number, "test = 5", 1, "a value follows its word behind a blank, without '='");
	says(cure_number, "test : 5", 1, "a value follows its word behind a blank, without ':'");
	says(cure_number, "test 5;", 1, "no ';' stands behind a value");
	says(cure_number, "test ;", 1, "");
	says(cure_number, "test five", 1, "");
	says(cure_number, "test", 1, ""); /* there is no such word */
}

static void rest_of_a_line(void **state)
{
	(void)state;
	says(cure_rest, "test 30 s", 2,
	     "no blank stands between a number and its unit: write '30s'");
	says(cure_rest, "test 30 seconds", 2,
	     "no blank stands between a number and its unit: write '30s'");
	says(cure_rest, "test 64 KB", 2,
	     "no blank stands between a number and its unit: write '64k'");
	says(cure_rest, "test 30a s", 2, "");
	says(cure_rest, "test a if b", 2, "this line takes no condition");
	says(cure_rest, "default_backend a if b", 2, "it takes no condition: 'use_backend' does");
	says(cure_rest, "test a unless b", 2, "this line takes no condition");
	says(cure_rest, "test a // why", 2, "a comment begins with '#'");
	says(cure_rest, "test a ;", 2, "a comment begins with '#'");
	says(cure_rest, "test no", 1, "'no' stands in front: 'no test', where the word has one");
	says(cure_rest, "test On", 1, "the word alone turns it on");
	says(cure_rest, "test a on", 2, "");
}

static void unknown_words(void **state)
{
	(void)state;
	says(unknown, "test // why", 1, "a comment begins with '#'");
	assert_true(known);
	says(unknown, "test -- why", 1, "a comment begins with '#'");
	says(unknown, "test /* why", 1, "a comment begins with '#'");
	says(unknown, "test ssl", 1,
	     "it is a word of bind and server lines: 'bind :443 ssl crt FILE'");
	assert_true(known);
	says(unknown, "test ssl_", 1, "");
	assert_false(known);
	says(unknown, "test /x", 1, "");
	assert_false(known);
}

static void words_that_do_not_follow(void **state)
{
	(void)state;
	says(second, "test client=5s", 1,
	     "a value follows its word behind a blank: write 'test client 5s'");
	assert_true(known);
	says(second, "test client:", 1,
	     "a value follows its word behind a blank: write 'test client ...'");
	says(second, "test =5s", 1, "");
	assert_false(known);
	says(second, "test client", 1, "");
	assert_false(known);
	says(second, "test", 1, "");
	assert_false(known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(sizes),
		cmocka_unit_test(signs),
		cmocka_unit_test(rest_of_a_line),
		cmocka_unit_test(unknown_words),
		cmocka_unit_test(words_that_do_not_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
