/* SPDX-License-Identifier: BSD-2-Clause */
/* Normal forms of targets, as HAProxy 2.6 makes them. */
#include "http/normalize.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
	enum normalizer how;
	bool option;
	const char *in, *out; /* out NULL: malformed */
} cases[] = {
	{ FRAGMENT_ENCODE, false, "/", "/" },
	{ FRAGMENT_ENCODE, false, "/#foo", "/%23foo" },
	{ FRAGMENT_ENCODE, false, "/a#b#c", "/a%23b%23c" },
	{ FRAGMENT_ENCODE, false, "/a?b#c", "/a?b%23c" },
	{ FRAGMENT_ENCODE, false, "/?#", "/?%23" },
	{ FRAGMENT_ENCODE, false, "/#", "/%23" },
	{ FRAGMENT_ENCODE, false, "/.well-known/", "/.well-known/" },
	{ FRAGMENT_ENCODE, false, "/a/..b", "/a/..b" },
	{ FRAGMENT_ENCODE, false, "/a/...", "/a/..." },
	{ FRAGMENT_ENCODE, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ FRAGMENT_ENCODE, false, "/../../a", "/../../a" },
	{ FRAGMENT_ENCODE, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ FRAGMENT_ENCODE, false, "/%ZZ", "/%ZZ" },
	{ FRAGMENT_ENCODE, false, "/%", "/%" },
	{ FRAGMENT_ENCODE, false, "/%6", "/%6" },
	{ FRAGMENT_ENCODE, false, "/%c3%a9", "/%c3%a9" },
	{ FRAGMENT_STRIP, false, "/", "/" },
	{ FRAGMENT_STRIP, false, "/#foo", "/" },
	{ FRAGMENT_STRIP, false, "/a#b#c", "/a" },
	{ FRAGMENT_STRIP, false, "/a?b#c", "/a?b" },
	{ FRAGMENT_STRIP, false, "/?#", "/?" },
	{ FRAGMENT_STRIP, false, "/#", "/" },
	{ FRAGMENT_STRIP, false, "/.well-known/", "/.well-known/" },
	{ FRAGMENT_STRIP, false, "/a/..b", "/a/..b" },
	{ FRAGMENT_STRIP, false, "/a/...", "/a/..." },
	{ FRAGMENT_STRIP, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ FRAGMENT_STRIP, false, "/../../a", "/../../a" },
	{ FRAGMENT_STRIP, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ FRAGMENT_STRIP, false, "/%ZZ", "/%ZZ" },
	{ FRAGMENT_STRIP, false, "/%", "/%" },
	{ FRAGMENT_STRIP, false, "/%6", "/%6" },
	{ FRAGMENT_STRIP, false, "/%c3%a9", "/%c3%a9" },
	{ PATH_MERGE_SLASHES, false, "/", "/" },
	{ PATH_MERGE_SLASHES, false, "//", "/" },
	{ PATH_MERGE_SLASHES, false, "/foo//bar", "/foo/bar" },
	{ PATH_MERGE_SLASHES, false, "///a///b//", "/a/b/" },
	{ PATH_MERGE_SLASHES, false, "/a//", "/a/" },
	{ PATH_MERGE_SLASHES, false, "/.well-known/", "/.well-known/" },
	{ PATH_MERGE_SLASHES, false, "/a/..b", "/a/..b" },
	{ PATH_MERGE_SLASHES, false, "/a/...", "/a/..." },
	{ PATH_MERGE_SLASHES, false, "/foo//../", "/foo/../" },
	{ PATH_MERGE_SLASHES, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PATH_MERGE_SLASHES, false, "/../../a", "/../../a" },
	{ PATH_MERGE_SLASHES, false, "/..//..", "/../.." },
	{ PATH_MERGE_SLASHES, false, "//..", "/.." },
	{ PATH_MERGE_SLASHES, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PATH_MERGE_SLASHES, false, "/%ZZ", "/%ZZ" },
	{ PATH_MERGE_SLASHES, false, "/%", "/%" },
	{ PATH_MERGE_SLASHES, false, "/%6", "/%6" },
	{ PATH_MERGE_SLASHES, false, "/%c3%a9", "/%c3%a9" },
	{ PATH_STRIP_DOT, false, "/", "/" },
	{ PATH_STRIP_DOT, false, "/.", "/" },
	{ PATH_STRIP_DOT, false, "/./", "/" },
	{ PATH_STRIP_DOT, false, "/./bar/", "/bar/" },
	{ PATH_STRIP_DOT, false, "/a/./a", "/a/a" },
	{ PATH_STRIP_DOT, false, "/a/.", "/a/" },
	{ PATH_STRIP_DOT, false, "/a/./", "/a/" },
	{ PATH_STRIP_DOT, false, "/.well-known/", "/.well-known/" },
	{ PATH_STRIP_DOT, false, "/a/..b", "/a/..b" },
	{ PATH_STRIP_DOT, false, "/a/...", "/a/..." },
	{ PATH_STRIP_DOT, false, "/./.", "/" },
	{ PATH_STRIP_DOT, false, "/././a", "/a" },
	{ PATH_STRIP_DOT, false, "/a/.", "/a/" },
	{ PATH_STRIP_DOT, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PATH_STRIP_DOT, false, "/../../a", "/../../a" },
	{ PATH_STRIP_DOT, false, "/a/./../b", "/a/../b" },
	{ PATH_STRIP_DOT, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PATH_STRIP_DOT, false, "/%ZZ", "/%ZZ" },
	{ PATH_STRIP_DOT, false, "/%", "/%" },
	{ PATH_STRIP_DOT, false, "/%6", "/%6" },
	{ PATH_STRIP_DOT, false, "/%c3%a9", "/%c3%a9" },
	{ PATH_STRIP_DOTDOT, false, "/", "/" },
	{ PATH_STRIP_DOTDOT, false, "/.well-known/", "/.well-known/" },
	{ PATH_STRIP_DOTDOT, false, "/a/..b", "/a/..b" },
	{ PATH_STRIP_DOTDOT, false, "/a/...", "/a/..." },
	{ PATH_STRIP_DOTDOT, false, "/..", "/../" },
	{ PATH_STRIP_DOTDOT, false, "/foo/..", "/" },
	{ PATH_STRIP_DOTDOT, false, "/foo/../", "/" },
	{ PATH_STRIP_DOTDOT, false, "/foo/../bar/", "/bar/" },
	{ PATH_STRIP_DOTDOT, false, "/foo/bar/../", "/foo/" },
	{ PATH_STRIP_DOTDOT, false, "/foo/bar/..", "/foo/" },
	{ PATH_STRIP_DOTDOT, false, "/bar/../../", "/../" },
	{ PATH_STRIP_DOTDOT, false, "/bar/../..", "/../" },
	{ PATH_STRIP_DOTDOT, false, "/foo//../", "/foo/" },
	{ PATH_STRIP_DOTDOT, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PATH_STRIP_DOTDOT, false, "/a/b/../../../c", "/../c" },
	{ PATH_STRIP_DOTDOT, false, "/../../a", "/../../a" },
	{ PATH_STRIP_DOTDOT, false, "/../a/..", "/../" },
	{ PATH_STRIP_DOTDOT, false, "/a/./../b", "/a/b" },
	{ PATH_STRIP_DOTDOT, false, "/..a/../", "/" },
	{ PATH_STRIP_DOTDOT, false, "/a/../", "/" },
	{ PATH_STRIP_DOTDOT, false, "/a/b/..", "/a/" },
	{ PATH_STRIP_DOTDOT, false, "/..//..", "/../" },
	{ PATH_STRIP_DOTDOT, false, "//..", "/" },
	{ PATH_STRIP_DOTDOT, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PATH_STRIP_DOTDOT, false, "/%ZZ", "/%ZZ" },
	{ PATH_STRIP_DOTDOT, false, "/%", "/%" },
	{ PATH_STRIP_DOTDOT, false, "/%6", "/%6" },
	{ PATH_STRIP_DOTDOT, false, "/%c3%a9", "/%c3%a9" },
	{ PATH_STRIP_DOTDOT, true, "/", "/" },
	{ PATH_STRIP_DOTDOT, true, "/.well-known/", "/.well-known/" },
	{ PATH_STRIP_DOTDOT, true, "/a/..b", "/a/..b" },
	{ PATH_STRIP_DOTDOT, true, "/a/...", "/a/..." },
	{ PATH_STRIP_DOTDOT, true, "/..", "/" },
	{ PATH_STRIP_DOTDOT, true, "/../", "/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/..", "/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/../", "/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/../bar/", "/bar/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/bar/../", "/foo/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/bar/..", "/foo/" },
	{ PATH_STRIP_DOTDOT, true, "/../bar/", "/bar/" },
	{ PATH_STRIP_DOTDOT, true, "/bar/../../", "/" },
	{ PATH_STRIP_DOTDOT, true, "/bar/../..", "/" },
	{ PATH_STRIP_DOTDOT, true, "/foo//../", "/foo/" },
	{ PATH_STRIP_DOTDOT, true, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PATH_STRIP_DOTDOT, true, "/a/b/../../../c", "/c" },
	{ PATH_STRIP_DOTDOT, true, "/../../a", "/a" },
	{ PATH_STRIP_DOTDOT, true, "/../a/..", "/" },
	{ PATH_STRIP_DOTDOT, true, "/a/./../b", "/a/b" },
	{ PATH_STRIP_DOTDOT, true, "/..a/../", "/" },
	{ PATH_STRIP_DOTDOT, true, "/a/../", "/" },
	{ PATH_STRIP_DOTDOT, true, "/a/b/..", "/a/" },
	{ PATH_STRIP_DOTDOT, true, "/..//..", "/" },
	{ PATH_STRIP_DOTDOT, true, "//..", "/" },
	{ PATH_STRIP_DOTDOT, true, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PATH_STRIP_DOTDOT, true, "/%ZZ", "/%ZZ" },
	{ PATH_STRIP_DOTDOT, true, "/%", "/%" },
	{ PATH_STRIP_DOTDOT, true, "/%6", "/%6" },
	{ PATH_STRIP_DOTDOT, true, "/%c3%a9", "/%c3%a9" },
	{ PERCENT_DECODE_UNRESERVED, false, "/", "/" },
	{ PERCENT_DECODE_UNRESERVED, false, "/.well-known/", "/.well-known/" },
	{ PERCENT_DECODE_UNRESERVED, false, "/a/..b", "/a/..b" },
	{ PERCENT_DECODE_UNRESERVED, false, "/a/...", "/a/..." },
	{ PERCENT_DECODE_UNRESERVED, false, "/foo/%2E%2E/", "/foo/../" },
	{ PERCENT_DECODE_UNRESERVED, false, "/../../a", "/../../a" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%61dmin", "/admin" },
	{ PERCENT_DECODE_UNRESERVED, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%%36%36", "/%66" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%ZZ", "/%ZZ" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%6f", "/o" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%", "/%" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%6", "/%6" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%7e%2d%2e%5f", "/~-._" },
	{ PERCENT_DECODE_UNRESERVED, false, "/a?x=%61%6f", "/a?x=ao" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%41%5a%30%39", "/AZ09" },
	{ PERCENT_DECODE_UNRESERVED, false, "/%c3%a9", "/%c3%a9" },
	{ PERCENT_DECODE_UNRESERVED, true, "/", "/" },
	{ PERCENT_DECODE_UNRESERVED, true, "/.well-known/", "/.well-known/" },
	{ PERCENT_DECODE_UNRESERVED, true, "/a/..b", "/a/..b" },
	{ PERCENT_DECODE_UNRESERVED, true, "/a/...", "/a/..." },
	{ PERCENT_DECODE_UNRESERVED, true, "/foo/%2E%2E/", "/foo/../" },
	{ PERCENT_DECODE_UNRESERVED, true, "/../../a", "/../../a" },
	{ PERCENT_DECODE_UNRESERVED, true, "/%61dmin", "/admin" },
	{ PERCENT_DECODE_UNRESERVED, true, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PERCENT_DECODE_UNRESERVED, true, "/%%36%36", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/%ZZ", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/%zz", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/%6f", "/o" },
	{ PERCENT_DECODE_UNRESERVED, true, "/%", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/%6", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/a%6", NULL },
	{ PERCENT_DECODE_UNRESERVED, true, "/%7e%2d%2e%5f", "/~-._" },
	{ PERCENT_DECODE_UNRESERVED, true, "/a?x=%61%6f", "/a?x=ao" },
	{ PERCENT_DECODE_UNRESERVED, true, "/%41%5a%30%39", "/AZ09" },
	{ PERCENT_DECODE_UNRESERVED, true, "/%c3%a9", "/%c3%a9" },
	{ PERCENT_TO_UPPERCASE, false, "/", "/" },
	{ PERCENT_TO_UPPERCASE, false, "/.well-known/", "/.well-known/" },
	{ PERCENT_TO_UPPERCASE, false, "/a/..b", "/a/..b" },
	{ PERCENT_TO_UPPERCASE, false, "/a/...", "/a/..." },
	{ PERCENT_TO_UPPERCASE, false, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PERCENT_TO_UPPERCASE, false, "/../../a", "/../../a" },
	{ PERCENT_TO_UPPERCASE, false, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PERCENT_TO_UPPERCASE, false, "/%ZZ", "/%ZZ" },
	{ PERCENT_TO_UPPERCASE, false, "/%6f", "/%6F" },
	{ PERCENT_TO_UPPERCASE, false, "/%", "/%" },
	{ PERCENT_TO_UPPERCASE, false, "/%6", "/%6" },
	{ PERCENT_TO_UPPERCASE, false, "/%7e%2d%2e%5f", "/%7E%2D%2E%5F" },
	{ PERCENT_TO_UPPERCASE, false, "/a?x=%61%6f", "/a?x=%61%6F" },
	{ PERCENT_TO_UPPERCASE, false, "/%41%5a%30%39", "/%41%5A%30%39" },
	{ PERCENT_TO_UPPERCASE, false, "/%c3%a9", "/%C3%A9" },
	{ PERCENT_TO_UPPERCASE, true, "/", "/" },
	{ PERCENT_TO_UPPERCASE, true, "/.well-known/", "/.well-known/" },
	{ PERCENT_TO_UPPERCASE, true, "/a/..b", "/a/..b" },
	{ PERCENT_TO_UPPERCASE, true, "/a/...", "/a/..." },
	{ PERCENT_TO_UPPERCASE, true, "/foo/%2E%2E/", "/foo/%2E%2E/" },
	{ PERCENT_TO_UPPERCASE, true, "/../../a", "/../../a" },
	{ PERCENT_TO_UPPERCASE, true, "/foo%3Fbar=baz", "/foo%3Fbar=baz" },
	{ PERCENT_TO_UPPERCASE, true, "/%%36%36", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/%ZZ", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/%zz", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/%6f", "/%6F" },
	{ PERCENT_TO_UPPERCASE, true, "/%", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/%6", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/a%6", NULL },
	{ PERCENT_TO_UPPERCASE, true, "/%7e%2d%2e%5f", "/%7E%2D%2E%5F" },
	{ PERCENT_TO_UPPERCASE, true, "/a?x=%61%6f", "/a?x=%61%6F" },
	{ PERCENT_TO_UPPERCASE, true, "/%41%5a%30%39", "/%41%5A%30%39" },
	{ PERCENT_TO_UPPERCASE, true, "/%c3%a9", "/%C3%A9" },
	{ QUERY_SORT_BY_NAME, false, "c=3&a=1&b=2", "a=1&b=2&c=3" },
	{ QUERY_SORT_BY_NAME, false, "aaa=3&a=1&aa=2", "a=1&aa=2&aaa=3" },
	{ QUERY_SORT_BY_NAME, false, "a=3&b=4&a=1&b=5&a=2", "a=3&a=1&a=2&b=4&b=5" },
	{ QUERY_SORT_BY_NAME, false, "&&b&a", "&&a&b" },
	{ QUERY_SORT_BY_NAME, false, "b&a=1&a", "a=1&a&b" },
	{ QUERY_SORT_BY_NAME, false, "b=1&", "b=1" },
	{ QUERY_SORT_BY_NAME, false, "a", "a" },
	{ QUERY_SORT_BY_NAME, false, "b;a&a", "a&b;a" },
};

static void test_forms(void **state)
{
	char out[256];
	size_t i, len;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct span in = span_of(cases[i].in);
		bool good = uri_normalize(cases[i].how, cases[i].option, in, out, &len);

		assert_int_equal(good, cases[i].out != NULL);
		if (!good)
			continue;
		assert_int_equal(len, strlen(cases[i].out));
		assert_memory_equal(out, cases[i].out, len);
	}
}

/* What needs the most room for what it makes of a byte. */
static void test_room(void **state)
{
	char out[3 * 64 + 3], in[64];
	size_t len;

	(void)state;
	memset(in, '#', sizeof(in));
	assert_true(uri_normalize(FRAGMENT_ENCODE, false, (struct span){ in, 64 }, out, &len));
	assert_int_equal(len, 3 * 64);
	assert_true(uri_normalize(PATH_STRIP_DOTDOT, false, span_of("/.."), out, &len));
	assert_int_equal(len, 4);
}

static void test_many_parameters(void **state)
{
	static char in[2100], out[3 * 2100 + 3];
	size_t i, len;

	(void)state;
	for (i = 0; i < sizeof(in); i++)
		in[i] = i % 2 ? '&' : (char)('z' - i % 26);
	assert_true(uri_normalize(QUERY_SORT_BY_NAME, false, (struct span){ in, 2047 }, out, &len));
	assert_int_equal(len, 2047);
	for (i = 2; i < len; i += 2)
		assert_true(out[i] >= out[i - 2]);
	assert_false(uri_normalize(QUERY_SORT_BY_NAME, false, (struct span){ in, 2049 }, out, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_many_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
