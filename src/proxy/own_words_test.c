/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words of proxies and servers that have parsers of their own (those that are rows of a table:
 * words_test.c): what each comes to, what holds without it, and every message. And the doubts about
 * times that are right, but hardly meant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/agent_conf.h"
#include "proxy/check_target.h"
#include "proxy/observe_conf.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "proxy/test_words.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What is said of one line, without its number. */
static void assert_said(const char *expected)
{
	assert_string_equal(said + strspn(said, "0123456789 "), expected);
}

static void what_holds_without_words(void **state)
{
	const struct server_settings *set;

	(void)state;
	read_lines("backend p\n server s 192.0.2.1:80\n");
	assert_string_equal(said, "");
	assert_int_equal(last_proxy()->set.mode, MODE_TCP);
	assert_false(last_proxy()->set.mode_given);
	assert_int_equal(last_proxy()->set.redispatch_interval, -1);
	assert_int_equal(last_proxy()->set.retry_on, RETRY_CONN_FAILURE);
	assert_int_equal(last_proxy()->set.balance_draws, 2);
	assert_true(all()->global.strict_limits);
	set = &last_server()->set;
	assert_int_equal(observe_conf_of(last_server())->on_error, ON_ERROR_FAIL_CHECK);
	assert_int_equal(set->init_addr[0], INIT_ADDR_LAST);
	assert_int_equal(set->init_addr[1], INIT_ADDR_LIBC);
	assert_int_equal(set->init_addr[2], INIT_ADDR_END);
}

