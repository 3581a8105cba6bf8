/* SPDX-License-Identifier: BSD-2-Clause */
/* Both forms, both families; lengths that lie, and what is not TCP. */
#include "net/netscaler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <string.h>

#define IP4 "\x45\0\0\x28\0\1\0\0\x40\6\0\0\xc0\0\2\1\xc6\x33\x64\2"
#define IP4_LONG "\x46\0\0\x2c\0\1\0\0\x40\6\0\0\xc0\0\2\1\xc6\x33\x64\2\1\1\1\1"
#define IP6 "\x60\0\0\0\0\x14\6\x40\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1"                    \
	    "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\2"
#define TCP "\3\xe9\7\xd2\0\0\0\1\0\0\0\0\x50\2\0\x64\0\0\0\0"
#define MAGIC "\x12\x34\x56\x78"

static enum netscaler_result parse(const char *bytes, size_t len, struct netscaler *h)
{
	return netscaler_parse(bytes, len, 0x12345678, h);
}

static void check_header(const char *bytes, size_t len, const char *src, const char *dst)
{
	struct netscaler h;
	char more[200], text[INET6_ADDRSTRLEN];
	size_t i;

	for (i = 0; i < len; i++)
		assert_int_equal(parse(bytes, i, &h), NETSCALER_INCOMPLETE);
	memcpy(more, bytes, len);
	memset(more + len, 0x45, 20);
	assert_int_equal(parse(more, len + 20, &h), NETSCALER_DONE);
	assert_int_equal(h.len, len);
	assert_string_equal(inet_ntop(h.src.family, &h.src.v6, text, sizeof(text)), src);
	assert_string_equal(inet_ntop(h.dst.family, &h.dst.v6, text, sizeof(text)), dst);
	assert_int_equal(h.src.port, 1001);
	assert_int_equal(h.dst.port, 2002);
}
#define CHECK(bytes, src, dst) check_header(bytes, sizeof(bytes) - 1, src, dst)

static void both_forms_are_read(void **state)
{
	(void)state;
	CHECK(MAGIC "\0\0\0\x28" IP4 TCP, "192.0.2.1", "198.51.100.2");
	CHECK(MAGIC "\0\0\0\x2c" IP4_LONG TCP, "192.0.2.1", "198.51.100.2");
	CHECK(MAGIC "\0\0\0\x3c" IP6 TCP, "2001:db8::1", "2001:db8::2");
	CHECK(MAGIC "\0\0\0\x34\0\1\0\x28" IP4 TCP, "192.0.2.1", "198.51.100.2");
	CHECK(MAGIC "\0\0\0\x48\0\1\0\x3c" IP6 TCP, "2001:db8::1", "2001:db8::2");
	CHECK(MAGIC "\0\0\0\x2c" IP4 TCP "\2\4\5\xb4", "192.0.2.1", "198.51.100.2");
}

#define IS(result, bytes) { result, bytes, sizeof(bytes) - 1 }

static void rules_are_kept(void **state)
{
	static const struct {
		enum netscaler_result result;
		const char *bytes;
		size_t len;
	} rows[] = {
		IS(NETSCALER_INCOMPLETE, ""),
		IS(NETSCALER_MAGIC, "G"),
		IS(NETSCALER_MAGIC, "\x12\x34\x56\x79"),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x27" IP4 TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\0" IP4 TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\xff\xff\xff\xff" IP4),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\4\1" IP4),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x28" IP4_LONG TCP), /* longer than it says */
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x28" IP6),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x34\0\2\0\x28" IP4 TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x34\0\1\0\x27" IP4 TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x28\x55\0\0\x28\0\1\0\0\x40\6\0\0"
					"\xc0\0\2\1\xc6\x33\x64\2" TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x28\x44\0\0\x28\0\1\0\0\x40\6\0\0"
					"\xc0\0\2\1\xc6\x33\x64\2" TCP),
		IS(NETSCALER_UNHANDLED, MAGIC "\0\0\0\x28\x45\0\0\x28\0\1\0\0\x40\x11\0\0"
					"\xc0\0\2\1\xc6\x33\x64\2" TCP),
	};
	struct netscaler h;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (parse(rows[i].bytes, rows[i].len, &h) != rows[i].result)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_are_read),
		cmocka_unit_test(rules_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
