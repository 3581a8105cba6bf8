/* SPDX-License-Identifier: BSD-2-Clause */
/* Headers of both versions: what is written is read again, every prefix is incomplete, what
 * breaks the rules is refused. */
#include "net/proxyproto.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <string.h>

static struct addr addr(int family, const char *text, uint16_t port)
{
	struct addr a = { .family = (uint16_t)family, .port = port };

	assert_int_equal(inet_pton(family, text, &a.v6), 1);
	return a;
}

/* Every prefix is incomplete, the whole is done, and what follows is not touched. */
static void check_header(const char *bytes, size_t len, const struct addr *src,
			 const struct addr *dst)
{
	struct proxyproto h;
	char more[300];
	size_t i;

	for (i = 0; i < len; i++)
		assert_int_equal(proxyproto_parse(bytes, i, &h), PROXYPROTO_INCOMPLETE);
	memcpy(more, bytes, len);
	memset(more + len, 'x', 20);
	assert_int_equal(proxyproto_parse(more, len + 20, &h), PROXYPROTO_DONE);
	assert_int_equal(h.len, len);
	assert_int_equal(h.has_addrs, src != NULL);
	if (src) {
		assert_true(addr_equal(&h.src, src));
		assert_true(addr_equal(&h.dst, dst));
	}
}

static void what_is_written_is_read(void **state)
{
	struct addr a4 = addr(AF_INET, "192.0.2.1", 1024), b4 = addr(AF_INET, "198.51.100.9", 65535);
	struct addr a6 = addr(AF_INET6, "2001:db8::1", 1), b6 = addr(AF_INET6, "::", 0);
	struct addr none = { .family = AF_UNSPEC };
	char line[PROXYPROTO_V1_MAX];

	(void)state;
	check_header(line, proxyproto_v1(line, &a4, &b4), &a4, &b4);
	check_header(line, proxyproto_v1(line, &a6, &b6), &a6, &b6);
	check_header(line, proxyproto_v1(line, &a6, &b4), NULL, NULL);
	check_header(line, proxyproto_v2(line, &a4, &b4, false), &a4, &b4);
	check_header(line, proxyproto_v2(line, &a6, &b6, false), &a6, &b6);
	check_header(line, proxyproto_v2(line, &a4, &none, false), NULL, NULL);
	check_header(line, proxyproto_v2(line, &a4, &b4, true), NULL, NULL);
}

static void bytes_of_version_2(void **state)
{
	struct addr a = addr(AF_INET, "1.2.3.4", 0x1122), b = addr(AF_INET, "5.6.7.8", 0x3344);
	char header[PROXYPROTO_V2_MAX];

	(void)state;
	assert_int_equal(proxyproto_v2(header, &a, &b, false), 28);
	assert_memory_equal(header, "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\1\2\3\4\5\6\7\10\x11\x22\x33\x44",
			    28);
}

static void others_write_more(void **state)
{
	char unix_header[16 + 216] = "\r\n\r\n\0\r\nQUIT\n\x21\x31\0\xd8/run/a";
	struct addr any_unix = { .family = AF_UNIX };
	struct addr a = addr(AF_INET, "1.2.3.4", 9), b = addr(AF_INET, "5.6.7.8", 10);

	(void)state;
	check_header("PROXY UNKNOWN\r\n", 15, NULL, NULL);
	check_header("PROXY UNKNOWN ff::1 whatever 1 2\r\n", 34, NULL, NULL);
	check_header("\r\n\r\n\0\r\nQUIT\n\x20\x11\0\3abc", 19, NULL, NULL);
	check_header("\r\n\r\n\0\r\nQUIT\n\x21\0\0\0", 16, NULL, NULL);
	check_header("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x10\1\2\3\4\5\6\7\10\0\x9\0\xa\4\0\1x", 32, &a, &b);
	check_header(unix_header, sizeof(unix_header), &any_unix, &any_unix);
}

#define IS(result, bytes) { result, bytes, sizeof(bytes) - 1 }

static void rules_are_kept(void **state)
{
	static const struct {
		enum proxyproto_result result;
		const char *bytes;
		size_t len;
	} rows[] = {
		IS(PROXYPROTO_INCOMPLETE, ""),
		IS(PROXYPROTO_FOREIGN, "G"),
		IS(PROXYPROTO_FOREIGN, "PROXX"),
		IS(PROXYPROTO_FOREIGN, "proxy TCP4 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_FOREIGN, "PROXYTCP4 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_FOREIGN, "\r\n\r\nQUIT"),
		IS(PROXYPROTO_BAD, "PROXY \r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP5 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9 10 \r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9 10 11\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4  5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 ::1 ::2 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP6 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9 65536\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 -9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 +9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9 10\n"),
		IS(PROXYPROTO_BAD, "PROXY UNKNOWNED\r\n"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x22\x11\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0b\1\2\3\4\5\6\7\10\0\x9\0"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_UNHANDLED, "\r\n\r\n\0\r\nQUIT\n\x21\x12\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_UNHANDLED, "\r\n\r\n\0\r\nQUIT\n\x21\x41\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
	};
	struct proxyproto h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (proxyproto_parse(rows[i].bytes, rows[i].len, &h) != rows[i].result)
			fail_msg("row %zu: %s", i, rows[i].bytes);
}

static void a_line_has_an_end(void **state)
{
	struct proxyproto h;
	char line[200];

	(void)state;
	memset(line, ' ', sizeof(line));
	memcpy(line, "PROXY UNKNOWN", 13);
	assert_int_equal(proxyproto_parse(line, 106, &h), PROXYPROTO_INCOMPLETE);
	assert_int_equal(proxyproto_parse(line, 107, &h), PROXYPROTO_BAD);
	assert_int_equal(proxyproto_parse(line, 200, &h), PROXYPROTO_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(bytes_of_version_2),
		cmocka_unit_test(others_write_more),
		cmocka_unit_test(rules_are_kept),
		cmocka_unit_test(a_line_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