static void redispatch(void **state)
{
	static const struct {
		const char *line;
		int interval;
	} cases[] = {
		{ "option redispatch", -1 },    { "option redispatch 1", 1 },
		{ "option redispatch -3", -3 }, { "option redispatch 0", 0 },
		{ "no option redispatch", -1 }, { "default option redispatch", -1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("defaults\n option redispatch 9\nbackend p\n %s\n", cases[i].line);
		assert_string_equal(said, "");
		assert_int_equal(last_proxy()->set.redispatch_interval, cases[i].interval);
	}
	read_lines("backend p\n option redispatch x\n");
	assert_said("error: the interval of 'option redispatch' must be a number from "
				  "-2147483648 to 2147483647, not 'x'\n");
}

/* The last of the three holds; "no" takes back the one that it names. */
static void ways_to_keep_connections(void **state)
{
	static const struct {
		const char *lines;
		uint64_t on;
	} cases[] = {
		{ "option http-server-close\n option httpclose", OPT_HTTP_CLOSE },
		{ "option httpclose\n option http-keep-alive", OPT_KEEP_ALIVE },
		{ "option http-keep-alive\n option http-server-close", OPT_SERVER_CLOSE },
		{ "option httpclose\n no option http-server-close", OPT_HTTP_CLOSE },
		{ "option httpclose\n default option http-server-close", OPT_HTTP_CLOSE },
		{ "option httpclose\n no option httpclose", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("listen p\n %s\n", cases[i].lines);
		assert_string_equal(said, "");
		assert_int_equal(last_proxy()->set.options.on, cases[i].on);
	}
}

static void kernel_relay(void **state)
{
	static const struct {
		const char *lines;
		uint64_t on;
	} cases[] = {
		{ "option kernel-relay auto", OPT_KERNEL_RELAY_AUTO },
		{ "option kernel-relay auto\n option kernel-relay", OPT_KERNEL_RELAY },
		{ "option kernel-relay\n option kernel-relay auto", OPT_KERNEL_RELAY_AUTO },
		{ "option kernel-relay auto\n no option kernel-relay", 0 },
		{ "option kernel-relay auto\n default option kernel-relay", 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("listen p\n %s\n", cases[i].lines);
		assert_string_equal(said, "");
		assert_int_equal(last_proxy()->set.options.on, cases[i].on);
	}
	read_lines("listen p\n option tcpka\n");
	assert_int_equal(last_proxy()->set.options.on, OPT_CLITCPKA | OPT_SRVTCPKA);
	read_lines("listen p\n transparent\n");
	assert_int_equal(last_proxy()->set.options.on, OPT_TRANSPARENT);
}

static void retry_on(void **state)
{
	static const struct {
		const char *words;
		unsigned bits;
	} cases[] = {
		{ "conn-failure", RETRY_CONN_FAILURE },
		{ "empty-response", RETRY_EMPTY },
		{ "junk-response", RETRY_JUNK },
		{ "response-timeout", RETRY_TIMEOUT },
		{ "0rtt-rejected", RETRY_0RTT },
		{ "none", 0 },
		{ "401", RETRY_STATUS << 0 },
		{ "403", RETRY_STATUS << 1 },
		{ "404", RETRY_STATUS << 2 },
		{ "408", RETRY_STATUS << 3 },
		{ "425", RETRY_STATUS << 4 },
		{ "500", RETRY_STATUS << 5 },
		{ "501", RETRY_STATUS << 6 },
		{ "502", RETRY_STATUS << 7 },
		{ "503", RETRY_STATUS << 8 },
		{ "504", RETRY_STATUS << 9 },
		{ "421", RETRY_STATUS << 10 },
		{ "429", RETRY_STATUS << 11 },
		{ "empty-response 503 junk-response",
		  RETRY_EMPTY | RETRY_JUNK | RETRY_STATUS << 8 },
		{ "all-retryable-errors", RETRY_CONN_FAILURE | RETRY_EMPTY | RETRY_JUNK |
						  RETRY_TIMEOUT | RETRY_0RTT | RETRY_STATUS << 5 |
						  RETRY_STATUS << 7 | RETRY_STATUS << 8 |
						  RETRY_STATUS << 9 },
	};
	static const char *const wrong[] = { "505", "200", "x", "-503", "1000", "" };
	char expected[300];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("defaults\n retry-on junk-response\nbackend p\n retry-on %s\n",
			   cases[i].words);
		assert_string_equal(said, "");
		assert_int_equal(last_proxy()->set.retry_on, cases[i].bits);
	}
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		read_lines("backend p\n retry-on 503 \"%s\"\n", wrong[i]);
		snprintf(expected, sizeof(expected),
			 "error: '%s' is no condition of 'retry-on': none, conn-failure, "
			 "empty-response, junk-response, response-timeout, 0rtt-rejected, "
			 "all-retryable-errors, or 401 403 404 408 421 425 429 500 501 502 503 "
			 "504\n", wrong[i]);
		assert_said(expected);
	}
	read_lines("backend p\n retry-on none 503\n");
	assert_said("error: 'none' stands alone in 'retry-on'\n");
	read_lines("backend p\n retry-on 503 none\n");
	assert_said("error: 'none' stands alone in 'retry-on'\n");
	read_lines("backend p\n retry-on\n");
	assert_said("error: conditions such as conn-failure, empty-response or 503 "
				  "expected here\n");
}

static void budget_is(bool given, unsigned percent, unsigned least)
{
	const struct retry_budget *b = &last_proxy()->set.budget;

	assert_string_equal(said, "");
	assert_int_equal(b->given, given);
	assert_int_equal(b->percent, percent);
	assert_int_equal(b->least, least);
}

static void retry_budget(void **state)
{
	(void)state;
	read_lines("backend p\n");
	budget_is(false, 0, 0);
	read_lines("backend p\n retry-budget 20\n");
	budget_is(true, 20, 3);
	read_lines("backend p\n retry-budget 0\n");
	budget_is(true, 0, 3);
	read_lines("backend p\n retry-budget 100 min 0\n");
	budget_is(true, 100, 0);
	read_lines("defaults\n retry-budget 20 min 2147483647\nbackend p\n");
	budget_is(true, 20, INT_MAX);
	read_lines("defaults\n retry-budget 20\nbackend p\n no retry-budget\n");
	budget_is(false, 0, 0);
	read_lines("backend p\n retry-budget 101\n");
	assert_said("error: retry-budget must be a number from 0 to 100, not '101'\n");
	read_lines("backend p\n retry-budget -1\n");
	assert_said("error: retry-budget must be a number from 0 to 100, not '-1'\n");
	read_lines("backend p\n retry-budget 20 min -1\n");
	assert_said("error: min must be a number from 0 to 2147483647, not '-1'\n");
}

static void words_of_one_section(void **state)
{
	(void)state;
	read_lines("frontend p\n description  two \"words  more\" end\n default_backend q\n id 7\n"
		   " guid a.b\n disabled\n");
	assert_string_equal(said, "");
	assert_string_equal(last_proxy()->description, "two words  more end");
	assert_string_equal(last_proxy()->set.default_backend, "q");
	assert_int_equal(last_proxy()->set.default_backend_loc.line, 3);
	assert_int_equal(last_proxy()->uuid, 7);
	assert_string_equal(last_proxy()->guid, "a.b");
	assert_true(last_proxy()->set.disabled);
	read_lines("defaults\n disabled\nbackend p\n enabled\n be-unpublished\n");
	assert_string_equal(said, "");
	assert_false(last_proxy()->set.disabled);
	assert_true(last_proxy()->starts_unpublished);
	read_lines("frontend p\n default_backend \"\"\n");
	assert_said("error: the name of a backend is empty\n");
	read_lines("frontend p\n description\n");
	assert_said("error: a description expected here\n");
	read_lines("global\n no strict-limits\n");
	assert_string_equal(said, "");
	assert_false(all()->global.strict_limits);
	read_lines("frontend p\n id 0\n");
	assert_said("error: 'id' must be a number from 1 to 2147483647, not '0'\n");
}

/* ---- doubts about times ------------------------------------------------------------------ */

static void doubtful_times(void **state)
{
	static const struct {
		const char *word, *value, *doubt;
	} cases[] = {
		{ "client", "99ms", "short: whoever is silent for that long is cut off" },
		{ "client", "100ms", NULL },
		{ "client", "99", NULL }, /* said of the missing unit */
		{ "client", "0ms", NULL },
		{ "server", "1ms", "short: whoever is silent for that long is cut off" },
		{ "tunnel", "50ms", "short: whoever is silent for that long is cut off" },
		{ "connect", "50ms", NULL },
		{ "client", "23h", NULL },
		{ "client", "1d", "long: whoever is dead or silent is waited for that long" },
		{ "server", "24h", "long: whoever is dead or silent is waited for that long" },
		{ "tunnel", "2d", NULL },
		{ "connect", "299s", NULL },
		{ "connect", "5m", "long: whoever is dead or silent is waited for that long" },
		{ "queue", "5m", "long: whoever is dead or silent is waited for that long" },
		{ "check", "5m", "long: whoever is dead or silent is waited for that long" },
		{ "http-request", "5m", "long: whoever is dead or silent is waited for that long" },
		{ "http-keep-alive", "5m", NULL },
		{ "client-fin", "5m", NULL },
		{ "http-keep-alive", "1d",
		  "long: whoever is dead or silent is waited for that long" },
	};
	char expected[200];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("listen p\n timeout %s %s\n", cases[i].word, cases[i].value);
		snprintf(expected, sizeof(expected), "note: timeout %s: %s is %s\n", cases[i].word,
			 cases[i].value, cases[i].doubt ? cases[i].doubt : "");
		if (cases[i].doubt)
			assert_said(expected);
		else if (strcmp(cases[i].value, "99") != 0)
			assert_string_equal(said, "");
		else
			assert_said("note: 'timeout client': '99' without a unit is "
						  "99 ms\n");
	}
}

