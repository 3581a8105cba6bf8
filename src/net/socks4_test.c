/* SPDX-License-Identifier: BSD-2-Clause */
/* The request's bytes, and which replies are good. */
#include "net/socks4.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above */
#include <cmocka.h>
#include <arpa/inet.h>

static struct addr addr(int family, const char *text)
{
	struct addr a = { .family = (uint16_t)family, .port = 8080 };

	assert_int_equal(inet_pton(family, text, &a.v6), 1);
	return a;
}

static void the_request_names_the_server(void **state)
{
	struct addr v4 = addr(AF_INET, "192.0.2.5"), mapped = addr(AF_INET6, "::ffff:192.0.2.5");
	struct addr v6 = addr(AF_INET6, "2001:db8::5"), local = { .family = AF_UNIX };
	char memory[SOCKS4_REQUEST];

	(void)state;
	assert_int_equal(socks4_request(memory, &v4), 16);
	assert_memory_equal(memory, "\4\1\x1f\x90\xc0\0\2\5HAProxy", 16);
	memory[4] = 0;
	assert_int_equal(socks4_request(memory, &mapped), 16);
	assert_memory_equal(memory, "\4\1\x1f\x90\xc0\0\2\5HAProxy", 16);
	assert_int_equal(socks4_request(memory, &v6), 0);
	assert_int_equal(socks4_request(memory, &local), 0);
}

static void only_90_grants(void **state)
{
	char reply[SOCKS4_REPLY] = "";
	int code;

	(void)state;
	for (code = 0; code < 256; code++) {
		reply[1] = (char)code;
		assert_int_equal(socks4_granted(reply), code == 90);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_request_names_the_server),
		cmocka_unit_test(only_90_grants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
