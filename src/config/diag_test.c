/* SPDX-License-Identifier: BSD-2-Clause */
/* How problems are shown: the caret under the word, long lines cut, bytes that are no text,
 * JSON that parsers take. */
#include "config/diag.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena *arena;
static struct diag *diag;
static unsigned columns; /* of the terminal; 0: none */

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4096);
	diag = diag_new(arena);
	columns = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static char *shown(bool json, bool colour, enum severity least)
{
	char *buf = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&buf, &size);

	if (json)
		diag_print_json(diag, out, least);
	else
		diag_print(diag, out, colour, columns, least);
	fclose(out);
	return buf;
}

static void expect(bool json, const char *want)
{
	char *got = shown(json, false, DIAG_NOTE);

	assert_string_equal(got, want);
	free(got);
}

static void test_caret(void **state)
{
	struct place place = { "a.cfg", 7, "\tmaxcnon 5", 2, 7 };

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "unknown word '%s'", "maxcnon");
	diag_hintf(diag, "did you mean '%s'?", "maxconn");
	expect(false, "a.cfg:7:2: error: unknown word 'maxcnon'\n"
		      "    7 |  maxcnon 5\n"
		      "      |  ^~~~~~~\n"
		      "      = hint: did you mean 'maxconn'?\n");
}

/* A byte is not a column on the screen. */
static void test_caret_behind_other_letters(void **state)
{
	struct place place = { "a.cfg", 1, "é ü x", 7, 1 };

	(void)state;
	diag_addf(diag, DIAG_WARNING, &place, "here");
	expect(false, "a.cfg:1:7: warning: here\n"
		      "    1 | é ü x\n"
		      "      |     ^\n");
}

static void test_blanks_are_shown_as_such(void **state)
{
	struct place place = { "a.cfg", 1, "\fmode\vx", 7, 1 };

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "here");
	expect(false, "a.cfg:1:7: error: here\n"
		      "    1 |  mode x\n"
		      "      |       ^\n");
}

static void test_caret_behind_the_line(void **state)
{
	struct place place = { "a.cfg", 1, "bind", 6, 1 };

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "address expected here");
	expect(false, "a.cfg:1:6: error: address expected here\n"
		      "    1 | bind\n"
		      "      |      ^\n");
}

static void test_long_line(void **state)
{
	struct place place = { "a.cfg", 1, NULL, 501, 4 };
	char line[1001];
	char *got;

	(void)state;
	memset(line, 'a', 1000);
	line[1000] = 0;
	memcpy(line + 500, "word", 4);
	place.text = line;
	diag_addf(diag, DIAG_ERROR, &place, "x");
	got = shown(false, false, DIAG_NOTE);
	assert_true(strlen(got) < 400);
	assert_non_null(strstr(got, "| ...aaa"));
	assert_non_null(strstr(got, "aaa...\n"));
	/* the caret stands under the word */
	assert_int_equal(strstr(got, "word") - strstr(got, "    1 | "),
			 strchr(got, '^') - strstr(got, "      | "));
	free(got);
}

static void test_terminal_of_40_columns(void **state)
{
	struct place place = { "a.cfg", 123456, "\tuse_backend api if { path_beg /api/ } is_admn",
			       40, 7 };

	(void)state;
	columns = 40;
	diag_addf(diag, DIAG_ERROR, &place, "'is_admn' is not a known ACL of frontend 'web'");
	diag_hintf(diag, "did you mean 'is_admin'? or 'is_admin_of_shop'?");
	expect(false, "a.cfg:123456:40: error: 'is_admn' is not\n"
		      "    a known ACL of frontend 'web'\n"
		      "123456 | ... path_beg /api/ } is_admn\n"
		      "       | ...                  ^~~~~~~\n"
		      "      = hint: did you mean 'is_admin'?\n"
		      "            or 'is_admin_of_shop'?\n");
}

static void test_long_line_fits_the_terminal(void **state)
{
	struct place place = { "a.cfg", 1, NULL, 0, 300 };
	char line[1001], *got, *p;

	(void)state;
	columns = 80;
	memset(line, 'a', 1000);
	line[1000] = 0;
	place.text = line;
	for (place.column = 1; place.column <= 1001; place.column += 50)
		diag_addf(diag, DIAG_ERROR, &place, "x");
	got = shown(false, false, DIAG_NOTE);
	for (p = got; *p; p += strcspn(p, "\n") + 1)
		assert_true(strcspn(p, "\n") <= columns);
	free(got);
}