/* ---- words of server lines with code of their own ---------------------------------------- */

static void port_and_address_of_checks(void **state)
{
	(void)state;
	read_lines("backend p\n server s 192.0.2.1:80 check port 0\n");
	assert_int_equal(check_target_of(last_server())->port, 0);
	assert_int_equal(last_server()->set.options.on, SRV_CHECK | SRV_CHECK_PORT);
	read_lines("backend p\n server s 192.0.2.1:80 check port 65535 addr 192.0.2.9\n");
	assert_string_equal(said, "");
	assert_int_equal(check_target_of(last_server())->port, 65535);
	assert_int_equal(last_server()->set.options.on, SRV_CHECK | SRV_CHECK_PORT | SRV_CHECK_ADDR);
	assert_int_equal(check_target_of(last_server())->addr.v4.s_addr, htonl(0xc0000209));
	read_lines("backend p\n server s 192.0.2.1:80 check port 65536\n");
	assert_said("error: port must be a number from 0 to 65535, not '65536'\n");
	read_lines("backend p\n server s 192.0.2.1:80 check addr\n");
	assert_said("error: the address for health checks expected here\n");
	read_lines("backend p\n server s 192.0.2.1:80 socks4 192.0.2.8:1080\n");
	assert_string_equal(said, "");
	assert_int_equal(last_server()->set.socks4.port, 1080);
	read_lines("backend p\n server s 192.0.2.1:80 socks4\n");
	assert_said("error: the address and port of a SOCKS4 proxy expected here\n");
}

