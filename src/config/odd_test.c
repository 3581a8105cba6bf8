/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters that look like others are found and named; all others are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/odd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool find(const char *text, struct odd *odd)
{
	return odd_find(text, strlen(text), odd);
}

static void odd_ones_are_named(void **state)
{
	struct odd odd;

	(void)state;
	assert_true(find("ab\xc2\xa0" "c", &odd));
	assert_string_equal(odd.name, "U+00A0, a no-break space");
	assert_int_equal(odd.at, 2);
	assert_int_equal(odd.len, 2);
	assert_false(odd.quote);
	assert_true(find("\xe2\x80\x9cx\xe2\x80\x9d", &odd));
	assert_int_equal(odd.at, 0);
	assert_true(odd.quote);
	assert_true(find("x\r", &odd));
	assert_string_equal(odd.name, "a carriage return");
	assert_true(find("a\xe2\x80\xa8", &odd));
	assert_string_equal(odd.name, "U+2028, a line separator");
	assert_true(find("a\x01" "b", &odd));
	assert_string_equal(odd.name, "U+0001, a control character");
	assert_true(find("a\fb", &odd));
	assert_string_equal(odd.name, "U+000C, a form feed");
	assert_string_equal(odd.plain, "a plain blank");
	assert_true(find("a\vb", &odd));
	assert_string_equal(odd.name, "U+000B, a vertical tab");
	assert_true(find("a\xc2\x85", &odd));
	assert_string_equal(odd.name, "U+0085, a next line");
}

static void others_are_not(void **state)
{
	struct odd odd;

	(void)state;
	assert_false(find("", &odd));
	assert_false(find("plain \t text", &odd));
	assert_false(find("\xc3\xa4\xc3\xb6 \xe2\x82\xac \xf0\x9f\x98\x80",
			  &odd));                        /* umlauts, a euro, a face */
}

static void bytes_that_are_no_utf8(void **state)
{
	struct odd odd;

	(void)state;
	assert_true(find("path\xa0/a", &odd));
	assert_string_equal(odd.name, "the byte 0xA0, a no-break space of Latin-1");
	assert_false(odd.foreign);
	assert_int_equal(odd.at, 4);
	assert_int_equal(odd.len, 1);
	assert_true(find("f\xfcr", &odd));
	assert_string_equal(odd.name, "the byte 0xFC, which is no UTF-8");
	assert_true(odd.foreign);
	assert_true(odd_find("\xe2\x80\x9c", 2, &odd)); /* breaks off */
}

static void letters_of_other_scripts(void **state)
{
	struct odd odd;

	(void)state;
	assert_true(find("b\xd0\xb0" "ckend", &odd));
	assert_string_equal(odd.name, "U+0430, a Cyrillic letter that looks like 'a'");
	assert_string_equal(odd.plain, "a plain 'a'");
	assert_false(odd.foreign);
	assert_true(find("\xd0\xb0\xd1\x81", &odd)); /* all of them: may be meant */
	assert_true(odd.foreign);
	assert_false(find("\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82", &odd)); /* a word */
	assert_true(find("\xce\x9f" "K", &odd));
	assert_string_equal(odd.name, "U+039F, a Greek letter that looks like 'O'");
	assert_false(odd.foreign);
	assert_true(find("\xd0\xa1\xd0\xa1\xd0\xa1\xd0\xa0-a", &odd)); /* a name, and one letter */
	assert_true(odd.foreign);
	assert_true(find("\xd0\x90-abc", &odd)); /* not beside a Latin letter */
	assert_true(odd.foreign);
}

static void long_words_take_no_time(void **state)
{
	enum { LETTERS = 200000 };
	char *text = malloc(2 * LETTERS);
	struct odd odd;
	size_t i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < LETTERS; i++)
		memcpy(text + 2 * i, i + 1 < LETTERS ? "\xd0\xb0" : "\xd0\xb6", 2);
	alarm(30); /* for each letter a look at all of them would take minutes */
	assert_false(odd_find(text, 2 * LETTERS, &odd));
	alarm(0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(odd_ones_are_named),
					    cmocka_unit_test(others_are_not),
					    cmocka_unit_test(bytes_that_are_no_utf8),
					    cmocka_unit_test(letters_of_other_scripts),
					    cmocka_unit_test(long_words_take_no_time) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
