/* SPDX-License-Identifier: BSD-2-Clause */
/* How lines are cut, case by case as manual 2.2 and 2.3 have them. In the tables words are
 * shown between < and >. */
#include "config/lexer.h"

#include "base/arena.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *variable(void *arg, const char *name)
{
	static const struct {
		const char *name, *value;
	} table[] = {
		{ "NAME", "val" }, { "EMPTY", "" }, { "LIST", "  a\tb  c " }, { "_u1", "under" },
		{ "HARD", "x \"y # $z" }, { ".LINE", "12" }, { ".FILE", "t.cfg" },
	};
	size_t i;

	(void)arg;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return table[i].value;
	return NULL;
}

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The words as one text, or "column: message". */
static const char *cut(const char *line, size_t len)
{
	struct lexer lx = { .arena = arena, .variable = variable };
	static char buf[1000];
	struct text t;
	int i;

	text_init(&t, buf, sizeof(buf));
	if (lexer_split(&lx, line, len) < 0) {
		text_printf(&t, "%u: %s", lx.problem.column, lx.problem.message);
		return buf;
	}
	for (i = 0; i < lx.count; i++)
		text_printf(&t, "<%s>", lx.words[i].text);
	return buf;
}

struct sample {
	const char *line, *words;
};

static void check(const struct sample *s, size_t n)
{
	for (; n--; s++)
		assert_string_equal(cut(s->line, strlen(s->line)), s->words);
}
#define CHECK(table) check(table, sizeof(table) / sizeof(table[0]))

static void test_blanks_and_comments(void **state)
{
	static const struct sample table[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "# all of it", "" },
		{ "a b\tc", "<a><b><c>" },
		{ "  a   b  ", "<a><b>" },
		{ "a#b c", "<a>" },
		{ "a #b c", "<a>" },
		{ "a\n", "<a>" },
		{ "a\r\n", "<a>" },
		{ "a b \r\n", "<a><b>" },
		{ "\r\n", "" },
	};

	(void)state;
	CHECK(table);
}

static void test_other_blanks(void **state)
{
	static const struct sample table[] = {
		{ "\fglobal", "<global>" },
		{ "\v\f\tmode\fhttp\v", "<mode><http>" },
		{ "\f", "" },
		{ "\f# c", "" },
		{ "'a\fb' \"c\vd\"", "<a\fb><c\vd>" },
	};

	(void)state;
	CHECK(table);
}

static void test_escapes(void **state)
{
	static const struct sample table[] = {
		{ "a\\ b c", "<a b><c>" },
		{ "a\\\tb", "<a\tb>" },
		{ "\\#a", "<#a>" },
		{ "\\\\a", "<\\a>" },
		{ "\\'a", "<'a>" },
		{ "\\\"a", "<\"a>" },
		{ "a\\nb\\rc\\td", "<a\nb\rc\td>" },
		{ "a\\x41\\x4bz", "<aAKz>" },
		{ "\\$a", "<\\$a>" }, /* only weak quotes give it a meaning */
		{ "\\.php\\?", "<\\.php\\?>" },
		{ "a\\", "<a\\>" },
		{ "a\\\r\n", "<a\\>" },
		{ "a\\x4", "2: two hexadecimal digits expected after \\x" },
		{ "a\\xg1", "2: two hexadecimal digits expected after \\x" },
		{ "a\\x00", "2: \\x00 cannot be part of a word" },
	};

	(void)state;
	CHECK(table);
}

static void test_strong_quotes(void **state)
{
	static const struct sample table[] = {
		{ "'a b' c", "<a b><c>" },
		{ "a'b c'd", "<ab cd>" },
		{ "'\\x41\\n\"$NAME#'", "<\\x41\\n\"$NAME#>" },
		{ "'' a", "<><a>" },
		{ "a 'b", "3: this quote is never closed" },
		{ "'a\r\n", "1: this quote is never closed" },
	};

	(void)state;
	CHECK(table);
}

