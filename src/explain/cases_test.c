/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of cases: words, quotes, lines that go on, mistakes. */
#include "explain/cases.h"

#include "base/arena.h"
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

static struct arena *arena;

static struct cases_case *parse(const char *text, struct err *err)
{
	return cases_parse(arena, "t.cases", span_of(text), err);
}

static void words_are(const struct cases_case *c, unsigned line, const char *wanted)
{
	char text[512] = "";
	unsigned i;

	assert_non_null(c);
	assert_int_equal(c->line, line);
	for (i = 0; i < c->count; i++) {
		strcat(text, i ? "|" : "");
		strcat(text, c->words[i]);
	}
	assert_string_equal(text, wanted);
}

static void cases_have_words(void **state)
{
	struct cases_case *c;
	struct err err;

	(void)state;
	c = parse("# x\nfile a.cfg /b.cfg\n\nGET /a --expect 'log~a b' # c\n\t--to \"x y\"\\ "
		  "z\n/b\n", &err);
	words_are(c, 4, "-f|a.cfg|-f|/b.cfg|-q|GET|/a|--expect|log~a b|--to|x y z");
	assert_int_equal(c->own, 5);
	words_are(c->next, 6, "-f|a.cfg|-f|/b.cfg|-q|/b");
	assert_null(c->next->next);
	words_are(parse("file a\n/file\n", &err), 2, "-f|a|-q|/file");
	c = parse("file a\n/x\nfile b\n/y", &err);
	words_are(c, 2, "-f|a|-q|/x");
	words_are(c->next, 4, "-f|b|-q|/y");
}

static void is_wrong(const char *text, const char *why)
{
	struct err err;

	assert_null(parse(text, &err));
	assert_string_equal(err.text, why);
}

static void mistakes_have_their_line(void **state)
{
	(void)state;
	is_wrong("", "");
	is_wrong("# nothing\n", "");
	is_wrong("\n/a\n", "t.cases:2: a line 'file NAME' is expected before the first case");
	is_wrong("fil a.cfg\n/a\n", "t.cases:1: 'fil': did you mean 'file'?");
	is_wrong("file a\n/a\nfiel b\n", "t.cases:3: 'fiel': did you mean 'file'?");
	is_wrong("\xef\xbb\xbf"
		 "file a\n",
		 "t.cases:1: it begins with a byte order mark (BOM), which has "
		 "to go");
	is_wrong("file\n", "t.cases:1: behind 'file' a file is expected");
	is_wrong("file a\n /a\n", "t.cases:2: a case begins at the margin, without a blank in "
				  "front");
	is_wrong("file a\n/a 'b\n", "t.cases:2: a quote is not closed on its line");
}

static int begin(void **state)
{
	(void)state;
	arena = arena_new(65536);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_have_words),
		cmocka_unit_test(mistakes_have_their_line),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