static void words_of_agents(void **state)
{
	static struct proxy_part *const no_parts[] = { NULL };
	static struct server_part *const parts[] = { &agent_conf_part, NULL };
	const struct agent_conf *agent;

	(void)state;
	parts_install(no_parts, parts);
	read_lines("backend p\n server s 192.0.2.1:80 agent-check\n");
	assert_int_equal(agent_conf_of(last_server())->inter, 2000);
	assert_int_equal(server_agent_port(last_server()), 0);
	assert_ptr_equal(server_where_agent(last_server()), &check_target_of(last_server())->addr);
	read_lines("backend p\n default-server agent-inter 7s agent-port 65535 agent-send hi\n"
		   " server s 192.0.2.1:80 agent-check agent-addr 192.0.2.9 port 1\n");
	assert_string_equal(said, "");
	agent = agent_conf_of(last_server());
	assert_int_equal(agent->inter, 7000);
	assert_int_equal(agent->port, 65535);
	assert_string_equal(agent->send, "hi");
	assert_int_equal(server_agent_port(last_server()), 65535);
	assert_int_equal(server_where_agent(last_server())->v4.s_addr, htonl(0xc0000209));
	assert_int_equal(last_server()->set.options.on,
			 SRV_AGENT_CHECK | SRV_AGENT_ADDR | SRV_CHECK_PORT);
	/* What a server has changed is not its neighbours'. */
	assert_int_equal(agent_conf_of(&(struct server){ .set = last_proxy()->set.server })->addr.family,
			 AF_UNSPEC);
	read_lines("backend p\n server s 192.0.2.1:80 agent-check port 9 addr 192.0.2.7\n");
	assert_int_equal(server_agent_port(last_server()), 9);
	assert_int_equal(server_where_agent(last_server())->v4.s_addr, htonl(0xc0000207));
	read_lines("backend p\n server s 192.0.2.1:80 agent-port 0\n");
	assert_said("error: 'agent-port' must be a number from 1 to 65535, not '0'\n");
	read_lines("backend p\n server s 192.0.2.1:80 agent-inter 0\n");
	assert_said("error: 'agent-inter' must be from 1ms to 2147483647ms, not '0'\n");
	read_lines("backend p\n server s 192.0.2.1:80 agent-addr\n");
	assert_said("error: the address of the agent expected here\n");
	proxy_parts = NULL;
	server_parts = NULL;
}

static void init_addr(void **state)
{
	const uint8_t *m;

	(void)state;
	read_lines("backend p\n server s 192.0.2.1:80 init-addr libc,none,last,192.0.2.77\n");
	assert_string_equal(said, "");
	m = last_server()->set.init_addr;
	assert_int_equal(m[0], INIT_ADDR_LIBC);
	assert_int_equal(m[1], INIT_ADDR_NONE);
	assert_int_equal(m[2], INIT_ADDR_LAST);
	assert_int_equal(m[3], INIT_ADDR_IP);
	assert_int_equal(last_server()->set.init_ip.v4.s_addr, htonl(0xc000024d));
	read_lines("backend p\n server s 192.0.2.1:80 init-addr none\n");
	m = last_server()->set.init_addr;
	assert_int_equal(m[0], INIT_ADDR_NONE);
	assert_int_equal(m[1], INIT_ADDR_END);
	read_lines("backend p\n server s 192.0.2.1:80 init-addr last,last,last,last,last\n");
	assert_said("error: 'init-addr' takes at most 4 methods\n");
	read_lines("backend p\n server s 192.0.2.1:80 init-addr lst\n");
	assert_said("error: 'lst' is not known to 'init-addr': last, libc, none or an "
				  "address expected\n");
	read_lines("backend p\n server s 192.0.2.1:80 init-addr\n");
	assert_said("error: a list of last, libc, none and addresses expected here\n");
}

static void strings_of_servers(void **state)
{
	(void)state;
	read_lines("backend p\n default-server namespace ns redir http://x track q/t\n"
		   " server s 192.0.2.1:80 id 9 guid g\n");
	assert_string_equal(said, "");
	assert_string_equal(last_server()->set.namespace, "ns");
	assert_string_equal(last_server()->set.redir, "http://x");
	assert_string_equal(last_server()->set.track, "q/t");
	assert_int_equal(last_server()->puid, 9);
	assert_string_equal(last_server()->guid, "g");
	assert_int_equal(last_server()->loc.line, 3);
	read_lines("backend p\n default-server id 9\n");
	assert_said("error: 'id' cannot be given by default-server\n");
	read_lines("backend p\n default-server guid 9\n");
	assert_said("error: 'guid' cannot be given by default-server: no two servers "
				  "have the same\n");
}

