/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions: their values, what is no condition, and which lines they let through. Values as
 * the reference has them, at language level 2.6. */
#include "base/err.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_all(const char *const *texts, int want)
{
	struct err err;

	for (; *texts; texts++) {
		int got = config_condition(NULL, *texts, &err);

		if (got != want)
			print_error("%s: %d, %s\n", *texts, got, got < 0 ? err.text : "");
		assert_int_equal(got, want);
	}
}

static void test_true(void **state)
{
	static const char *const texts[] = {
		"1", "-1", "+1", "12", "99999999999999999999", " 1 ", "(1)", "( 1 )", "!0",
		"! 0", "!!1", "!(0)", "1&&1", "1 && 1", "0||1", "1 && 0 || 1", "1 || 1 && 0",
		"(1) && !(0 || 0)", "streq(a,a)", "streq(a b,a b)", "streq(,)", "streq( a , a )",
		"streq(\\\"a,b\\\",\\\"a,b\\\")", "'streq(a\\nb,\"a\\nb\")'", "strneq(a,b)",
		"streq(\"$PENSTOCK_TEXT\",x y)", "streq(\"${PENSTOCK_NOPE-z}\",z)", "streq(\\x41,A)",
		"streq(a,a) # comment", "ssllib_name_startswith() || !feature(OPENSSL)",
		"ssllib_name_startswith(OpenSSL) || !feature(OPENSSL)",
		"openssl_version_atleast(1.1.1k) || !feature(OPENSSL)",
		"openssl_version_atleast(3.0.0-beta1) || !feature(OPENSSL)",
		"openssl_version_atleast(3) || !feature(OPENSSL)",
		"openssl_version_before(99.0.0) || !feature(OPENSSL)",
		"version_before(1024)", "version_before(1024.9999.99999999)", "version_before(99999999999999999999)",
		"feature(PROMEX) && feature(LIBCRYPT) && feature(CRYPT_H)",
		"defined(PENSTOCK_TEST)", "!defined(PENSTOCK_NOPE)", "version_atleast(2.6)",
		"version_atleast(2.6-dev5)", "version_atleast(2.5.3)", "version_atleast(2)",
		"version_before(2.7)", "version_before(3)", "version_before(2.6.1)",
		"version_before(2.7-dev0)", "feature(EPOLL)", "feature(LINUX_SPLICE)",
		"!feature(OPENSSL) || feature(OPENSSL)", NULL,
	};

	(void)state;
	setenv("PENSTOCK_TEST", "", 1);
	setenv("PENSTOCK_TEXT", "x y", 1);
	check_all(texts, 1);
}

static void test_false(void **state)
{
	static const char *const texts[] = {
		"", "  ", "0", "00", "!1", "0&&1", "0 || 0", "1 && 0", "(0 || 1) && 0",
		"ssllib_name_startswith(openssl)", "openssl_version_before(3.0.0-beta1)",
		"openssl_version_atleast(99)", "awslc_api_atleast(1)", "awslc_api_before(35)",
		"version_atleast(1024)", "enabled(SPLICE)", "enabled(nonsense)",
		"streq(\"$PENSTOCK_NOPE\",1)", "streq('$PENSTOCK_TEXT',x y)",
		"streq(a,b)", "streq(a, a)", "streq(a,\"\")", "strneq(a,a)", "defined()",
		"defined( PENSTOCK_TEST )", "feature(NOPE)", "feature(epoll)", "feature(+EPOLL)",
		"feature(KQUEUE)", "feature(THREAD)", "version_atleast(2.7)",
		"version_atleast(2.7-dev0)", "version_before(2.6)", "version_before(2.6-dev9)",
		NULL,
	};

	(void)state;
	check_all(texts, 0);
}

static void test_no_condition(void **state)
{
	static const char *const texts[] = {
		"bogus", "12x", "0x1", "1 1", "1)", "(1", "()", "!", "1 &", "1 &&", "&& 1",
		"1 or 1", "1||bogus", "0&&bogus", "bogus||1", "streq", "streq()", "streq(a)",
		"streq(a,b,c)", "defined", "defined(PATH", "defined (PATH)", "streq(\"a,b)",
		"version_atleast(x)", "version_atleast(2.x)", "version_atleast()",
		"enabled", "enabled(a,b)", "openssl_version_atleast(x)",
		"openssl_version_before(3.0.0zz)", "awslc_api_atleast(x)", "awslc_api_before()",
		"strstr(abc,b)", "-", "+", "'\"1\"'", NULL,
	};

	(void)state;
	check_all(texts, -1);
}