static void test_bytes_that_are_no_text(void **state)
{
	struct place place = { "a.cfg", 1, "a\001\033b\177", 5, 1 };

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "x");
	expect(false, "a.cfg:1:5: error: x\n    1 | a??b?\n      |     ^\n");
}

static void test_without_place(void **state)
{
	struct place file = { .file = "a.cfg" };

	(void)state;
	diag_addf(diag, DIAG_ERROR, NULL, "no file");
	diag_addf(diag, DIAG_NOTICE, &file, "whole file");
	expect(false, "error: no file\na.cfg: notice: whole file\n");
}

static void test_counts_and_levels(void **state)
{
	char *got;

	(void)state;
	diag_addf(diag, DIAG_NOTE, NULL, "dropped");
	diag_hintf(diag, "dropped, too");
	diag->verbose = true;
	diag_addf(diag, DIAG_NOTE, NULL, "n");
	diag_addf(diag, DIAG_WARNING, NULL, "w");
	diag_addf(diag, DIAG_ERROR, NULL, "e");
	assert_int_equal(diag->count[DIAG_NOTE], 1);
	assert_int_equal(diag->count[DIAG_WARNING], 1);
	assert_int_equal(diag->count[DIAG_ERROR], 1);
	got = shown(false, false, DIAG_ERROR);
	assert_string_equal(got, "error: e\n");
	free(got);
}

static void test_said_once(void **state)
{
	struct place place = { "a.cfg", 1, "x", 1, 1 }, other = { "a.cfg", 2, "x", 1, 1 };

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "same");
	diag_addf(diag, DIAG_ERROR, &place, "same");
	diag_addf(diag, DIAG_ERROR, &other, "same");
	assert_int_equal(diag->count[DIAG_ERROR], 2);
}

static void test_hints_add_up(void **state)
{
	(void)state;
	diag_hintf(diag, "nothing to add it to");
	diag_addf(diag, DIAG_ERROR, NULL, "e");
	diag_hintf(diag, "one");
	diag_hintf(diag, "two");
	diag_hintf(diag, "one");
	expect(false, "error: e\n      = hint: one; two\n");
}

static void test_other_lines(void **state)
{
	struct place place = { "a.cfg", 1, NULL, 0, 0 }, other = { "b.cfg", 3, NULL, 0, 0 };
	struct problem *p;
	char *got;
	int i;

	(void)state;
	diag_addf(diag, DIAG_ERROR, &place, "e");
	p = diag->current;
	place.line = 2;
	diag_also(diag, p, &place);
	expect(false, "a.cfg:1: error: e\n      = hint: also in line 2\n");
	diag_hintf(diag, "h");
	diag_also(diag, p, &other);
	expect(false, "a.cfg:1: error: e\n      = hint: h; also in lines 2 and b.cfg:3\n");
	diag_also(diag, p, &other); /* once a line */
	for (i = 0; i < 20; i++) {
		place.line = (unsigned)i + 4;
		diag_also(diag, p, &place);
	}
	got = shown(true, false, DIAG_NOTE);
	assert_non_null(strstr(got, "\"hint\": \"h; also in lines 2, b.cfg:3, 4, 5"));
	assert_non_null(strstr(got, " and 10 more\"}"));
	free(got);
}

static void add_once(const struct place *place, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_add_once(diag, DIAG_WARNING, place, fmt, ap);
	va_end(ap);
}

static void test_same_words_elsewhere(void **state)
{
	struct place place = { "a.cfg", 1, NULL, 0, 0 };

	(void)state;
	add_once(&place, "same");
	add_once(&place, "same");
	place.line = 5;
	add_once(&place, "other");
	add_once(&place, "same");
	diag_hintf(diag, "goes to the first");
	expect(false, "a.cfg:1: warning: same\n      = hint: goes to the first; also in line 5\n"
		      "a.cfg:5: warning: other\n");
	assert_int_equal(diag->count[DIAG_WARNING], 2);
}

