/* SPDX-License-Identifier: BSD-2-Clause */
/* Long lines on terminals: parted at blanks, hanging, whatever bytes and colours they have. */
#include "base/fold.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>

static char *folded(const char *text, unsigned width)
{
	char *made = NULL;
	size_t len;
	FILE *out = open_memstream(&made, &len);

	fold_text(out, text, width);
	fclose(out);
	return made;
}

static void becomes(const char *text, unsigned width, const char *wanted)
{
	char *made = folded(text, width);

	assert_string_equal(made, wanted);
	free(made);
}

static void short_lines_stay(void **state)
{
	(void)state;
	becomes("", 40, "");
	becomes("\n\na\n", 40, "\n\na\n");
	becomes("no end of line", 40, "no end of line");
	becomes("0123456789012345678901234567890123456789\n", 40,
		"0123456789012345678901234567890123456789\n");
}

static void long_lines_hang_at_their_indent(void **state)
{
	(void)state;
	becomes("         src = aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb cc\n", 40,
		"         src = aaaaaaaaaaaaaaaa\n             bbbbbbbbbbbbbbbb cc\n");
	becomes("    13 + http-request set-header aaaaaaa bb\n", 40,
		"    13 + http-request set-header aaaaaaa\n             bb\n");
	becomes("         1234 5678 9012345 aaaaaaaaaaaaaaaaaaaa\n", 40,
		"         1234 5678 9012345\n             aaaaaaaaaaaaaaaaaaaa\n");
	becomes("      = hint: aaaaaaaaaaaaaaaa bbbbbbbbbbb cc\n", 40,
		"      = hint: aaaaaaaaaaaaaaaa\n            bbbbbbbbbbb cc\n");
	becomes("         + x: 01234567890123456789012345678901234567890123456789\n", 40,
		"         + x: 01234567890123456789012345\n"
		"               678901234567890123456789\n");
}

static void colours_take_no_column(void **state)
{
	(void)state;
	becomes("\033[32m0123456789012345678901234567890123456789\033[0m\n", 40,
		"\033[32m0123456789012345678901234567890123456789\033[0m\n");
	becomes("\033[2m    13\033[0m\033[32m + \033[0mhttp-request set-header aaaaaaa bb\n", 40,
		"\033[2m    13\033[0m\033[32m + \033[0mhttp-request set-header aaaaaaa\n"
		"             bb\n");
}

static void characters_are_not_parted(void **state)
{
	(void)state;
	becomes("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u20ac",
		40,
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
		"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\n    \u20ac");
}

static void what_terminals_obey_is_written_out(void **state)
{
	(void)state;
	becomes("a\xc2\x9b" "31m\x9b\xff\xc3\xa9\n", 80, "a\\xc2\\x9b31m\\x9b\xff\xc3\xa9\n");
	becomes("a\xc2\x9b" "31m\x9b\n", 20, "a\\xc2\\x9b31m\\x9b\n");
	becomes("a\xc2\x9b" "31m\x9b\n", 0, "a\xc2\x9b" "31m\x9b\n");
}

/* Without blanks, line feeds and indents it is what went in; no line is wider. */
static void nothing_is_lost(void **state)
{
	static const char letters[] = "abc .:+-12\t\xc3\xa9    \n";
	char text[600], squeezed[2][2000];
	unsigned seed = 7, width;
	size_t i, n;

	(void)state;
	for (width = FOLD_LEAST; width < 130; width++) {
		char *made, *p;

		for (i = 0; i < sizeof(text) - 1; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
			if (text[i] == '\n' && seed >> 16 & 64)
				text[i] = 'x';
		}
		text[i] = 0;
		made = folded(text, width);
		for (n = 0, p = text; *p; p++)
			if (*p != ' ' && *p != '\n')
				squeezed[0][n++] = *p;
		squeezed[0][n] = 0;
		for (n = 0, p = made; *p; p++)
			if (*p != ' ' && *p != '\n')
				squeezed[1][n++] = *p;
		squeezed[1][n] = 0;
		assert_string_equal(squeezed[0], squeezed[1]);
		for (p = made; *p; p += strcspn(p, "\n") + 1) {
			for (i = n = 0; p[i] && p[i] != '\n'; i++)
				n += p[i] != '\xa9';
			assert_true(n <= width + 1);
			if (!p[i])
				break;
		}
		free(made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lines_stay),
		cmocka_unit_test(long_lines_hang_at_their_indent),
		cmocka_unit_test(colours_take_no_column),
		cmocka_unit_test(characters_are_not_parted),
		cmocka_unit_test(what_terminals_obey_is_written_out),
		cmocka_unit_test(nothing_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
