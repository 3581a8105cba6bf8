/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, finding, lists, editing, hop-by-hop fields: on messages that were parsed from text. */
#include "http/h1.h"
#include "http/message.h"

#include "base/arena.h"
#include "base/literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct field fields[16];
static struct message msg;
static struct arena *arena;

static void parse(const char *text)
{
	struct h1_parser parser = { 0 };
	struct message_error error = { 0 };
	enum h1_result r;

	message_init(&msg, text[0] == 'H', fields, 16);
	if (msg.is_response)
		r = h1_response_head(&parser, text, strlen(text), 0, METHOD_GET, &msg, &error);
	else
		r = h1_request_head(&parser, text, strlen(text), 0, &msg, &error);
	if (r != H1_DONE)
		fail_msg("%s: %s", text, error.text);
}

static void assert_written(const char *expected)
{
	char text[1024];
	size_t len = h1_write_head(&msg, text, sizeof(text) - 1);

	text[len] = 0;
	assert_string_equal(text, expected);
}

static void assert_span(struct span s, const char *expected)
{
	assert_non_null(s.ptr);
	if (s.len != strlen(expected) || memcmp(s.ptr, expected, s.len) != 0)
		fail_msg("\"%.*s\" is not \"%s\"", (int)s.len, s.ptr, expected);
}

