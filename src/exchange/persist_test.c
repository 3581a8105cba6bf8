/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates in cookies, and values made of key and address. What is expected of the latter was set by
 * the reference for the same key, address and port. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exchange/persist.h"
#include "proxy/proxy.h"

#include <arpa/inet.h>

static void dates(void **state)
{
	static const uint32_t values[] = { 1, 63, 64, 448806446, (1u << 30) - 1 };
	char text[COOKIE_DATE_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		cookie_date_write(text, values[i]);
		assert_int_equal(cookie_date_read((struct span){ text, sizeof(text) }), values[i]);
	}
	cookie_date_write(text, 64);
	assert_memory_equal(text, "AAABA", 5);
	assert_int_equal(cookie_date_read(span_of("")), 0);
	assert_int_equal(cookie_date_read(span_of("AAAB")), 0);
	assert_int_equal(cookie_date_read(span_of("AAAAAB")), 0);
	assert_int_equal(cookie_date_read(span_of("AA-AB")), 0);
	assert_int_equal(cookie_date_read((struct span){ "AAA\0B", 5 }), 0);
}

static void value_is(struct server *server, const char *expected)
{
	struct span value = persist_value(server);

	assert_int_equal(value.len, strlen(expected));
	assert_memory_equal(value.ptr, expected, value.len);
}

static void values_of_servers(void **state)
{
	struct cookie_conf cookie = { .dynamic = true };
	struct persist_conf conf = { .cookie = &cookie, .dynamic_key = "secret" };
	struct proxy px = { 0 };
	struct server_state st = { .addr = { .family = AF_INET, .port = 18990 } };
	struct server server = { .proxy = &px, .state = &st };

	(void)state;
	proxy_part_set(&px, &persist_part, &conf);
	st.addr.v4.s_addr = htonl(INADDR_LOOPBACK);
	value_is(&server, "b82ab933e725586b");
	st.addr = (struct addr){ .family = AF_INET6, .v6 = IN6ADDR_LOOPBACK_INIT, .port = 18990 };
	value_is(&server, "2215717c3740d922");
	server.set.cookie = "own";
	value_is(&server, "own");
	server.set.cookie = NULL;
	cookie.dynamic = false;
	value_is(&server, "");
	cookie.dynamic = true;
	st.addr.family = AF_UNIX;
	value_is(&server, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates),
		cmocka_unit_test(values_of_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
