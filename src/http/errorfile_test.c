/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of responses: what is taken, and what is said about the others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "http/errorfile.h"

static struct errorfile file;

static void good(const char *text)
{
	struct err err = { "" };

	if (errorfile_parse(text, strlen(text), &file, &err))
		fail_msg("'%s': %s", text, err.text);
}

static void bad(const char *text, const char *message)
{
	struct err err = { "" };

	assert_int_equal(errorfile_parse(text, strlen(text), &file, &err), -1);
	if (!strstr(err.text, message))
		fail_msg("'%s' was told '%s'", text, err.text);
}

static void is(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.ptr, text, s.len);
}

static void both_ends_of_lines(void **state)
{
	(void)state;
	good("HTTP/1.0 503 Service Unavailable\r\nCache-Control: no-cache\r\nConnection: close\r\n"
	     "X-A:  b \t\r\n\r\n<h1>sorry</h1>\n");
	assert_int_equal(file.status, 503);
	is(file.reason, "Service Unavailable");
	assert_int_equal(file.field_count, 2);
	is(file.fields[0].name, "Cache-Control");
	is(file.fields[1].value, "b");
	is(file.body, "<h1>sorry</h1>\n");
	assert_true(file.close);
	good("HTTP/1.1 404\nA: b\n\nx");
	assert_int_equal(file.reason.len, 0);
	assert_false(file.close);
	is(file.body, "x");
	good("HTTP/1.1 404 \n\n");
	assert_int_equal(file.body.len, 0);
}

static void lengths(void **state)
{
	(void)state;
	good("HTTP/1.1 404 A\nContent-Length: 3\n\nabc");
	assert_int_equal(file.field_count, 0);
	bad("HTTP/1.1 404 A\nContent-Length: 3\n\nabcd", "Content-Length says 3, but the body has 4");
	bad("HTTP/1.1 404 A\nContent-Length: -3\n\nabc", "no number");
	bad("HTTP/1.1 404 A\nContent-Length:\n\n", "no number");
	bad("HTTP/1.1 404 A\nContent-Length: 99999999999999999999\n\n", "no number");
	bad("HTTP/1.1 204 A\n\nabc", "has no body");
	bad("HTTP/1.1 200 A\nTransfer-Encoding: chunked\n\n0\n\n", "transfer coding");
}

static void mistakes(void **state)
{
	(void)state;
	bad("", "line 1");
	bad("<html>\n</html>\n", "line 1 is no status line");
	bad("HTTP/2 200 OK\n\n", "line 1 is no status line");
	bad("HTTP/1.1 200OK\n\n", "line 1 is no status line");
	bad("HTTP/1.1 199 OK\n\n", "between 200 and 599");
	bad("HTTP/1.1 200 O\001K\n\n", "control character");
	bad("HTTP/1.1 200 OK\nA: b\n", "line 3: the empty line");
	bad("HTTP/1.1 200 OK\nA b\n\n", "line 2 is no header");
	bad("HTTP/1.1 200 OK\nA: b\n folded\n\n", "line 3 is no header");
	bad("HTTP/1.1 200 OK\nA : b\n\n", "line 2 is no header");
	bad("HTTP/1.1 200 OK\n: b\n\n", "line 2 is no header");
	bad("HTTP/1.1 200 OK\nA: b\rc\n\n", "line 2: a control character");
}

static void too_many_fields(void **state)
{
	char memory[4096];
	struct text t;
	struct err err;
	int i;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	text_str(&t, "HTTP/1.1 200 OK\n");
	for (i = 0; i <= ERRORFILE_FIELDS; i++)
		text_printf(&t, "A%d: b\n", i);
	text_str(&t, "\n");
	assert_int_equal(errorfile_parse(t.ptr, t.len, &file, &err), -1);
	assert_non_null(strstr(err.text, "more than 64 headers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_lines),
		cmocka_unit_test(lengths),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(too_many_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
