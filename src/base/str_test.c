/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is cut and never overrun; whole numbers; distance of words. */
#include "base/str.h"

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_text_is_cut(void **state)
{
	char memory[8] = "zzzzzzz";
	struct text t;

	(void)state;
	text_init(&t, memory, 6);
	text_str(&t, "abc");
	assert_false(t.cut);
	text_str(&t, "def");
	assert_true(t.cut);
	assert_string_equal(memory, "abcde");
	assert_int_equal(t.len, 5);
	assert_int_equal(memory[6], 'z'); /* not ours */
	text_char(&t, 'x');
	assert_string_equal(memory, "abcde");
}

static void test_text_of_an_empty_span(void **state)
{
	char memory[8];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	text_str(&t, "abc");
	text_add(&t, NULL, 0); /* the sanitizers watch */
	text_str(&t, "d");
	assert_false(t.cut);
	assert_string_equal(memory, "abcd");
}

static void test_text_printf_is_cut(void **state)
{
	char memory[6];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "%d", 12345);
	assert_false(t.cut);
	assert_string_equal(memory, "12345");
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "%d", 123456);
	assert_true(t.cut);
	assert_string_equal(memory, "12345");
	assert_int_equal(t.len, 5);
}

static void test_text_of_one_byte(void **state)
{
	char memory[1];
	struct text t;

	(void)state;
	text_init(&t, memory, 1);
	text_str(&t, "");
	assert_false(t.cut);
	text_char(&t, 'a');
	assert_true(t.cut);
	assert_string_equal(memory, "");
}

static void test_text_num(void **state)
{
	char memory[64];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	text_num(&t, INT64_MIN);
	text_char(&t, ' ');
	text_num(&t, INT64_MAX);
	text_char(&t, ' ');
	text_num(&t, 0);
	assert_string_equal(memory, "-9223372036854775808 9223372036854775807 0");
}

static void test_text_digits(void **state)
{
	char memory[8];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	text_digits(&t, 7, 3);
	text_char(&t, '.');
	text_digits(&t, 1234, 2);
	assert_string_equal(memory, "007.34");
	text_digits(&t, 56, 2);
	assert_true(t.cut);
	assert_string_equal(memory, "007.345");
}

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(str_distance("maxconn", "maxconn", 3), 0);
	assert_int_equal(str_distance("maxcon", "maxconn", 3), 1);
	assert_int_equal(str_distance("maxcnon", "maxconn", 3), 1); /* neighbours swapped */
	assert_int_equal(str_distance("bakcend", "backend", 3), 1);
	assert_int_equal(str_distance("abc", "xyz", 3), 3);
	assert_int_equal(str_distance("abcdef", "uvwxyz", 3), 4); /* limit + 1 */
	assert_int_equal(str_distance("", "abc", 3), 3);
	assert_int_equal(str_distance("", "abcd", 3), 4);
	assert_int_equal(str_distance("", "", 0), 0);
}