static int setup(void **state)
{
	(void)state;
	arena = arena_new(512);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* ---- names ---- */

/* Each name in both cases has its id, and with any byte changed otherwise it has not. */
static void test_field_ids(void **state)
{
	char name[64];
	unsigned id;
	size_t i;
	int c;

	(void)state;
	for (id = FIELD_OTHER + 1; id < FIELD_IDS; id++) {
		struct span s = field_id_name((enum field_id)id), copy = { name, s.len };

		assert_in_range(s.len, 1, sizeof(name));
		assert_int_equal(field_id(s), id);
		for (i = 0; i < s.len; i++)
			name[i] = s.ptr[i] >= 'a' && s.ptr[i] <= 'z' ? s.ptr[i] - 32 : s.ptr[i];
		assert_int_equal(field_id(copy), id);
		assert_true(span_equal_nocase(copy, s));
		memcpy(name, s.ptr, s.len);
		for (i = 0; i < s.len; i++) {
			for (c = 0; c < 256; c++) {
				name[i] = (char)c;
				assert_int_equal(field_id(copy) == id, span_equal_nocase(copy, s));
			}
			name[i] = s.ptr[i];
		}
	}
	for (i = 0; i < sizeof(name); i++) {
		memset(name, 'x', sizeof(name));
		assert_int_equal(field_id((struct span){ name, i }), FIELD_OTHER);
	}
}

static void test_methods(void **state)
{
	static const char *const others[] = { "",	"get",	  "GE",	    "GETT",  "PUTT", "PATC",
					      "TRACER", "DELETES", "CONNECt", "OPTION", "X" };
	unsigned i;

	(void)state;
	for (i = METHOD_OTHER + 1; i <= METHOD_PATCH; i++)
		assert_int_equal(method_find(method_span((enum method)i)), i);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(method_find(span_of(others[i])), METHOD_OTHER);
	assert_string_equal(status_reason(200), "OK");
	assert_string_equal(status_reason(431), "Request Header Fields Too Large");
	assert_string_equal(status_reason(299), "Success");
	assert_string_equal(status_reason(499), "Client Error");
	assert_string_equal(status_reason(999), "Other");
}

/* ---- finding ---- */

static void test_find(void **state)
{
	unsigned at = 0;
	struct field *f;

	(void)state;
	parse("GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nAccept: b\r\nx-one: 2\r\n\r\n");
	f = message_find(&msg, SPAN("X-ONE"), &at);
	assert_ptr_equal(f, &fields[1]);
	assert_true(field_name_is(f, SPAN("x-ONE")));
	f = message_find(&msg, SPAN("X-ONE"), &at);
	assert_ptr_equal(f, &fields[3]);
	assert_null(message_find(&msg, SPAN("X-ONE"), &at));
	assert_null(message_find(&msg, SPAN("X-ONE"), &at));
	at = 0;
	assert_ptr_equal(message_find(&msg, SPAN("ACCEPT"), &at), &fields[2]);
	at = 0;
	assert_ptr_equal(message_find_id(&msg, FIELD_ACCEPT, &at), &fields[2]);
	assert_null(message_find_id(&msg, FIELD_ACCEPT, &at));
	message_delete_field(&msg, &fields[2]);
	assert_false(field_name_is(&fields[2], SPAN("accept")));
	at = 0;
	assert_null(message_find_id(&msg, FIELD_ACCEPT, &at));
	at = 0;
	assert_null(message_find(&msg, SPAN("accept"), &at));
}

static void assert_elements(const char *const *expected)
{
	struct field_walk walk = { 0 };
	struct span element;

	while (*expected) {
		assert_true(message_next_element(&msg, SPAN("x"), &walk, &element));
		assert_span(element, *expected++);
	}
	assert_false(message_next_element(&msg, SPAN("x"), &walk, &element));
	assert_false(message_next_element(&msg, SPAN("x"), &walk, &element));
}

/* The elements of each X, empty ones, too. */
static void assert_all_elements(const char *const *expected)
{
	struct span element;
	unsigned next = 0;
	struct field *f;
	size_t at;

	while ((f = message_find(&msg, SPAN("x"), &next)))
		for (at = 0; list_next_any(f->value, &at, &element);)
			assert_span(element, *expected++);
	assert_null(*expected);
}

static void test_elements(void **state)
{
	static const char *const all[] = { "a",	   "",	"b c", "", "\"d,e\"", "\"f\\\",g\"",
					   "\"h, i", NULL };
	static const char *const some[] = { "a", "b c", "\"d,e\"", "\"f\\\",g\"", "\"h, i", NULL };

	(void)state;
	parse("HTTP/1.1 200 OK\r\nX: a,, b c\r\nX:\r\nY: no\r\nX: \"d,e\" ,\"f\\\",g\"\r\n"
	      "X: \"h, i\r\n\r\n");
	assert_all_elements(all);
	assert_elements(some);
}

static void test_tokens(void **state)
{
	(void)state;
	assert_true(list_has_token(SPAN("close"), SPAN("close")));
	assert_true(list_has_token(SPAN("a , CLOSE,b"), SPAN("close")));
	assert_false(list_has_token(SPAN("closed, \"close,close\""), SPAN("close")));
	assert_false(list_has_token(SPAN(""), SPAN("close")));
	assert_false(list_has_token(SPAN(", ,"), SPAN("close")));
}

/* ---- editing ---- */

static void test_edit_fields(void **state)
{
	unsigned i;

	(void)state;
	parse("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nY:2\r\nX: 3\r\nZ: 4\r\n\r\n");
	assert_false(msg.flags & MSG_EDITED);
	assert_written("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nY: 2\r\nX: 3\r\nZ: 4\r\n\r\n");
	message_set_value(&msg, &fields[1], SPAN("one"));
	assert_written("GET / HTTP/1.1\r\nHost: a\r\nX: one\r\nY: 2\r\nX: 3\r\nZ: 4\r\n\r\n");
	assert_true(msg.flags & MSG_EDITED);
	assert_true(message_set(&msg, arena, SPAN("x"), SPAN("5")));
	assert_written("GET / HTTP/1.1\r\nHost: a\r\nY: 2\r\nZ: 4\r\nx: 5\r\n\r\n");
	assert_int_equal(message_delete(&msg, SPAN("none")), 0);
	assert_int_equal(message_delete(&msg, SPAN("Z")), 1);
	assert_written("GET / HTTP/1.1\r\nHost: a\r\nY: 2\r\nx: 5\r\n\r\n");
	for (i = 0; i < 100; i++)
		assert_true(message_add(&msg, arena, SPAN("Cookie"), SPAN("")));
	assert_int_equal(fields[0].id, FIELD_HOST);
	assert_int_equal(msg.fields[105].id, FIELD_COOKIE);
	assert_int_equal(message_delete(&msg, SPAN("cookie")), 100);
	assert_written("GET / HTTP/1.1\r\nHost: a\r\nY: 2\r\nx: 5\r\n\r\n");
}

/* What is known to be written as it came, and what is not known to be. */
static void test_received(void **state)
{
	static const char *const other[] = {
		"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET / HTTP/1.1\r\nHost:a\r\n\r\n",
		"GET / HTTP/1.1\r\nHost:  a\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a \r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nConnection: x\r\n\r\n",
		"HTTP/1.1 200\r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\n",
	};
	const struct span name = SPAN("hOST");
	const char *text = "HTTP/1.1 200 OK\r\nServer: a b\r\n\r\n";
	unsigned i;

	(void)state;
	parse(text);
	assert_ptr_equal(msg.received, text);
	assert_int_equal(msg.head_len, strlen(text));
	message_set_status(&msg, 200, SPAN("OK"));
	assert_null(msg.received);
	text = "GET /a?b HTTP/1.1\r\nHost: a\r\nX: 1\r\n\r\n";
	parse(text);
	assert_ptr_equal(msg.received, text);
	message_set_value(&msg, &fields[1], SPAN("2"));
	assert_null(msg.received);
	parse(text);
	message_delete_field(&msg, &fields[1]);
	assert_null(msg.received);
	parse(text);
	assert_true(message_add(&msg, arena, SPAN("Y"), SPAN("2")));
	assert_null(msg.received);
	parse(text);
	assert_true(message_set_path(&msg, arena, SPAN("/c")));
	assert_null(msg.received);
	parse(text);
	message_adjust_names(&msg, &(struct h1_names){ &name, 1 });
	assert_null(msg.received);
	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		parse(other[i]);
		assert_null(msg.received);
	}
}

