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

/* A header without vectors. */
static size_t whole_v2(char *header, size_t size, const struct addr *src, const struct addr *dst)
{
	struct proxyproto_out out;

	proxyproto_begin(&out, header, size, src, dst, false);
	return proxyproto_end(&out);
}

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
	struct addr mapped = addr(AF_INET6, "::ffff:198.51.100.9", 65535);
	char line[PROXYPROTO_V1_MAX];
	size_t size = sizeof(line);

	(void)state;
	check_header(line, proxyproto_v1(line, &a4, &b4), &a4, &b4);
	check_header(line, proxyproto_v1(line, &a6, &b6), &a6, &b6);
	check_header(line, proxyproto_v1(line, &a6, &b4), &a6, &mapped);
	check_header(line, proxyproto_v1(line, &a4, &none), NULL, NULL);
	check_header(line, whole_v2(line, size, &a4, &b4), &a4, &b4);
	check_header(line, whole_v2(line, size, &a6, &b6), &a6, &b6);
	check_header(line, whole_v2(line, size, &a6, &b4), &a6, &mapped);
	check_header(line, whole_v2(line, size, &a4, &none), NULL, NULL);
	check_header(line, whole_v2(line, size, NULL, NULL), NULL, NULL);
}

/* What stands between machines has no interfaces of ours in it. */
static void scopes_stay_here(void **state)
{
	struct addr a = addr(AF_INET6, "fe80::1", 1), b = addr(AF_INET6, "fe80::2", 2);
	struct addr scoped = a;
	char line[PROXYPROTO_V1_MAX];

	(void)state;
	scoped.scope_id = 1;
	check_header(line, proxyproto_v1(line, &scoped, &b), &a, &b);
	check_header(line, whole_v2(line, sizeof(line), &scoped, &b), &a, &b);
}

static void bytes_of_version_2(void **state)
{
	struct addr a = addr(AF_INET, "1.2.3.4", 0x1122), b = addr(AF_INET, "5.6.7.8", 0x3344);
	char header[100];

	(void)state;
	assert_int_equal(whole_v2(header, sizeof(header), &a, &b), 28);
	assert_memory_equal(header, "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\1\2\3\4\5\6\7\10\x11\x22\x33\x44",
			    28);
}

/* As the reference writes it. */
static void vectors_of_version_2(void **state)
{
	static const char wanted[] = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x74"
		"\x7f\0\0\1\x7f\0\0\1\x98\x4e\x4a\x45\3\0\4\0\0\0\0\2\0\13sni.example"
		"\x20\0\x50\7\0\0\0\0\x21\0\7TLSv1.3\x22\0\16client.example\x25\0\7RSA2048"
		"\x24\0\12RSA-SHA256\x23\0\x16TLS_AES_256_GCM_SHA384";
	struct addr a = addr(AF_INET, "127.0.0.1", 0x984e), b = addr(AF_INET, "127.0.0.1", 0x4a45);
	struct proxyproto_ssl ssl = { true, true, true, true, span_of("TLSv1.3"),
				      span_of("client.example"), span_of("RSA2048"),
				      span_of("RSA-SHA256"), span_of("TLS_AES_256_GCM_SHA384") };
	struct proxyproto_out out;
	char header[300];

	(void)state;
	proxyproto_begin(&out, header, sizeof(header), &a, &b, true);
	proxyproto_add(&out, PROXYPROTO_AUTHORITY, span_of("sni.example"));
	proxyproto_add_ssl(&out, &ssl);
	assert_int_equal(proxyproto_end(&out), sizeof(wanted) - 1);
	check_header(header, sizeof(wanted) - 1, &a, &b);
	memset(out.crc, 0, 4);
	assert_memory_equal(header, wanted, sizeof(wanted) - 1);
}

