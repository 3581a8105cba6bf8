/* SPDX-License-Identifier: BSD-2-Clause */
/* The first lines of a connection between peers: read at any length, refused with the right number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/hello.h"

#include <stdio.h>

#define REAL "HAProxyS 2.1\nA\nB 29266 1\n"

static struct hello hello;

static enum hello_status reads(const char *bytes)
{
	return hello_read(span_of(bytes), span_of("A"), &hello);
}

static void is_from_b(const char *bytes, unsigned minor)
{
	assert_int_equal(reads(bytes), HELLO_ACCEPTED);
	assert_true(span_equal(hello.caller, span_of("B")));
	assert_int_equal(hello.minor, minor);
}

static void what_was_captured_is_read(void **state)
{
	(void)state;
	is_from_b(REAL, 1);
	assert_int_equal(hello.len, strlen(REAL));
	is_from_b(REAL "200\n", 1); /* what follows is not part of it */
	assert_int_equal(hello.len, strlen(REAL));
}

static void a_part_needs_more(void **state)
{
	size_t len;

	(void)state;
	for (len = 0; len < strlen(REAL); len++)
		assert_int_equal(hello_read((struct span){ REAL, len }, span_of("A"), &hello),
				 HELLO_MORE);
}

static void variants_are_taken(void **state)
{
	(void)state;
	is_from_b("HAProxyS 2.1\r\nA\r\nB 1 1\r\n", 1);
	is_from_b("HAProxyS 2.0\nA\nB 1\n", 0);
	is_from_b("HAProxyS 2.1\nA\nB x\n", 1);
}

static void others_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		enum hello_status status;
	} cases[] = {
		{ "GET / HTTP/1.1\n", HELLO_NOT_OURS },
		{ "\n", HELLO_NOT_OURS },
		{ "HAProxyS\nA\nB 1 1\n", HELLO_NOT_OURS },
		{ "HAProxys 2.1\n", HELLO_NOT_OURS },
		{ "HAProxyS 2\n", HELLO_VERSION },
		{ "HAProxyS \n", HELLO_VERSION },
		{ "HAProxyS x.y\n", HELLO_VERSION },
		{ "HAProxyS 2.2\n", HELLO_VERSION },
		{ "HAProxyS 3.0\n", HELLO_VERSION },
		{ "HAProxyS 2.11\n", HELLO_VERSION },
		{ "HAProxyS 2.1\nC\n", HELLO_NOT_CALLED },
		{ "HAProxyS 2.1\n\n", HELLO_NOT_CALLED },
		{ "HAProxyS 2.1\nA \n", HELLO_NOT_CALLED },
		{ "HAProxyS 2.1\nA\nB\n", HELLO_NOT_OURS },
		{ "HAProxyS 2.1\nA\nB \n", HELLO_NOT_OURS },
		{ "HAProxyS 2.1\nA\n\n", HELLO_NOT_OURS },
		{ "HAProxyS 2.1\nA\n 1 1\n", HELLO_NOT_OURS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (reads(cases[i].bytes) != cases[i].status)
			fail_msg("%s is answered %d", cases[i].bytes, reads(cases[i].bytes));
}

static void lines_have_an_end(void **state)
{
	char bytes[HELLO_MOST + 10];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, "HAProxyS 2.1\nA\n", 15);
	assert_int_equal(hello_read((struct span){ bytes, HELLO_MOST - 1 }, span_of("A"), &hello),
			 HELLO_MORE);
	assert_int_equal(hello_read((struct span){ bytes, HELLO_MOST }, span_of("A"), &hello),
			 HELLO_NOT_OURS);
	bytes[HELLO_MOST + 1] = '\n';
	assert_int_equal(hello_read((struct span){ bytes, sizeof(bytes) }, span_of("A"), &hello),
			 HELLO_NOT_OURS);
}

static void what_is_said_is_read(void **state)
{
	char buf[HELLO_MOST];
	size_t len;

	(void)state;
	len = hello_write(buf, sizeof(buf), span_of("A"), span_of("B"), 29266);
	assert_true(span_equal((struct span){ buf, len }, span_of(REAL)));
	assert_int_equal(hello_write(buf, len, span_of("A"), span_of("B"), 29266), 0);
}

static void a_status_is_read(void **state)
{
	static const int statuses[] = { HELLO_ACCEPTED, HELLO_TWICE, HELLO_NOT_OURS, HELLO_VERSION,
					HELLO_NOT_CALLED, HELLO_STRANGER };
	char buf[HELLO_STATUS_LEN + 2] = "....\0\0"; /* a message behind it */
	size_t i, len, part;

	(void)state;
	for (i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		hello_write_status(buf, (enum hello_status)statuses[i]);
		len = 0;
		assert_int_equal(hello_read_status((struct span){ buf, sizeof(buf) }, &len),
				 statuses[i]);
		assert_int_equal(len, HELLO_STATUS_LEN);
		for (part = 0; part < HELLO_STATUS_LEN; part++)
			assert_int_equal(hello_read_status((struct span){ buf, part }, &len), 0);
	}
	assert_int_equal(hello_read_status(span_of("200\r\n"), &len), 200);
	assert_int_equal(len, 5);
	assert_int_equal(hello_read_status(span_of("200\r"), &len), 0);
}

static void what_is_no_status_is_refused(void **state)
{
	static const char *const others[] = { "20\n", "2000\n", "200 OK\n", "\n", "099\n", "abc\n",
					      "-20\n", "200\r\r\n", "200\rx" };
	size_t i, len;

	(void)state;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (hello_read_status(span_of(others[i]), &len) != -1)
			fail_msg("%s is taken for a status", others[i]);
}

static void each_status_has_a_meaning(void **state)
{
	(void)state;
	assert_non_null(strstr(hello_explain(504), "`peer'"));
	assert_string_equal(hello_explain(999), hello_explain(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_captured_is_read),
		cmocka_unit_test(a_part_needs_more),
		cmocka_unit_test(variants_are_taken),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(lines_have_an_end),
		cmocka_unit_test(what_is_said_is_read),
		cmocka_unit_test(a_status_is_read),
		cmocka_unit_test(what_is_no_status_is_refused),
		cmocka_unit_test(each_status_has_a_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
