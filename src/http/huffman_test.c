/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Huffman code of fields: all bytes, as another implementation has written them; the examples
 * of RFC 7541 appendix C; how a string may end.
 */
#include "http/huffman.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t unhex(const char *hex, char *to)
{
	size_t len = 0;

	for (; hex[0] && hex[1]; hex += 2)
		to[len++] = (char)(str_hex_digit(hex[0]) << 4 | str_hex_digit(hex[1]));
	return len;
}

/* The bytes end where the memory does. */
static bool decode(const char *bytes, size_t len, char *out, size_t room, size_t *got)
{
	char *copy = malloc(len ? len : 1);
	bool good;

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	good = huffman_decode((struct span){ copy, len }, out, room, got);
	free(copy);
	return good;
}

static void all_bytes(void **state)
{
	static const char *const codes =
#include "http/huffman_test_codes.def"
		;
	char bytes[1024], out[257];
	size_t len = unhex(codes, bytes), got;
	unsigned i;

	(void)state;
	assert_true(decode(bytes, len, out, 256, &got));
	assert_int_equal(got, 256);
	for (i = 0; i < 256; i++)
		assert_int_equal((uint8_t)out[i], i);
	assert_false(decode(bytes, len, out, 255, &got));
	assert_true(decode(bytes, 0, out, 0, &got));
	assert_int_equal(got, 0);
}

static void examples(void **state)
{
	static const char *const rows[][2] = {
		{ "f1e3c2e5f23a6ba0ab90f4ff", "www.example.com" },
		{ "a8eb10649cbf", "no-cache" },
		{ "25a849e95ba97d7f", "custom-key" },
		{ "25a849e95bb8e8b4bf", "custom-value" },
		{ "d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT" },
	};
	char bytes[64], out[64];
	size_t i, got;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = unhex(rows[i][0], bytes), room = strlen(rows[i][1]);

		assert_true(decode(bytes, len, out, sizeof(out), &got));
		assert_int_equal(got, room);
		assert_memory_equal(out, rows[i][1], room);
		assert_true(decode(bytes, len, out, room, &got));
		assert_false(decode(bytes, len, out, room - 1, &got));
	}
}

/* Behind the last code: less than a byte, of ones. */
static void padding(void **state)
{
	static const struct {
		const char *hex, *text; /* NULL: no such code */
	} rows[] = {
		{ "1f", "a" },         /* 00011, and three ones */
		{ "1e", NULL },        /* a zero in the padding */
		{ "1fff", NULL },      /* more than seven bits of padding */
		{ "ff", NULL },        /* nothing but padding: a byte of it */
		{ "ffff", NULL },
		{ "fffffffc", NULL },  /* the end of the string, whole */
		{ "ffffffff", NULL },
		{ "fffffff3", "\n" }, /* 30 bits: the longest code */
		{ "ffffffef", "\xf9" }, /* 28 bits, and four ones */
		{ "ffffffe0", NULL },
		{ "fffffe", NULL },    /* a long code, cut within its bits */
		{ "f8", "&" },         /* a code of a byte and no padding */
		{ "18c7", "aaa" },     /* three codes of five bits, one bit of padding */
		{ "18c6", NULL },
	};
	char bytes[8], out[16];
	size_t i, got;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool good = decode(bytes, unhex(rows[i].hex, bytes), out, sizeof(out), &got);

		if (good != !!rows[i].text)
			fail_msg("%s: %d", rows[i].hex, good);
		if (good) {
			assert_int_equal(got, strlen(rows[i].text));
			assert_memory_equal(out, rows[i].text, got);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_bytes),
		cmocka_unit_test(examples),
		cmocka_unit_test(padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