static void what_does_not_fit_is_no_header(void **state)
{
	struct addr a = addr(AF_INET, "127.0.0.1", 1);
	struct proxyproto_out out;
	struct proxyproto h;
	char header[64];
	size_t size, len;

	(void)state;
	for (size = 0; size <= sizeof(header); size++) {
		memset(header, 'x', sizeof(header));
		proxyproto_begin(&out, header, size, &a, &a, true);
		proxyproto_add(&out, PROXYPROTO_UNIQUE_ID, span_of("0123456789"));
		len = proxyproto_end(&out);
		assert_int_equal(len, size < 48 ? 0 : 48);
		if (size < sizeof(header))
			assert_int_equal(header[size], 'x');
		if (len)
			assert_int_equal(proxyproto_parse(header, len, &h), PROXYPROTO_DONE);
	}
}

/* Nobody is verified who has shown nothing; without TLS nothing else is told. */
static void verified_is_who_showed_something(void **state)
{
	struct proxyproto_ssl ssl = { .verified = true, .cert_conn = true, .version = span_of("x") };
	struct span vectors, value;
	struct proxyproto_out out;
	char header[300];

	(void)state;
	proxyproto_begin(&out, header, sizeof(header), NULL, NULL, false);
	proxyproto_add_ssl(&out, &ssl);
	ssl.used = true;
	proxyproto_add_ssl(&out, &ssl);
	ssl.cert_conn = false;
	proxyproto_add_ssl(&out, &ssl);
	vectors = (struct span){ header + 16, proxyproto_end(&out) - 16 };
	assert_true(proxyproto_find(&vectors, PROXYPROTO_SSL, &value));
	assert_int_equal(value.len, 5);
	assert_memory_equal(value.ptr, "\0\0\0\0\1", 5);
	assert_true(proxyproto_find(&vectors, PROXYPROTO_SSL, &value));
	assert_memory_equal(value.ptr, "\3\0\0\0\0\x21\0\1x", 9);
	assert_true(proxyproto_find(&vectors, PROXYPROTO_SSL, &value));
	assert_memory_equal(value.ptr, "\1\0\0\0\1\x21\0\1x", 9);
	assert_false(proxyproto_find(&vectors, PROXYPROTO_SSL, &value));
}