static void test_field_limit(void **state)
{
	unsigned n = 0;

	(void)state;
	message_init(&msg, false, NULL, 0);
	while (message_add(&msg, arena, SPAN("x"), SPAN("y")))
		n++;
	assert_int_equal(n, 65535);
}

static void test_edit_target(void **state)
{
	(void)state;
	parse("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_true(message_set_path(&msg, arena, SPAN("/c/d")));
	assert_span(msg.target, "/c/d?b");
	assert_true(message_set_query(&msg, arena, SPAN("")));
	assert_span(msg.target, "/c/d?");
	assert_true(message_set_query(&msg, arena, SPAN("x=1")));
	assert_span(msg.target, "/c/d?x=1");
	assert_true(message_set_pathq(&msg, arena, SPAN("/e")));
	assert_span(msg.target, "/e");
	assert_true(message_set_query(&msg, arena, SPAN("")));
	assert_span(msg.target, "/e");
	assert_true(message_set_query(&msg, arena, SPAN("y")));
	assert_span(msg.target, "/e?y");
	assert_true(message_set_target(&msg, arena, SPAN("/f")));
	assert_true(message_set_method(&msg, arena, SPAN("HEAD")));
	assert_int_equal(msg.method, METHOD_HEAD);
	assert_written("HEAD /f HTTP/1.1\r\nHost: h\r\n\r\n");
	parse("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_true(message_set_path(&msg, arena, SPAN("/p")));
	assert_span(msg.target, "http://h/p");
	assert_true(message_set_query(&msg, arena, SPAN("q")));
	assert_span(msg.target, "http://h/p?q");
	parse("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n");
	assert_true(message_set_path(&msg, arena, SPAN("/p")));
	assert_span(msg.target, "h:1");
	parse("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n");
	assert_true(message_set_path(&msg, arena, SPAN(".evil")));
	assert_span(msg.target, "http://h/.evil");
	assert_true(message_set_pathq(&msg, arena, SPAN("@evil?x")));
	assert_span(msg.target, "http://h/@evil?x");
}

static void test_fill_path(void **state)
{
	static const struct {
		const char *method, *target, *filled;
	} cases[] = {
		{ "GET", "http://h", "http://h/" },	  { "GET", "x://h?a", "x://h/?a" },
		{ "GET", "http://h?", "http://h/?" },	  { "OPTIONS", "http://h", "http://h" },
		{ "GET", "http://h#f", "http://h/#f" },	  { "GET", "http://h#/f?", "http://h/#/f?" },
		{ "OPTIONS", "http://h#f", "http://h/#f" },
		{ "OPTIONS", "http://h?", "http://h/?" }, { "OPTIONS", "*", "*" },
		{ "GET", "", "/" },			  { "GET", "?a", "/?a" },
		{ "GET", "x", "x" },			  { "CONNECT", "h:1", "h:1" },
		{ "GET", "/?", "/?" },			  { "GET", "http://h/x", "http://h/x" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		message_init(&msg, false, fields, 4);
		msg.method = (uint8_t)method_find(span_of(cases[i].method));
		msg.target = span_of(cases[i].target);
		assert_true(message_fill_path(&msg, arena));
		assert_span(msg.target, cases[i].filled);
	}
}

static void test_authority(void **state)
{
	static const struct {
		const char *method, *target, *host, *made; /* NULL: refused */
	} cases[] = {
		{ "GET", "http://a:1/x?y", "b", "http://b/x?y" },
		{ "GET", "http://a", "[::1]:8", "http://[::1]:8" },
		{ "GET", "http://a/x", "b/c", "/x" },
		{ "GET", "http://a/x", "", "/x" },
		{ "GET", "http://a/x", "b:99999", "/x" },
		{ "OPTIONS", "http://a", "", "*" },
		{ "GET", "/x", "b", "/x" },
		{ "OPTIONS", "*", "b", "*" },
		{ "CONNECT", "a:1", "b", "b:1" },
		{ "CONNECT", "a:1", "b:", "b:1" },
		{ "CONNECT", "a:1", "b:2", "b:2" },
		{ "CONNECT", "a:1", "", NULL },
		{ "CONNECT", "a:1", "b c", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		message_init(&msg, false, fields, 4);
		msg.method = (uint8_t)method_find(span_of(cases[i].method));
		msg.target = span_of(cases[i].target);
		assert_int_equal(message_set_authority(&msg, arena, span_of(cases[i].host)),
				 cases[i].made != NULL);
		assert_span(msg.target, cases[i].made ? cases[i].made : cases[i].target);
	}
}

static void test_adjust_names(void **state)
{
	static const struct span to[] = { SPAN("HOST"), SPAN("X-yZ") };
	static const struct h1_names names = { to, 2 };

	(void)state;
	parse("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nx-YZ: c\r\nX-Y: d\r\n\r\n");
	message_delete_field(&msg, &fields[1]);
	message_adjust_names(&msg, &names);
	assert_written("GET / HTTP/1.1\r\nHOST: a\r\nX-yZ: c\r\nX-Y: d\r\n\r\n");
	assert_int_equal(fields[0].id, FIELD_HOST);
}

static void test_edit_status(void **state)
{
	(void)state;
	parse("HTTP/1.1 200 Fine\r\nA: b\r\n\r\n");
	message_set_status(&msg, 404, (struct span){ NULL, 0 });
	assert_written("HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n");
	message_set_status(&msg, 299, SPAN("So so"));
	assert_written("HTTP/1.1 299 So so\r\nA: b\r\n\r\n");
}

/* ---- hop by hop ---- */

#define LINE "GET / HTTP/1.1\r\nHost: a\r\n"

/* Whatever was put into a message: what leaves has as many lines as it has fields. */
static void test_clean_lines(void **state)
{
	static const char *const bad[] = { "", "a b", "a\r\nb", "a\nb", "a\tb", "\x7f", " a" };
	char text[256];
	size_t i, len;

	(void)state;
	message_init(&msg, true, fields, 4);
	msg.major = msg.minor = 1;
	message_set_status(&msg, 200, span_of("O\r\nK"));
	assert_true(message_add(&msg, arena, span_of("a"), (struct span){ "\r\nb: \0\x01\t\x7f\xc3", 10 }));
	assert_true(message_add(&msg, arena, span_of("c\n"), span_of("0123456789abcdefghijk\n")));
	len = h1_write_head(&msg, text, sizeof(text) - 1);
	text[len] = 0;
	assert_string_equal(text, "HTTP/1.1 200 O  K\r\na:   b:   \t \xc3\r\nc : 0123456789abcdefghijk \r\n\r\n");
	message_init(&msg, false, fields, 4);
	msg.major = msg.minor = 1;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		msg.method_text = span_of("GET");
		msg.target = span_of(bad[i]);
		assert_int_equal(h1_write_head(&msg, text, sizeof(text)), 0);
		msg.method_text = msg.target;
		msg.target = span_of("/\xc3");
		assert_int_equal(h1_write_head(&msg, text, sizeof(text)), 0);
	}
}

static void test_hops(void **state)
{
	static const struct {
		const char *fields, *left;
		bool upgrade;
	} cases[] = {
		{ "A: b\r\n", "A: b\r\n", false },
		{ "Connection: keep-alive\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\n", "", false },
		{ "Connection: close, X-A\r\nx-a: 1\r\nX-B: 2\r\nX-A: 3\r\n", "X-B: 2\r\n", false },
		{ "Connection: a\r\nA: 1\r\nConnection: b\r\nB: 2\r\n", "", false },
		/* what all need is not to be named away */
		{ "Content-Length: 5\r\nConnection: host, content-length, connection\r\n",
		  "Content-Length: 5\r\n", false },
		{ "Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n",
		  "Transfer-Encoding: chunked\r\n", false },
		{ "Upgrade: x\r\nConnection: upgrade, b\r\nB: c\r\n", "", false },
		{ "Upgrade: x\r\nConnection: upgrade, b\r\nB: c\r\nConnection: d\r\n",
		  "Upgrade: x\r\nConnection: upgrade\r\n", true },
		{ "Upgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: upgrade, http2-settings\r\n",
		  "", false },
		{ "TE: gzip\r\n", "", false },
		{ "TE: trailers\r\nConnection: te\r\n", "TE: trailers\r\n", false },
		{ "TE: gzip, TRAILERS\r\nTE: trailers\r\n", "TE: trailers\r\n", false },
		{ "Connection: \"a, b\", c d\r\nA: 1\r\nC: 2\r\n", "A: 1\r\nC: 2\r\n", false },
	};
	char text[256], expected[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), LINE "%s\r\n", cases[i].fields);
		snprintf(expected, sizeof(expected), LINE "%s\r\n", cases[i].left);
		parse(text);
		message_strip_hops(&msg, cases[i].upgrade);
		assert_written(expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_field_ids),   cmocka_unit_test(test_methods),
		cmocka_unit_test(test_find),	    cmocka_unit_test(test_elements),
		cmocka_unit_test(test_tokens),	    cmocka_unit_test(test_edit_fields),
		cmocka_unit_test(test_received),    cmocka_unit_test(test_fill_path),
		cmocka_unit_test(test_authority),
		cmocka_unit_test(test_field_limit), cmocka_unit_test(test_edit_target),
		cmocka_unit_test(test_edit_status), cmocka_unit_test(test_adjust_names),
		cmocka_unit_test(test_hops),	    cmocka_unit_test(test_clean_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
