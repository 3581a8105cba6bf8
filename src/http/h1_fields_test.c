/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heads without a start line, as CGI programs answer: fields up to the empty line. Each is read
 * whole, and split in two at every position, with the bytes at another place in the second call;
 * the answer is made of it as RFC 3875 6.2 says.
 */
#include "http/h1.h"

#include "base/bug.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FIELDS = 8 };

struct outcome {
	enum h1_result result;
	struct h1_parser parser;
	struct message msg;
	struct field fields[FIELDS];
	struct message_error error;
	char said[512];
};

/* The first n bytes, at a place of their own that ends behind them; before: those that the parser
 * has seen, had of them, as it has left them. */
static char *feed(struct outcome *out, const char *text, size_t n, const char *before, size_t had,
		  unsigned options)
{
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, text, n);
	if (had)
		memcpy(copy, before, had);
	out->result = h1_fields_head(&out->parser, copy, n, options, &out->msg, &out->error);
	return copy;
}

/* An answer of version 1.1 comes; the program's gateway knows no other. */
static void begin(struct outcome *out, unsigned max)
{
	memset(out, 0, sizeof(*out));
	message_init(&out->msg, true, out->fields, max);
	out->msg.major = out->msg.minor = 1;
	out->msg.status = 200;
}

/* What the gateway makes of it: status, fields, where the body begins. */
static void note(struct outcome *out)
{
	struct span want = span_of("status");
	struct field *f;
	unsigned at = 0, i;
	struct text t;

	text_init(&t, out->said, sizeof(out->said));
	if (out->result != H1_DONE) {
		text_str(&t, out->result == H1_BAD ? out->error.text : "more");
		return;
	}
	f = message_find(&out->msg, want, &at);
	if (f)
		out->msg.status = (uint16_t)strtoul(f->value.ptr, NULL, 10);
	text_num(&t, out->msg.status);
	for (i = 0; i < out->msg.count; i++) {
		f = &out->fields[i];
		if (!f->name.ptr || span_equal_nocase(f->name, want)) /* deleted, or told already */
			continue;
		text_char(&t, '|');
		text_add(&t, f->name.ptr, f->name.len);
		text_char(&t, '=');
		text_add(&t, f->value.ptr, f->value.len);
	}
	text_str(&t, "|+");
	text_num(&t, out->msg.head_len);
}

static void check(const char *text, unsigned options, const char *expected)
{
	size_t len = strlen(text), cut;
	struct outcome out;
	char *first, *all;

	for (cut = 0; cut <= len; cut++) {
		begin(&out, FIELDS);
		first = feed(&out, text, cut, NULL, 0, options);
		if (out.result == H1_INCOMPLETE && cut < len) {
			all = feed(&out, text, len, first, cut, options);
			free(first);
			first = all;
		}
		note(&out);
		free(first);
		if (strcmp(out.said, expected) != 0)
			fail_msg("\"%s\" cut at %zu: %s, not %s", text, cut, out.said, expected);
	}
}

static void answers(void **state)
{
	(void)state;
	check("Content-Type: text/html\r\n\r\n", 0, "200|Content-Type=text/html|+27");
	check("Status: 404 Not Found\r\nX: a b \r\n\r\n", 0, "404|X=a b|+34");
	check("Location:/other\r\n\r\n", 0, "200|Location=/other|+19");
	check("Content-Length: 5\r\n\r\n", 0, "200|Content-Length=5|+21");
	check("Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 0, "200|Content-Length=5|+40");
	check("\r\n", 0, "200|+2");
	check("Status: 200\r\nA:\r\n", 0, "more");
	check("", 0, "more");
}

static void what_is_strict(void **state)
{
	(void)state;
	check("A: b\n\n", 0, "LF without CR");
	check("A: b\r\n c\r\n\r\n", 0, "a folded line");
	check("A : b\r\n\r\n", 0, "a blank in front of the colon");
	check(": b\r\n\r\n", 0, "a field without a name");
	check("HTTP/1.1 200 OK\r\n\r\n", 0, "a character that a field's name must not have");
	check("Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 0, "Content-Lengths that differ");
	check("Content-Length: x\r\n\r\n", 0, "Content-Length is not a number");
	check("A: b\rc\r\n\r\n", 0, "CR without LF");
}

/* As programs of yesterday write it. */
static void by_option(void **state)
{
	(void)state;
	check("Status: 403\nA: b\n\n", H1_ACCEPT_INVALID, "403|A=b|+18");
	check("A: b\r\n c\r\nB: d\r\n\r\n", H1_ACCEPT_INVALID, "200|A=b   c|B=d|+18");
	check("A: b\rc\r\n\r\n", H1_ACCEPT_INVALID, "CR without LF");
}

/* The caller gives room for more, and it goes on where it was. */
static void more_fields_than_room(void **state)
{
	static const char text[] = "A: 1\r\nB: 2\r\nC: 3\r\n\r\n";
	struct outcome out;
	char *bytes;

	(void)state;
	begin(&out, 2);
	out.msg.most = FIELDS;
	bytes = feed(&out, text, sizeof(text) - 1, NULL, 0, 0);
	assert_int_equal(out.result, H1_FULL);
	assert_int_equal(out.msg.count, 2);
	out.msg.max = FIELDS;
	out.result = h1_fields_head(&out.parser, bytes, sizeof(text) - 1, 0, &out.msg, &out.error);
	note(&out);
	assert_string_equal(out.said, "200|A=1|B=2|C=3|+20");
	free(bytes);
}

/* What it says about the connection and the body is at hand, and not decided. */
static void meaning_is_left(void **state)
{
	static const char text[] = "Content-Length: 17\r\nUpgrade: x\r\n\r\n";
	struct outcome out;
	char *bytes;

	(void)state;
	begin(&out, FIELDS);
	bytes = feed(&out, text, sizeof(text) - 1, NULL, 0, 0);
	assert_int_equal(out.result, H1_DONE);
	assert_int_equal(out.msg.length, 17);
	assert_int_equal(out.fields[0].id, FIELD_CONTENT_LENGTH);
	assert_true(out.fields[1].hop);
	assert_int_equal(out.msg.flags & (MSG_UPGRADE | MSG_KEEP_ALIVE | MSG_CLOSE), 0);
	assert_int_equal(out.msg.framing, BODY_NONE);
	free(bytes);
}

static void too_long(void **state)
{
	static const char text[] = "A: 1\r\nB: 2";
	struct message_error error;
	struct outcome out;
	char *bytes;

	(void)state;
	begin(&out, FIELDS);
	bytes = feed(&out, text, sizeof(text) - 1, NULL, 0, 0);
	assert_int_equal(out.result, H1_INCOMPLETE);
	h1_too_long(&out.parser, &out.msg, &error);
	assert_int_equal(error.status, 502);
	assert_int_equal(error.position, sizeof(text) - 1);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(what_is_strict),
		cmocka_unit_test(by_option),
		cmocka_unit_test(more_fields_than_room),
		cmocka_unit_test(meaning_is_left),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