static void wrong_names_of_servers(void **state)
{
	static const struct {
		const char *words, *said;
	} cases[] = {
		{ "proto fcgi", "error: FastCGI is not supported yet\n" },
		{ "proto h3", "error: 'h3' is not a known protocol | none, h1 or h2\n" },
		{ "proto", "error: protocol expected here | none, h1 or h2\n" },
		{ "ws h3", "error: 'h3' is not a known way for WebSocket | auto, h1 or h2\n" },
		{ "on-marked-down x", "error: 'on-marked-down' takes 'shutdown-sessions'\n" },
		{ "on-marked-up", "error: 'on-marked-up' takes 'shutdown-backup-sessions'\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		read_lines("backend p\n server s 192.0.2.1:80 %s\n", cases[i].words);
		assert_said(cases[i].said);
	}
}

/* ---- source ------------------------------------------------------------------------------ */

static const struct source_conf *source(const char *words)
{
	read_lines("backend p\n server s 192.0.2.1:80 source %s\n", words);
	assert_string_equal(said, "");
	assert_true(last_server()->set.source.set);
	return &last_server()->set.source;
}

static void where_connections_come_from(void **state)
{
	const struct source_conf *src;

	(void)state;
	src = source("192.0.2.9:1000-2000 interface lo");
	assert_int_equal(src->addr.v4.s_addr, htonl(0xc0000209));
	assert_int_equal(src->addr.port, 1000);
	assert_int_equal(src->last_port, 2000);
	assert_string_equal(src->interface, "lo");
	assert_int_equal(src->usesrc, USESRC_NONE);
	assert_int_equal(source("*")->addr.family, AF_UNSPEC);
	assert_int_equal(source("0.0.0.0")->addr.family, AF_UNSPEC);
	assert_int_equal(source("*:77")->addr.family, AF_INET);
	assert_int_equal(source("*:77")->addr.port, 77);
	assert_int_equal(source("[::1]")->addr.family, AF_INET6);
	assert_int_equal(source("* usesrc client")->usesrc, USESRC_CLIENT);
	assert_int_equal(source("* usesrc clientip")->usesrc, USESRC_CLIENTIP);
	src = source("* interface lo usesrc 192.0.2.3:5");
	assert_int_equal(src->usesrc, USESRC_ADDR);
	assert_int_equal(src->usesrc_addr.v4.s_addr, htonl(0xc0000203));
	assert_int_equal(src->usesrc_addr.port, 5);
	assert_string_equal(src->interface, "lo");
	src = source("* usesrc hdr_ip(x-forwarded-for,-1)");
	assert_int_equal(src->usesrc, USESRC_HDR);
	assert_string_equal(src->usesrc_text, "hdr_ip(x-forwarded-for,-1)");
}

static void wrong_sources(void **state)
{
	(void)state;
	read_lines("backend p\n source 192.0.2.9:1000 usesrc clientip\n");
	assert_string_equal(said, "");
	assert_int_equal(last_proxy()->set.source.addr.port, 1000);
	assert_int_equal(last_proxy()->set.source.usesrc, USESRC_CLIENTIP);
	read_lines("backend p\n source\n");
	assert_said("error: an address, or '*', expected here\n");
	read_lines("backend p\n source * usesrc\n");
	assert_said("error: an address, client, clientip or hdr_ip(...) expected here\n");
	assert_false(last_proxy()->set.source.set);
	read_lines("backend p\n source * interface\n");
	assert_said("error: the name of an interface expected here\n");
	assert_false(last_proxy()->set.source.set);
	read_lines("backend p\n source 192.0.2.9:1000-2000\n");
	assert_non_null(strstr(said, "error: "));
	assert_false(last_proxy()->set.source.set);
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_holds_without_words), TEST(redispatch), TEST(ways_to_keep_connections),
		TEST(kernel_relay), TEST(retry_on), TEST(retry_budget), TEST(words_of_one_section),
		TEST(doubtful_times), TEST(port_and_address_of_checks), TEST(words_of_agents),
		TEST(init_addr), TEST(strings_of_servers), TEST(wrong_names_of_servers),
		TEST(where_connections_come_from), TEST(wrong_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