/* The same without any thought of time. */
static unsigned plain_distance(const char *a, const char *b)
{
	unsigned d[12][12], i, j, la = (unsigned)strlen(a), lb = (unsigned)strlen(b), best;

	for (i = 0; i <= la; i++)
		for (j = 0; j <= lb; j++) {
			best = !i ? j : !j ? i : d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (i && d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (j && d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	return d[la][lb];
}

static void random_word(char *word, unsigned *seed)
{
	unsigned i, len;

	*seed = *seed * 1103515245 + 12345;
	len = *seed >> 16 & 7;
	for (i = 0; i < len; i++) {
		*seed = *seed * 1103515245 + 12345;
		word[i] = (char)('a' + (*seed >> 16) % 3);
	}
	word[len] = 0;
}

/* What stops early finds the same as what goes through all. */
static void test_distance_limits(void **state)
{
	unsigned seed = 1, limit, real, i;
	char a[12], b[12];

	(void)state;
	for (i = 0; i < 20000; i++) {
		random_word(a, &seed);
		random_word(b, &seed);
		real = plain_distance(a, b);
		for (limit = 0; limit < 9; limit++)
			assert_int_equal(str_distance(a, b, limit),
					 real > limit ? limit + 1 : real);
	}
}

static void test_distance_of_long_words(void **state)
{
	char a[100], b[100];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	a[99] = b[99] = 0;
	assert_int_equal(str_distance(a, b, 2), 3); /* too long to be compared */
	a[64] = b[64] = 0;
	assert_int_equal(str_distance(a, b, 2), 0);
}

static void test_to_int(void **state)
{
	int64_t n = 77;

	(void)state;
	assert_true(str_to_int("12", 0, 100, &n));
	assert_int_equal(n, 12);
	assert_true(str_to_int("-5", -5, 5, &n));
	assert_int_equal(n, -5);
	assert_false(str_to_int("101", 0, 100, &n));
	assert_false(str_to_int("", 0, 100, &n));
	assert_false(str_to_int("1x", 0, 100, &n));
	assert_false(str_to_int(" 1", 0, 100, &n));
	assert_false(str_to_int("+1", 0, 100, &n));
	assert_false(str_to_int("-", -9, 100, &n));
	assert_false(str_to_int("0x10", 0, 100, &n));
	assert_false(str_to_int("99999999999999999999", 0, INT64_MAX, &n));
	assert_int_equal(n, -5); /* untouched by what failed */
}

static void test_spans(void **state)
{
	(void)state;
	assert_true(span_equal(span_of("ab"), (struct span){ "abc", 2 }));
	assert_false(span_equal(span_of("ab"), span_of("abc")));
	assert_false(span_equal(span_of("ab"), span_of("ac")));
}

static void test_characters_stay_whole(void **state)
{
	(void)state;
	assert_int_equal(str_whole("ab\u00e9", 4), 4);
	assert_int_equal(str_whole("ab\u00e9", 3), 2);
	assert_int_equal(str_whole("a\u20acb", 3), 1);
	assert_int_equal(str_whole("a\u20acb", 2), 1);
	assert_int_equal(str_whole("a\U0001f600", 4), 1);
	assert_int_equal(str_whole("a\U0001f600", 5), 5);
	assert_int_equal(str_whole("", 0), 0);
	assert_int_equal(str_whole("\xe9x", 1), 0);   /* Latin-1 looks like a beginning */
	assert_int_equal(str_whole("x\xff", 2), 2);   /* what is no beginning stays */
	assert_int_equal(str_whole("\x80\x80\x80\x80", 4), 4);
	assert_int_equal(str_cut("ab\u00e9", 3), 2);
	assert_int_equal(str_cut("ab\u00e9", 4), 4);
	assert_int_equal(str_cut("ab", 100), 2);
	assert_int_equal(str_cut("ab\xe9", 3), 3); /* nothing was cut */
	assert_int_equal(str_char("\u20acb"), 3);
	assert_int_equal(str_char("ab"), 1);
	assert_int_equal(str_char("\xe9\x80"), 1);
	assert_int_equal(str_char("\xf0\x9f\x98\x80"), 4);
}

/* Sentences are cut at their size, wherever that falls. */
static void test_sentences_end_with_a_character(void **state)
{
	char word[sizeof(((struct err *)NULL)->text) + 20];
	struct err err;
	size_t i, len, shift;

	(void)state;
	for (shift = 0; shift < 3; shift++) {
		memset(word, 'x', shift);
		for (i = shift; i + 3 < sizeof(word); i += 3)
			memcpy(word + i, "\u20ac", 3);
		word[i] = 0;
		err_set(&err, "%s", word);
		len = strlen(err.text);
		assert_in_range(len, sizeof(err.text) - 3, sizeof(err.text) - 1);
		assert_int_equal((len - shift) % 3, 0);
		err_prefix(&err, "line 7");
		len = strlen(err.text);
		assert_in_range(len, sizeof(err.text) - 3, sizeof(err.text) - 1);
		assert_int_equal((len - shift - strlen("line 7: ")) % 3, 0);
		err_prefix(&err, "%s", word);
		assert_int_equal((strlen(err.text) - shift) % 3, 0);
	}
	err_set(&err, "short");
	err_prefix(&err, "%s", "x");
	assert_string_equal(err.text, "x: short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_cut),
		cmocka_unit_test(test_text_of_an_empty_span),
		cmocka_unit_test(test_text_printf_is_cut),
		cmocka_unit_test(test_text_of_one_byte),
		cmocka_unit_test(test_text_num),
		cmocka_unit_test(test_text_digits),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_distance_limits),
		cmocka_unit_test(test_distance_of_long_words),
		cmocka_unit_test(test_to_int),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_characters_stay_whole),
		cmocka_unit_test(test_sentences_end_with_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
