/* SPDX-License-Identifier: BSD-2-Clause */
/* The test suites of RFC 1321 (A.5) and RFC 2202 (2). */
#include "base/md5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_hex(const uint8_t digest[MD5_LEN], const char *hex)
{
	char text[2 * MD5_LEN + 1];
	unsigned i;

	for (i = 0; i < MD5_LEN; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(text, hex);
}

/* In pieces of each size. */
static void assert_md5(const char *message, const char *hex)
{
	size_t len = strlen(message), piece, at;
	uint8_t digest[MD5_LEN];
	struct md5 md5;

	for (piece = 1; piece <= len + 1; piece++) {
		md5_begin(&md5);
		for (at = 0; at < len; at += piece)
			md5_add(&md5, message + at, len - at < piece ? len - at : piece);
		md5_end(&md5, digest);
		assert_hex(digest, hex);
	}
}

static void test_md5(void **state)
{
	(void)state;
	assert_md5("", "d41d8cd98f00b204e9800998ecf8427e");
	assert_md5("a", "0cc175b9c0f1b6a831c399e269772661");
	assert_md5("abc", "900150983cd24fb0d6963f7d28e17f72");
	assert_md5("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
	assert_md5("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
	assert_md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		   "d174ab98d277d9f5a5611c2c9f419d9f");
	assert_md5("1234567890123456789012345678901234567890123456789012345678901234567890123456789"
		   "0", "57edf4a22be3c955ac49da2e2107b67a");
}

static void assert_hmac(const char *key, size_t len, const char *message, const char *hex)
{
	uint8_t code[MD5_LEN];

	md5_hmac((struct span){ key, len }, span_of(message), code);
	assert_hex(code, hex);
}

static void test_hmac(void **state)
{
	char key[80];

	(void)state;
	memset(key, 0x0b, sizeof(key));
	assert_hmac(key, 16, "Hi There", "9294727a3638bb1c13f48ef8158bfc9d");
	assert_hmac("Jefe", 4, "what do ya want for nothing?", "750c783e6ab0b503eaa86e310a5db738");
	memset(key, 0xaa, sizeof(key));
	assert_hmac(key, 80, "Test Using Larger Than Block-Size Key - Hash Key First",
		    "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md5),
		cmocka_unit_test(test_hmac),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