static void vectors_are_found(void **state)
{
	static const char bytes[] = "\2\0\1a\4\0\0\2\0\1b\x20\0\xc\1\0\0\0\0\x21\0\1v\x22\0\0";
	struct span all = { bytes, sizeof(bytes) - 1 }, value;

	(void)state;
	assert_true(proxyproto_find(&all, PROXYPROTO_AUTHORITY, &value));
	assert_int_equal(*value.ptr, 'a');
	assert_true(proxyproto_find(&all, PROXYPROTO_AUTHORITY, &value));
	assert_int_equal(*value.ptr, 'b');
	assert_true(proxyproto_find(&all, PROXYPROTO_SSL_VERSION, &value));
	assert_int_equal(*value.ptr, 'v');
	assert_int_equal(value.len, 1);
	assert_false(proxyproto_find(&all, PROXYPROTO_SSL_VERSION, &value));
	all = (struct span){ bytes, sizeof(bytes) - 1 };
	assert_false(proxyproto_find(&all, PROXYPROTO_SSL_CIPHER, &value));
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

#define V2(bytes) "\r\n\r\n\0\r\nQUIT\n" bytes
#define ADDRS "\1\2\3\4\5\6\7\10\0\x9\0\xa"
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
		IS(PROXYPROTO_UNHANDLED, "PROXY TCP5 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_UNHANDLED, "PROXY UDP4 1.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 01.2.3.4 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 09 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4 5.6.7.8 9 010\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP4 1.2.3.4\0 5.6.7.8 9 10\r\n"),
		IS(PROXYPROTO_BAD, "PROXY TCP6 fe80::1%lo ::2 9 10\r\n"),
		IS(PROXYPROTO_DONE, "PROXY TCP4 1.2.3.4 5.6.7.8 0 0\r\n"),
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
		IS(PROXYPROTO_UNHANDLED, "PROXY UNKNOWNED\r\n"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x31\x11\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x22\x11\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0b\1\2\3\4\5\6\7\10\0\x9\0"),
		IS(PROXYPROTO_BAD, "\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_UNHANDLED, "\r\n\r\n\0\r\nQUIT\n\x21\x12\0\x0c\1\2\3\4\5\6\7\10\0\x9\0\xa"),
		IS(PROXYPROTO_UNHANDLED, V2("\x21\x22\0\x24")),
		IS(PROXYPROTO_UNHANDLED, V2("\x21\x32\0\xd8")),
		IS(PROXYPROTO_BAD, V2("\x21\x41\0\x0c" ADDRS)),
		IS(PROXYPROTO_BAD, V2("\x21\x10\0\x0c" ADDRS)),
		IS(PROXYPROTO_BAD, V2("\x21\x01\0\0")),
		IS(PROXYPROTO_BAD, V2("\x21\x31\0\xd7")),
		/* refused as soon as the fixed part is there */
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x0b")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\x3f\xf1")),
		IS(PROXYPROTO_BAD, V2("\x20\0\x3f\xf1")),
		IS(PROXYPROTO_INCOMPLETE, V2("\x20\0\x3f\xf0")),
		IS(PROXYPROTO_DONE, V2("\x20\xff\0\0")),
		IS(PROXYPROTO_DONE, V2("\x20\x11\0\4\4\0\x9z")),
		/* vectors */
		IS(PROXYPROTO_DONE, V2("\x21\x11\0\xf" ADDRS "\4\0\0")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\xd" ADDRS "\4")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\xe" ADDRS "\4\0")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x10" ADDRS "\4\0\2x")),
		IS(PROXYPROTO_DONE, V2("\x21\x11\0\x13" ADDRS "\3\0\4\x61\x47\xe1\xca")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x13" ADDRS "\3\0\4\x61\x47\xe1\xcb")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x12" ADDRS "\3\0\3\x61\x47\xe1")),
		IS(PROXYPROTO_DONE, V2("\x21\x11\0\x14" ADDRS "\x20\0\5\0\0\0\0\0")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x13" ADDRS "\x20\0\4\0\0\0\0")),
		IS(PROXYPROTO_BAD, V2("\x21\x11\0\x17" ADDRS "\x20\0\x8\1\0\0\0\0\x21\0\1")),
	};
	struct proxyproto h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (proxyproto_parse(rows[i].bytes, rows[i].len, &h) != rows[i].result)
			fail_msg("row %zu: %s", i, rows[i].bytes);
}

static enum proxyproto_result one_vector(uint8_t type, size_t len)
{
	struct addr a = addr(AF_INET, "192.0.2.1", 1);
	static char text[1000], header[1100];
	struct proxyproto_out out;
	struct proxyproto h;

	memset(text, 'a', sizeof(text));
	proxyproto_begin(&out, header, sizeof(header), &a, &a, false);
	proxyproto_add(&out, type, (struct span){ text, len });
	return proxyproto_parse(header, proxyproto_end(&out), &h);
}

static void vectors_have_limits(void **state)
{
	(void)state;
	assert_int_equal(one_vector(PROXYPROTO_AUTHORITY, 255), PROXYPROTO_DONE);
	assert_int_equal(one_vector(PROXYPROTO_AUTHORITY, 256), PROXYPROTO_BAD);
	assert_int_equal(one_vector(PROXYPROTO_UNIQUE_ID, 128), PROXYPROTO_DONE);
	assert_int_equal(one_vector(PROXYPROTO_UNIQUE_ID, 129), PROXYPROTO_BAD);
	assert_int_equal(one_vector(0xe0, 1000), PROXYPROTO_DONE);
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
		cmocka_unit_test(scopes_stay_here),
		cmocka_unit_test(vectors_of_version_2),
		cmocka_unit_test(what_does_not_fit_is_no_header),
		cmocka_unit_test(verified_is_who_showed_something),
		cmocka_unit_test(vectors_are_found),
		cmocka_unit_test(others_write_more),
		cmocka_unit_test(rules_are_kept),
		cmocka_unit_test(vectors_have_limits),
		cmocka_unit_test(a_line_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