static void test_weak_quotes(void **state)
{
	static const struct sample table[] = {
		{ "\"a b\" c", "<a b><c>" },
		{ "\"a'b#c\"", "<a'b#c>" },
		{ "\"a\\\"b\\\\c\\ d\\x41\\n\"", "<a\"b\\c dA\n>" },
		{ "\"\\$NAME\"", "<$NAME>" },
		{ "\"\\q\"", "<\\q>" },
		{ "\"\" a", "<><a>" },
		{ "%{+Q}o\\ %t\\ %s", "<%{+Q}o %t %s>" },
		{ "\"%{+Q}o %t\"' %s %{-Q}r'", "<%{+Q}o %t %s %{-Q}r>" },
		{ "\"%{+Q}o %t\"' %s'\\ %{-Q}r", "<%{+Q}o %t %s %{-Q}r>" },
		{ "a \"b", "3: this quote is never closed" },
		{ "\"a\\\"", "1: this quote is never closed" },
	};

	(void)state;
	CHECK(table);
}

static void test_variables(void **state)
{
	static const struct sample table[] = {
		{ "$NAME ${NAME}", "<$NAME><${NAME}>" }, /* only in weak quotes */
		{ "\"$NAME\"", "<val>" },
		{ "\"${NAME}\"", "<val>" },
		{ "\"a${NAME}b$NAME.c\"", "<avalbval.c>" },
		{ "\"${_u1}\"", "<under>" },
		{ "\"$NOPE\"", "<>" },
		{ "\"${NOPE-d e}\"", "<d e>" },
		{ "\"${NOPE-}\"", "<>" },
		{ "\"${NOPE-a\"b'c$d\\x41}\"", "<a\"b'c$d\\x41>" }, /* as it stands */
		{ "\"${EMPTY-x}\"", "<>" },
		{ "\"${NAME-x}\"", "<val>" },
		{ "\"$NAME-x\"", "<val-x>" },
		{ "\"${NAME}}\"", "<val}>" },
		{ "\"$HARD\"", "<x \"y # $z>" },
		{ "\"${.LINE} $.FILE\"", "<12 t.cfg>" },
		{ "\"${.FILE-x}\"", "<t.cfg>" },
	};

	(void)state;
	CHECK(table);
}

static void test_lists(void **state)
{
	static const struct sample table[] = {
		{ "\"${LIST[*]}\"", "<a><b><c>" },
		{ "x\"${LIST[*]}\"y z", "<xa><b><cy><z>" },
		{ "\"${LIST}\"", "<  a\tb  c >" },
		{ "\"${EMPTY[*]}\" a", "<><a>" },
		{ "\"${NOPE[*]}\"", "<>" },
		{ "\"${NOPE[*]-a b}\"", "<a><b>" },
		{ "\"${HARD[*]}\"", "<x><\"y><#><$z>" },
		{ "\"$LIST[*]\"", "<  a\tb  c [*]>" },
	};

	(void)state;
	CHECK(table);
}

static void test_variable_problems(void **state)
{
	static const struct sample table[] = {
		{ "a \"$\"", "4: the name of a variable expected after $" },
		{ "\"${}\"", "2: the name of a variable expected after $" },
		{ "\"$1a\"", "2: the name of a variable expected after $" },
		{ "\"${1a}\"", "2: the name of a variable expected after $" },
		{ "\"${.1}\"", "2: the name of a variable expected after $" },
		{ "\"${NAME\"", "2: closing brace of the variable expected" },
		{ "\"${NAME }\"", "2: closing brace of the variable expected" },
		{ "\"${NAME:-x}\"", "2: closing brace of the variable expected" },
		{ "\"${NAME-x\"", "2: closing brace of the variable expected" },
		{ "\"${NAME[0]}\"", "8: [*] expected after the name of a list" },
		{ "\"${.NOPE}\"", "2: unknown pseudo-variable" },
	};

	(void)state;
	CHECK(table);
}

static void test_nul(void **state)
{
	(void)state;
	assert_string_equal(cut("ab\0c", 4), "3: a NUL byte cannot be part of a configuration");
	assert_string_equal(cut("\"a\0\"", 4), "3: a NUL byte cannot be part of a configuration");
}

