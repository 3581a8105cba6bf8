/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes and addresses for people: nothing is left that is no text. */
#include "explain/shown.h"

#include "net/addr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

static void bytes_are(const char *bytes, size_t len, bool is_lines, const char *wanted)
{
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	shown_bytes(&t, (struct span){ bytes, len }, is_lines);
	assert_string_equal(t.ptr, wanted);
}

static void bytes_become_text(void **state)
{
	(void)state;
	bytes_are("a\xc3\xa4\xe2\x82\xac", 6, false, "a\xc3\xa4\xe2\x82\xac");
	bytes_are("\x16\x03\x01\xff\xc3", 5, false, "\\x16\\x03\\x01\\xff\\xc3");
	bytes_are("a\r\nb\n\r", 6, true, "a\nb\n\\x0d");
	bytes_are("a\r\n\x7f", 4, false, "a\\x0d\\x0a\\x7f");
	bytes_are("", 0, false, "");
}

static void addresses_have_brackets_before_a_port(void **state)
{
	struct addr addr = { .family = AF_INET6, .port = 80 };
	char memory[64];
	struct text t;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	addr.v6.s6_addr[15] = 1;
	shown_addr(&t, &addr);
	addr.port = 0;
	text_char(&t, ' ');
	shown_addr(&t, &addr);
	assert_string_equal(t.ptr, "[::1]:80 ::1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_become_text),
		cmocka_unit_test(addresses_have_brackets_before_a_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