static void test_nesting_has_a_limit(void **state)
{
	char text[20000];
	struct err err;

	(void)state;
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(config_condition(NULL, text, &err), -1);
	memset(text, '!', sizeof(text) - 1);
	assert_int_equal(config_condition(NULL, text, &err), -1);
}

/* -- in a file ------------------------------------------------------------------------- */

static const struct module *const nothing[] = { NULL };

/* The problems of a text: notices tell which lines were read. */
static const char *problems(const char *text)
{
	struct config *cfg = config_new(nothing, true);
	static char buf[4000];
	const struct problem *p;
	struct text t;

	cfg->diag->verbose = true;
	config_read_text(cfg, "t.cfg", text, strlen(text));
	text_init(&t, buf, sizeof(buf));
	for (p = cfg->diag->first; p; p = p->next)
		text_printf(&t, "%u:%u %s %s\n", p->place.line, p->place.column,
			    diag_severity_name(p->severity), p->message);
	config_free(&cfg);
	return buf;
}

static void test_branches(void **state)
{
	(void)state;
	assert_string_equal(problems(".if 1\n.notice a\n.elif 1\n.notice b\n.else\n.notice c\n"
				     ".endif\n.notice d\n"),
			    "2:1 notice a\n8:1 notice d\n");
	assert_string_equal(problems(".if 0\n.notice a\n.elif 1 && 1\n.notice b\n.elif 1\n"
				     ".notice b2\n.else\n.notice c\n.endif\n"),
			    "4:1 notice b\n");
	assert_string_equal(problems(".if 0\n.notice a\n.elif 0\n.notice b\n.else # so\n.notice c\n"
				     ".endif\n"),
			    "6:1 notice c\n");
	assert_string_equal(problems(".if\n.notice a\n.endif\n.if \"\"\n.notice b\n.endif\n"), "");
}

static void test_nested(void **state)
{
	(void)state;
	assert_string_equal(problems(".if 0\n .if 1\n  .notice a\n .else\n  .notice b\n .endif\n"
				     "bogus line\n.else\n .if 1\n  .notice c\n .endif\n.endif\n"),
			    "10:3 notice c\n");
	/* What is not read is not evaluated either. */
	assert_string_equal(problems(".if 1\n.elif bogus\n.endif\n.if 0\n.if bogus\n.endif\n"
				     ".endif\n"),
			    "");
}

/* Quotes must match in lines that are not read, too. */
static void test_quotes_everywhere(void **state)
{
	(void)state;
	assert_string_equal(problems(".if 0\nfoo \"bar\n.endif\n"),
			    "2:5 error this quote is never closed\n");
}

static void test_messages(void **state)
{
	(void)state;
	assert_string_equal(problems(".notice\n.warning w\n.alert 'a b'\n.diag d\n.notice a b\n"
				     ".if 0\n.alert x y\n.endif\n"),
			    "1:1 notice \n2:1 warning w\n3:1 error a b\n4:1 note d\n"
			    "5:11 error a message of several words must stand in quotes\n");
}

static void test_directives_refused(void **state)
{
	(void)state;
	assert_string_equal(problems(".endif\n.else\n.elif 1\n.foo\n.if 0\n.bar\n.endif x\n"),
			    "1:1 error .endif without .if\n2:1 error .else without .if\n"
			    "3:1 error .elif without .if\n"
			    "4:1 error '.foo' is not a known directive\n"
			    "7:8 error 'x' is one word too many here\n");
	assert_string_equal(problems(".if 1\n.else\n.else\n.elif 1\n.endif\n"),
			    "3:1 error .else behind .else\n4:1 error .elif behind .else\n");
	assert_string_equal(problems(".if 1\n.if 0\n.endif\n"),
			    "1:0 error this .if has no .endif in the file\n");
}

static void test_where_a_condition_is_wrong(void **state)
{
	(void)state;
	assert_string_equal(problems(".if 1 && defined(PATH) && bogus(3) || 1\n.endif\n"),
			    "1:27 error unknown predicate: 'bogus(3) || 1'\n");
	assert_string_equal(problems(".if 1 &&\n.endif\n"),
			    "1:10 error a condition expected\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_true),
		cmocka_unit_test(test_false),
		cmocka_unit_test(test_no_condition),
		cmocka_unit_test(test_nesting_has_a_limit),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_quotes_everywhere),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_directives_refused),
		cmocka_unit_test(test_where_a_condition_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