static void test_order_of_lines(void **state)
{
	static const unsigned lines[] = { 5, 9, 2, 9, 0, 7, 1 };
	static const char *const words[] = { "a", "b", "c", "d", "whole", "e", "f" };
	struct place place = { "a.cfg", 0, NULL, 0, 0 }, other = { "b.cfg", 3, NULL, 0, 0 };
	size_t i;

	(void)state;
	diag_sort(diag);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		place.line = lines[i];
		diag_addf(diag, DIAG_ERROR, &place, "%s", words[i]);
	}
	diag_addf(diag, DIAG_ERROR, &other, "g");
	diag_sort(diag);
	expect(false, "a.cfg:1: error: f\na.cfg:2: error: c\na.cfg:5: error: a\n"
		      "a.cfg:7: error: e\na.cfg:9: error: b\na.cfg:9: error: d\n"
		      "a.cfg: error: whole\nb.cfg:3: error: g\n");
	diag_addf(diag, DIAG_ERROR, NULL, "h"); /* the end was kept */
	diag_sort(diag);
	assert_string_equal(diag->current->message, "h");
	assert_null(diag->current->next);
}

static void test_colours(void **state)
{
	char *got;

	(void)state;
	diag_addf(diag, DIAG_ERROR, NULL, "e");
	got = shown(false, true, DIAG_NOTE);
	assert_non_null(strstr(got, "\033[1;31merror:\033[0m e\n"));
	free(got);
}

static void test_json(void **state)
{
	struct place place = { "a\"b.cfg", 3, "x", 4, 1 };

	(void)state;
	expect(true, "[]\n");
	diag_addf(diag, DIAG_ERROR, &place, "tab\there \\ \001 é \xff.");
	diag_hintf(diag, "h");
	diag_addf(diag, DIAG_WARNING, NULL, "w");
	expect(true, "[\n"
		     "  {\"file\": \"a\\\"b.cfg\", \"line\": 3, \"column\": 4, \"severity\": "
		     "\"error\", \"message\": \"tab\\u0009here \\\\ \\u0001 é \\ufffd.\", "
		     "\"hint\": \"h\"},\n"
		     "  {\"file\": null, \"line\": 0, \"column\": 0, \"severity\": \"warning\", "
		     "\"message\": \"w\", \"hint\": null}\n"
		     "]\n");
}

/* Overlong, surrogate, beyond U+10FFFF, cut short. */
static void test_json_is_utf8(void **state)
{
	(void)state;
	diag_addf(diag, DIAG_ERROR, NULL, "\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
	diag_addf(diag, DIAG_ERROR, NULL, "\xe2\x82\xac \xf0\x9f\x98\x80");
	expect(true, "[\n"
		     "  {\"file\": null, \"line\": 0, \"column\": 0, \"severity\": \"error\", "
		     "\"message\": \"\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
		     "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\", \"hint\": null},\n"
		     "  {\"file\": null, \"line\": 0, \"column\": 0, \"severity\": \"error\", "
		     "\"message\": \"\xe2\x82\xac \xf0\x9f\x98\x80\", \"hint\": null}\n"
		     "]\n");
}

/* U+009B and the byte alone; é and ě, whose last byte is in that range, stay. */
static void test_c1_is_not_obeyed(void **state)
{
	(void)state;
	diag_addf(diag, DIAG_ERROR, NULL, "\xc2\x9b \x9b \xc3\xa9 \xc4\x9b");
	expect(false, "error: ? ? \xc3\xa9 \xc4\x9b\n");
	expect(true, "[\n  {\"file\": null, \"line\": 0, \"column\": 0, \"severity\": \"error\", "
		     "\"message\": \"\\u009b \\ufffd \xc3\xa9 \xc4\x9b\", \"hint\": null}\n]\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_caret),
		TEST(test_caret_behind_other_letters),
		TEST(test_blanks_are_shown_as_such),
		TEST(test_caret_behind_the_line),
		TEST(test_long_line),
		TEST(test_terminal_of_40_columns),
		TEST(test_long_line_fits_the_terminal),
		TEST(test_bytes_that_are_no_text),
		TEST(test_without_place),
		TEST(test_counts_and_levels),
		TEST(test_said_once),
		TEST(test_hints_add_up),
		TEST(test_other_lines),
		TEST(test_same_words_elsewhere),
		TEST(test_order_of_lines),
		TEST(test_colours),
		TEST(test_json),
		TEST(test_c1_is_not_obeyed),
		TEST(test_json_is_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
