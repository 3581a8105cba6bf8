/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of bytes as the RFCs list them; scanning 16 bytes at a time finds what the table finds,
 * at every distance from the end and with every byte. */
#include "http/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_classes(void **state)
{
	static const char tokens[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char hosts[] = "-._~!$&'()*+,;=0123456789abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int c;

	(void)state;
	for (c = 0; c < 256; c++) {
		bool ctl = c < 32 || c == 127;

		assert_int_equal(char_is((char)c, CHAR_TOKEN), c && strchr(tokens, c) != NULL);
		assert_int_equal(char_is((char)c, CHAR_HOST), c && strchr(hosts, c) != NULL);
		assert_int_equal(char_is((char)c, CHAR_CTL), ctl);
		assert_int_equal(char_is((char)c, CHAR_VALUE), !ctl || c == '\t');
		assert_int_equal(char_is((char)c, CHAR_TARGET), c > 32 && c < 127 && c != '#');
		assert_int_equal(char_is((char)c, CHAR_BLANK), c == ' ' || c == '\t');
		assert_int_equal(char_is((char)c, CHAR_DIGIT), c >= '0' && c <= '9');
		assert_int_equal(char_lower((char)c),
				 c >= 'A' && c <= 'Z' ? c + 32 : (char)c);
	}
}

static void test_scan(void **state)
{
	size_t len, at;
	int c;

	(void)state;
	for (len = 0; len <= 40; len++) {
		char *text = malloc(len ? len : 1), *end = text + len;

		assert_non_null(text);
		memset(text, 'a', len);
		assert_ptr_equal(scan_value(text, text, end), end);
		for (at = 0; at < len; at++) {
			for (c = 0; c < 256; c++) {
				text[at] = (char)c;
				assert_ptr_equal(scan_value(text, text, end),
						 scan_class(text, end, CHAR_VALUE));
				assert_ptr_equal(scan_target(text, end),
						 scan_class(text, end, CHAR_TARGET));
				assert_ptr_equal(scan_token(text, end),
						 scan_class(text, end, CHAR_TOKEN));
				assert_ptr_equal(scan_until(text, text, end, '"', '\xe4', 'Z'),
						 c == '"' || c == 0xe4 || c == 'Z' ? text + at :
										     end);
			}
			text[at] = 'a';
		}
		free(text);
	}
}

/* What lies before, and may be read, does not matter. */
static void test_scan_behind(void **state)
{
	size_t len, before, at;

	(void)state;
	for (len = 0; len <= 20; len++) {
		for (before = 0; before <= 20; before++) {
			char *text = malloc(before + len ? before + len : 1), *p = text + before, *end = p + len;

			assert_non_null(text);
			memset(text, '\r', before);
			memset(p, 'a', len);
			assert_ptr_equal(scan_value(text, p, end), end);
			assert_ptr_equal(scan_until(text, p, end, '\r', '\n', '\n'), end);
			for (at = 0; at < len; at++) {
				p[at] = '\n';
				assert_ptr_equal(scan_value(text, p, end), p + at);
				assert_ptr_equal(scan_until(text, p, end, '\r', '\n', '\n'), p + at);
				p[at] = 'a';
			}
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_scan_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
