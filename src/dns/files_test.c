/* SPDX-License-Identifier: BSD-2-Clause */
/* Names, addresses, /etc/hosts and /etc/resolv.conf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dns/files.h"

static void is_name(const char *text, const char *wanted)
{
	char name[DNS_NAME_MOST + 1];
	size_t len = dns_name(span_of(text), name);

	assert_int_equal(len, wanted ? strlen(wanted) : 0);
	if (wanted)
		assert_string_equal(name, wanted);
}

static void takes_names(void **state)
{
	char name[DNS_NAME_MOST + 4];

	(void)state;
	is_name("example.com", "example.com");
	is_name("Example.COM.", "example.com");
	is_name("_http._tcp.x-1.example", "_http._tcp.x-1.example");
	is_name("1.2.3.a4", "1.2.3.a4");
	is_name("localhost", "localhost");
	is_name("", NULL);
	is_name(".", NULL);
	is_name("a..b", NULL);
	is_name(".a", NULL);
	is_name("-a.b", NULL);
	is_name("a b", NULL);
	is_name("a/b", NULL);
	is_name("\xc3\xa4.example", NULL);
	is_name("1.2.3.4", NULL); /* an address, in whatever form */
	is_name("1.2.3.400", NULL);
	is_name("12345", NULL);
	memset(name, 'a', sizeof(name));
	name[64] = 0;
	is_name(name, NULL);
	name[63] = 0;
	is_name(name, name);
	memset(name, 'a', sizeof(name));
	name[63] = name[127] = name[191] = '.';
	name[253] = 0;
	is_name(name, name);
	memcpy(name + 253, "a", 2);
	is_name(name, NULL);
}

static void takes_addresses(void **state)
{
	static const char *const bad[] = { "", "1.2.3", "1.2.3.4.5", "[1.2.3.4]", "[::1", "::1]", "[]",
					   ":", "1.2.3.4 ", "fe80::1%lo", "localhost" };
	struct addr addr;
	size_t i;

	(void)state;
	assert_true(dns_literal(span_of("192.0.2.1"), &addr));
	assert_int_equal(addr.family, AF_INET);
	assert_int_equal(addr.port, 0);
	assert_true(dns_literal(span_of("2001:db8::1"), &addr));
	assert_int_equal(addr.family, AF_INET6);
	assert_true(dns_literal(span_of("[::ffff:192.0.2.1]"), &addr));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (dns_literal(span_of(bad[i]), &addr))
			fail_msg("'%s' is taken for an address", bad[i]);
	assert_false(dns_literal((struct span){ "1.2.3.4\0x", 9 }, &addr));
}

static void next_server(struct span *rest, struct dns_server_line *line, unsigned number,
			const char *word, uint16_t family)
{
	assert_true(dns_servers_next(rest, line));
	assert_int_equal(line->number, number);
	assert_true(span_equal(line->word, span_of(word)));
	assert_int_equal(line->good, family != AF_UNSPEC);
	if (family) {
		assert_int_equal(line->addr.family, family);
		assert_int_equal(line->addr.port, 53);
	}
}

static void reads_resolv_conf(void **state)
{
	struct span rest = span_of("# a comment\nsearch a b\nnameserver 192.0.2.1 # this one\n"
				   "nameserver\t2001:db8::1\nnameserver x\n nameserver 192.0.2.2\n"
				   "nameserverx 192.0.2.3\n;nameserver 192.0.2.4\noptions ndots:5\n"
				   "nameserver\nnameserver 192.0.2.5");
	struct dns_server_line line = { 0 };

	(void)state;
	next_server(&rest, &line, 3, "192.0.2.1", AF_INET);
	assert_int_equal(line.addr.v4.s_addr, htonl(0xc0000201));
	next_server(&rest, &line, 4, "2001:db8::1", AF_INET6);
	next_server(&rest, &line, 5, "x", AF_UNSPEC);
	next_server(&rest, &line, 6, "192.0.2.2", AF_INET);
	next_server(&rest, &line, 10, "", AF_UNSPEC);
	next_server(&rest, &line, 11, "192.0.2.5", AF_INET);
	assert_false(dns_servers_next(&rest, &line));
	rest = span_of("");
	assert_false(dns_servers_next(&rest, &line));
}

static void reads_hosts(void **state)
{
	struct dns_hosts *h = dns_hosts_parse(span_of("127.0.0.1 localhost\r\n::1 localhost ip6-localhost\n"
						      "192.0.2.1\tWeb.Example web # a comment\n"
						      "nonsense web\n\n192.0.2.2 web a_b 1.2.3.4\n192.0.2.3"));
	struct addr addr[2];

	(void)state;
	assert_non_null(h);
	assert_int_equal(dns_hosts_find(h, span_of("localhost"), addr, 2), 2);
	assert_int_equal(addr[0].family, AF_INET);
	assert_int_equal(addr[1].family, AF_INET6);
	assert_int_equal(dns_hosts_find(h, span_of("web"), addr, 2), 2);
	assert_int_equal(addr[0].v4.s_addr, htonl(0xc0000201));
	assert_int_equal(addr[1].v4.s_addr, htonl(0xc0000202));
	assert_int_equal(dns_hosts_find(h, span_of("web"), addr, 1), 2);
	assert_int_equal(dns_hosts_find(h, span_of("web.example"), addr, 2), 1);
	assert_int_equal(dns_hosts_find(h, span_of("a_b"), addr, 2), 1);
	assert_int_equal(dns_hosts_find(h, span_of("we"), addr, 2), 0);
	assert_int_equal(dns_hosts_find(h, span_of("comment"), addr, 2), 0);
	assert_int_equal(dns_hosts_find(h, span_of("1.2.3.4"), addr, 2), 0);
	dns_hosts_free(&h);
	assert_null(h);
}

static void reads_no_hosts(void **state)
{
	struct dns_hosts *h = dns_hosts_parse(span_of(""));
	struct addr addr;

	(void)state;
	assert_non_null(h);
	assert_int_equal(dns_hosts_find(h, span_of("a"), &addr, 1), 0);
	dns_hosts_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_names),
		cmocka_unit_test(takes_addresses),
		cmocka_unit_test(reads_resolv_conf),
		cmocka_unit_test(reads_hosts),
		cmocka_unit_test(reads_no_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