static void test_text_behind_carriage_return(void **state)
{
	struct lexer lx = { .arena = arena, .variable = variable };

	(void)state;
	assert_int_equal(lexer_split(&lx, "a\rb\n", 4), 0);
	assert_int_equal(lx.count, 1);
	assert_int_equal(lx.ignored, 2);
	assert_int_equal(lexer_split(&lx, "a\r\n", 3), 0);
	assert_int_equal(lx.ignored, 0);
}

static void test_places_of_words(void **state)
{
	struct lexer lx = { .arena = arena, .variable = variable };
	const char *line = "  bind \"${NAME}\"x 'a b' \\#";

	(void)state;
	assert_int_equal(lexer_split(&lx, line, strlen(line)), 0);
	assert_int_equal(lx.count, 4);
	assert_int_equal(lx.words[0].column, 3);
	assert_int_equal(lx.words[0].raw_len, 4);
	assert_false(lx.words[0].quoted);
	assert_int_equal(lx.words[1].column, 8);
	assert_int_equal(lx.words[1].raw_len, 10);
	assert_true(lx.words[1].quoted);
	assert_int_equal(lx.words[2].column, 19);
	assert_int_equal(lx.words[2].raw_len, 5);
	assert_true(lx.words[3].quoted);
}

/* Neither the length nor the number of words has a limit. */
static void test_long_lines(void **state)
{
	enum { WORDS = 5000, LENGTH = 300000 };
	struct lexer lx = { .arena = arena, .variable = variable };
	char *line = arena_alloc(arena, LENGTH + 1);
	int i;

	(void)state;
	memset(line, 'a', LENGTH);
	assert_int_equal(lexer_split(&lx, line, LENGTH), 0);
	assert_int_equal(lx.count, 1);
	assert_int_equal(strlen(lx.words[0].text), LENGTH);
	for (i = 0; i < WORDS; i++)
		memcpy(line + 6 * i, "word  ", 6);
	assert_int_equal(lexer_split(&lx, line, 6 * WORDS), 0);
	assert_int_equal(lx.count, WORDS);
	assert_string_equal(lx.words[0].text, "word");
	assert_string_equal(lx.words[WORDS - 1].text, "word");
	assert_int_equal(lx.words[WORDS - 1].column, 6 * (WORDS - 1) + 1);
}

/* Variables bring more bytes than the line has. */
static void test_growth(void **state)
{
	struct lexer lx = { .arena = arena, .variable = variable };
	const char *line = "\"$HARD$HARD$HARD$HARD$HARD$HARD$HARD$HARD$HARD\" \"$HARD\"";

	(void)state;
	assert_int_equal(lexer_split(&lx, line, strlen(line)), 0);
	assert_int_equal(lx.count, 2);
	assert_int_equal(strlen(lx.words[0].text), 9 * 9);
	assert_string_equal(lx.words[1].text, "x \"y # $z");
}

static const char *argument(const char *text, const char *rest)
{
	const char *end, *arg = lexer_argument(arena, text, &end);

	if (arg)
		assert_string_equal(end, rest);
	return arg;
}

static void test_arguments(void **state)
{
	(void)state;
	assert_string_equal(argument("a,b)", ",b)"), "a");
	assert_string_equal(argument("a)x", ")x"), "a");
	assert_string_equal(argument(" a b ,", ","), " a b ");
	assert_string_equal(argument("\"(a|b),\",c)", ",c)"), "(a|b),");
	assert_string_equal(argument("'a\\n\"')", ")"), "a\\n\"");
	assert_string_equal(argument("a\\nb\\,", ","), "a\nb\\");
	assert_string_equal(argument("\\'a\\'", ""), "'a'");
	assert_string_equal(argument("\\#\\$\\x41", ""), "\\#\\$\\x41");
	assert_string_equal(argument("", ""), "");
	assert_null(argument("\"a,b)", ""));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_other_blanks),
		TEST(test_blanks_and_comments), TEST(test_escapes), TEST(test_strong_quotes),
		TEST(test_weak_quotes), TEST(test_variables), TEST(test_lists),
		TEST(test_variable_problems), TEST(test_nul),
		TEST(test_text_behind_carriage_return), TEST(test_places_of_words),
		TEST(test_long_lines), TEST(test_growth), TEST(test_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
