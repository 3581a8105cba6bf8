/* SPDX-License-Identifier: BSD-2-Clause */
/* Cookies: listed, set, removed. The cases were tried on HAProxy 2.6. */
#include "http/cookie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* All of them as "[name=value]". */
static void describe(const char *field, char *out, size_t size)
{
	struct cookie c;
	size_t at = 0, len = 0;

	out[0] = 0;
	while (cookie_next(span_of(field), &at, &c) && len < size)
		len += (size_t)snprintf(out + len, size - len, "[%.*s=%.*s]", (int)c.name.len,
					c.name.ptr, (int)c.value.len, c.value.ptr);
}

static void test_list(void **state)
{
	static const struct {
		const char *field, *cookies;
	} cases[] = {
		{ "", "" },
		{ "a=1", "[a=1]" },
		{ "a=1; b=2", "[a=1][b=2]" },
		{ "a=1,b=2;a=3", "[a=1][b=2][a=3]" },
		{ "a=\"1;2\"; b=3", "[a=\"1;2\"][b=3]" },
		{ "a=x\"1,2\"; b=3", "[a=x\"1,2\"][b=3]" },
		{ "a=\"1\\\";2\"; b=3", "[a=\"1\\\";2\"][b=3]" },
		{ "a=\"1; b=2", "[a=\"1; b=2]" },
		{ "a = 1 ; b = 2 ", "[a=1][b=2]" },
		{ "a", "" },
		{ "a;b=3;c", "[b=3]" },
		{ "a=; b=1", "[a=][b=1]" },
		{ "=x; a=1", "[=x][a=1]" },
		{ "a=1=2", "[a=1=2]" },
		{ ";; ,a=1;", "[a=1]" },
		{ "a=1 2; b=3", "[a=1 2][b=3]" },
		{ "$Version=1; a=1; $Path=/", "[$Version=1][a=1][$Path=/]" },
	};
	char out[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(cases[i].field, out, sizeof(out));
		assert_string_equal(out, cases[i].cookies);
	}
}

static void test_set_cookie(void **state)
{
	static const struct {
		const char *field, *name, *value, *whole;
	} cases[] = {
		{ "a=1", "a", "1", "a=1" },
		{ " a = 1 ; Path=/; Expires=Wed, 09 Jun 2021 10:18:14 GMT", "a", "1",
		  "a = 1 ; Path=/; Expires=Wed, 09 Jun 2021 10:18:14 GMT" },
		{ "a=; Secure", "a", "", "a=; Secure" },
		{ "a=\"b;c\"; Secure", "a", "\"b;c\"", "a=\"b;c\"; Secure" },
		{ "=x", "", "x", "=x" },
	};
	struct cookie c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(set_cookie_parse(span_of(cases[i].field), &c));
		assert_int_equal(c.name.len, strlen(cases[i].name));
		assert_memory_equal(c.name.ptr, cases[i].name, c.name.len);
		assert_int_equal(c.value.len, strlen(cases[i].value));
		assert_memory_equal(c.value.ptr, cases[i].value, c.value.len);
		assert_int_equal(c.whole.len, strlen(cases[i].whole));
		assert_memory_equal(c.whole.ptr, cases[i].whole, c.whole.len);
	}
	assert_false(set_cookie_parse(span_of(""), &c));
	assert_false(set_cookie_parse(span_of("a"), &c));
	assert_false(set_cookie_parse(span_of("a; b=1"), &c));
}

static size_t cookie_remove(struct span field, struct span whole, char *memory)
{
	struct cookie_edit edit;

	cookie_edit_begin(&edit, field, memory);
	cookie_edit_remove(&edit, whole);
	return cookie_edit_end(&edit);
}

/* Those of a name, in one pass. */
static void test_remove_all(void **state)
{
	static const struct {
		const char *field, *left;
	} cases[] = {
		{ "S=1;S=2", "" }, { "S=1; a=1; S=2; ;, S=3", "a=1" }, { "x; S=1; S=2", "x" },
		{ "a=1; S=1; S=2; b=2; S=3", "a=1; b=2" }, { "S=1, x, S=2; b=1;", "x, b=1;" },
		{ "S=\"1;S=2\"; b=\"S=3\"; S=\"4", "b=\"S=3\"" },
	};
	struct cookie_edit edit;
	char left[64];
	size_t i, at;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cookie c;

		cookie_edit_begin(&edit, span_of(cases[i].field), left);
		for (at = 0; cookie_next(edit.field, &at, &c);)
			if (c.name.len == 1 && *c.name.ptr == 'S')
				cookie_edit_remove(&edit, c.whole);
		at = cookie_edit_end(&edit);
		assert_int_equal(at, strlen(cases[i].left));
		assert_memory_equal(left, cases[i].left, at);
	}
}

static void test_remove(void **state)
{
	static const struct {
		const char *field;
		unsigned which;
		const char *left;
	} cases[] = {
		{ "a=1", 0, "" },
		{ " a=1 ; ", 0, "" },
		{ "a=1; b=2", 0, "b=2" },
		{ "a=1; b=2", 1, "a=1" },
		{ "a=1; b=2; c=3", 1, "a=1; c=3" },
		{ "a=1;b=2;c=3", 1, "a=1;c=3" },
		{ "a=1; b=2;", 1, "a=1" },
		{ "x; a=1; y; b=2", 0, "x; y; b=2" },
		{ "a=\"1;2\", b=3", 0, "b=3" },
	};
	struct cookie c;
	char left[64];
	size_t i, at, n;
	unsigned k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span field = span_of(cases[i].field);

		for (k = 0, at = 0; k <= cases[i].which; k++)
			assert_true(cookie_next(field, &at, &c));
		n = cookie_remove(field, c.whole, left);
		assert_int_equal(n, strlen(cases[i].left));
		assert_memory_equal(left, cases[i].left, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list), cmocka_unit_test(test_remove_all),
		cmocka_unit_test(test_set_cookie),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
