/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets, hosts, queries, decoding. */
#include "http/uri.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_part(struct span part, const char *expected)
{
	if (!expected) {
		assert_null(part.ptr);
		return;
	}
	assert_non_null(part.ptr);
	assert_int_equal(part.len, strlen(expected));
	assert_memory_equal(part.ptr, expected, part.len);
}

static void test_split(void **state)
{
	static const struct {
		const char *target, *scheme, *authority, *path, *query, *pathq;
	} cases[] = {
		{ "/", NULL, NULL, "/", NULL, "/" },
		{ "/a/b?c=d?e", NULL, NULL, "/a/b", "c=d?e", "/a/b?c=d?e" },
		{ "/?", NULL, NULL, "/", "", "/?" },
		{ "//h/p", NULL, NULL, "//h/p", NULL, "//h/p" },
		{ "*", NULL, NULL, "*", NULL, "*" },
		{ "http://h/p?q", "http", "h", "/p", "q", "/p?q" },
		{ "http://h", "http", "h", "", NULL, "" },
		{ "http://h?q", "http", "h", "", "q", "?q" },
		{ "a+b.c-1://u@h:1/", "a+b.c-1", "u@h:1", "/", NULL, "/" },
		{ "http://h#f", "http", "h", "#f", NULL, "#f" },
		{ "http://h#/f?q", "http", "h", "#/f", "q", "#/f?q" },
		{ "http://", "http", "", "", NULL, "" },
		{ "h:443", NULL, "h:443", "", NULL, "" },
		{ "[::1]:443", NULL, "[::1]:443", "", NULL, "" },
	};
	struct uri uri;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span target = span_of(cases[i].target);

		assert_true(uri_split(target, &uri));
		assert_part(uri.scheme, cases[i].scheme);
		assert_part(uri.authority, cases[i].authority);
		assert_part(uri.path, cases[i].path);
		assert_part(uri.query, cases[i].query);
		assert_part(uri_path_and_query(target), cases[i].pathq);
	}
	assert_false(uri_split(span_of(""), &uri));
	assert_false(uri_split(span_of("a/b"), &uri));
	assert_false(uri_split(span_of("http:/a"), &uri));
	assert_false(uri_split(span_of("1http://a"), &uri));
	assert_part(uri_path_and_query(span_of("a/b")), "");
}

static void test_host(void **state)
{
	static const struct {
		const char *authority, *host;
		unsigned port;
	} good[] = {
		{ "a", "a", 0 },	      { "a:", "a", 0 },
		{ "example.org:80", "example.org", 80 }, { "a:65535", "a", 65535 },
		{ "a:00080", "a", 80 },	      { "", "", 0 },
		{ ":80", "", 80 },	      { "[::1]", "[::1]", 0 },
		{ "[2001:db8::1]:443", "[2001:db8::1]", 443 },
		{ "[::ffff:1.2.3.4]:", "[::ffff:1.2.3.4]", 0 },
		{ "a_b-c.~d!$&'()*+,;=", "a_b-c.~d!$&'()*+,;=", 0 },
		{ "a%2fb:1", "a%2fb", 1 },
	};
	static const char *const bad[] = {
		"a:x",	 "a:65536", "a:99999999999999999999", "a:1:2", "a b",  "a@b",  "a/b", "a?b",
		"a#b",	 "[::1",    "[::1]a",		      "[::1]:x", "[]",  "[a]",  "[1.2.3.4]",
		"[::1%1]", "[v1.a]", "::1",		      "a%",    "a%4",  "a%4g", "a\001",
		"a\"",	 "a[",	    "a]",		      "a\\",   "<a>",  "a:-1", "a:+1",
		"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]",
	};
	struct span host;
	unsigned port;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(host_split(span_of(good[i].authority), &host, &port));
		assert_part(host, good[i].host);
		assert_int_equal(port, good[i].port);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (host_split(span_of(bad[i]), &host, &port))
			fail_msg("%s", bad[i]);
}

static void test_query(void **state)
{
	struct span query = span_of("a=1&bb=2;x=3&a=4&c&=5&d="), value;

	(void)state;
	assert_true(query_find(query, span_of("a"), '&', &value));
	assert_part(value, "1");
	assert_true(query_find(query, span_of("bb"), '&', &value));
	assert_part(value, "2;x=3");
	assert_true(query_find(query, span_of("x"), ';', &value));
	assert_part(value, "3&a=4&c&=5&d=");
	assert_true(query_find(query, span_of("d"), '&', &value));
	assert_part(value, "");
	assert_true(query_find(query, span_of(""), '&', &value));
	assert_part(value, "5");
	assert_false(query_find(query, span_of("b"), '&', &value));
	assert_false(query_find(query, span_of("c"), '&', &value));
	assert_false(query_find((struct span){ NULL, 0 }, span_of("a"), '&', &value));
}

static void test_decode(void **state)
{
	static const struct {
		const char *text, *decoded;
		bool form;
	} cases[] = {
		{ "", "", false },
		{ "abc", "abc", false },
		{ "a%41%7e", "aA~", false },
		{ "a+b%2B", "a+b+", false },
		{ "a+b%2B", "a b+", true },
		{ "%e2%82%ac", "\342\202\254", true },
	};
	static const char *const bad[] = { "%", "a%4", "%4g", "%g4", "%%41" };
	char text[32];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		strcpy(text, cases[i].text);
		n = url_decode(text, strlen(text), cases[i].form);
		assert_int_equal(n, strlen(cases[i].decoded));
		assert_memory_equal(text, cases[i].decoded, n);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(text, bad[i]);
		assert_int_equal(url_decode(text, strlen(text), false), SIZE_MAX);
	}
	memcpy(text, "%00x", 4);
	assert_int_equal(url_decode(text, 4, false), 2);
	assert_memory_equal(text, "\0x", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
