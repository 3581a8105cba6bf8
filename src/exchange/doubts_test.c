/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of configurations that are right, word for word, and that nothing is said of those
 * beside them: each doubt is looked at from both sides. All modules read them, as with -c -dD. */
#include "exchange/doubts.h"

#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>

#define LISTEN "listen l\n bind 127.0.0.1:1\n"
#define FRONT "frontend f\n bind 127.0.0.1:1\n"
#define SERVER " server s 127.0.0.1:80\n"
#define BACKEND "backend b\n" SERVER

/* ---- addresses ------------------------------------------------------------------------------- */

static void addresses_are_listened_on_once(void **state)
{
	(void)state;
	config_says(FRONT " bind 127.0.0.1:2\n default_backend b\n" BACKEND, "");
	config_says(FRONT " default_backend b\n"
		    "frontend g\n bind 127.0.0.1:1\n default_backend b\n" BACKEND,
		    "5 notice: 127.0.0.1:1 is listened on twice, also at test:7 in frontend f: "
		    "connections go to either\n");
	config_says("frontend f\n bind [::1]:1\n bind ::1:1\n default_backend b\n" BACKEND,
		    "3 notice: [::1]:1 is listened on twice, also at test:7 in frontend f: "
		    "connections go to either\n");
	config_says("frontend f\n bind /tmp/x\n bind unix@/tmp/x\n default_backend b\n" BACKEND,
		    "3 notice: /tmp/x is listened on twice, also at test:7 in frontend f: only "
		    "the last one gets connections\n");
}

static void who_is_off_listens_to_nothing(void **state)
{
	(void)state;
	config_says(FRONT " default_backend b\n"
		    "frontend g\n disabled\n bind 127.0.0.1:1\n default_backend b\n" BACKEND, "");
}

static void interfaces_tell_addresses_apart(void **state)
{
	(void)state;
	config_says("frontend f\n bind 127.0.0.1:1 interface lo\n bind 127.0.0.1:1\n "
		    "default_backend b\n"
		    BACKEND, "");
	config_says("frontend f\n bind 127.0.0.1:1 interface lo\n bind 127.0.0.1:1 interface lo\n"
		    " default_backend b\n" BACKEND,
		    "3 notice: 127.0.0.1:1%lo is listened on twice, also at test:7 in frontend f: "
		    "connections go to either\n");
}

/* A socket of datagrams is another one. */
static void datagrams_have_ports_of_their_own(void **state)
{
	(void)state;
	config_says("udp-lb u\n dgram-bind 127.0.0.1:1\n" SERVER
		    FRONT " default_backend b\n" BACKEND, "");
	config_says("udp-lb u\n dgram-bind 127.0.0.1:1\n dgram-bind 127.0.0.1:1\n" SERVER,
		    "3 notice: 127.0.0.1:1 is listened on twice, also at test:7 in udp-lb u: only "
		    "one of them gets what comes\n");
}

/* ---- backends -------------------------------------------------------------------------------- */

static const char no_server[] =
	"4 note: backend 'b' has no server: whoever is led there gets an error\n";

static void backends_have_servers(void **state)
{
	const char *const alone[] = { "http-request return status 200", "redirect location /",
				      "errorfile 503 /dev/null", "stick-table type ip size 1k",
				      "stats uri /s", "dispatch 127.0.0.1:80",
				      "tcp-request content reject", "option transparent",
				      "http-request deny" };
	char text[200];
	size_t i;

	(void)state;
	config_says(FRONT " default_backend b\nbackend b\n", no_server);
	for (i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		snprintf(text, sizeof(text),
			 FRONT " default_backend b\nbackend b\n %s\n", alone[i]);
		config_says(text, "");
	}
	config_says(FRONT " default_backend b\nbackend b\n"
		    " http-response set-header a b\n", no_server);
	config_says(LISTEN,
		    "1 note: listen 'l' has no server: whoever comes gets an error\n");
	config_says(LISTEN " default_backend b\n" BACKEND, "");
	config_says(LISTEN " use_backend b if { path / }\n" BACKEND, "");
}

static void backends_are_led_to(void **state)
{
	(void)state;
	config_says(BACKEND, "1 note: nothing leads to backend 'b'\n");
	config_says("backend b\n",
		    "1 note: backend 'b' has no server: whoever is led there gets an error\n");
	config_says("backend b\n http-request return status 200\n", "");
	config_says(FRONT " use_backend b if { path / }\n" BACKEND, "");
	/* Which names come is known when they come. */
	config_says(FRONT " use_backend %[path]\n" BACKEND, "");
	config_says("backend b\n disabled\n" SERVER, "");
}

static void somebody_is_checked(void **state)
{
	(void)state;
	config_says(LISTEN " option httpchk\n" SERVER,
		    "3 notice: nothing is checked in 'l': no server has the word 'check'\n");
	config_says(LISTEN " option httpchk\n" SERVER " server t 127.0.0.1:81\n",
		    "3 notice: nothing is checked in 'l': no server has the word 'check'\n");
	config_says(LISTEN " option httpchk\n" SERVER " server t 127.0.0.1:81 check\n",
		    "");
	config_says(LISTEN " option httpchk\n http-request return status 200\n", "");
	config_says("defaults\n mode http\n timeout client 5s\n timeout server 5s\n timeout "
		    "connect 5s\n"
		    " option httpchk\nlisten l\n bind 127.0.0.1:1\n" SERVER, "");
}

static void cookies_are_of_both(void **state)
{
	(void)state;
	config_says(LISTEN " server s 127.0.0.1:80 cookie a\n",
		    "3 note: 'cookie' of server 's' has no effect: 'l' has no line 'cookie'\n");
	config_says(LISTEN " cookie c insert\n server s 127.0.0.1:80 cookie a\n", "");
	config_says(LISTEN " cookie c insert\n server s 127.0.0.1:80 cookie a\n"
		    " server t 127.0.0.1:81\n",
		    "5 note: server 't' has no 'cookie': the one of 'l' never leads to it\n");
	config_says(LISTEN " cookie c insert dynamic\n dynamic-cookie-key k\n" SERVER, "");
}

static void tries_have_time(void **state)
{
	(void)state;
	config_says(LISTEN " retries 0\n retry-budget 20\n" SERVER,
		    "1 notice: 'retry-budget' has no effect in 'l': with 'retries 0' nothing is "
		    "tried again\n");
	config_says(LISTEN " retries 1\n retry-budget 20\n" SERVER, "");
	config_says(LISTEN " retries 0\n" SERVER, "");
	config_says(LISTEN " timeout try 5s\n retry-on response-timeout\n" SERVER,
		    "1 notice: 'timeout try' has no effect in 'l': 'timeout server' is not "
		    "longer\n");
	config_says(LISTEN " timeout try 4999\n retry-on response-timeout\n" SERVER, "");
	config_says(LISTEN " timeout try 4999\n retry-on 503\n" SERVER,
		    "1 notice: 'timeout try' ends requests in 'l', and none of them is tried "
		    "again: 'retry-on' lacks 'response-timeout'\n");
}

static void who_keeps_servers_can_take_them(void **state)
{
	(void)state;
	config_says(LISTEN " balance static-rr\n added-servers keep\n" SERVER,
		    "1 notice: 'added-servers keep' has no effect in 'l': 'balance static-rr' "
		    "takes no servers at run time\n");
	config_says(LISTEN " balance static-rr\n" SERVER, "");
}

#define GLOBAL "global\n maxconn 100\n"
#define BEHIND                                                                                    \
	"1 note: this section stands behind others: which of its words they see is not defined\n"

static void limits_can_be_reached(void **state)
{
	(void)state;
	config_says(GLOBAL LISTEN " server s 127.0.0.1:80 maxconn 101\n",
		    BEHIND "5 note: server 's': maxconn 101 is above that of the whole process, "
			   "100\n");
	config_says(GLOBAL LISTEN " server s 127.0.0.1:80 maxconn 100\n", BEHIND);
	config_says(LISTEN " maxconn 10\n server s 127.0.0.1:80 maxconn 11\n",
		    "4 note: server 's': maxconn 11 is never reached: 'l' itself has maxconn 10\n");
	config_says(LISTEN " maxconn 10\n server s 127.0.0.1:80 maxconn 10\n", "");
}

static void servers_have_ports(void **state)
{
	(void)state;
	config_says(LISTEN " server s 127.0.0.1\n",
		    "3 note: server 's' has no port: each connection goes to the port of the "
		    "client's own\n");
	config_says(LISTEN " server s 127.0.0.1:+0\n",
		    "3 note: server 's' has no port: each connection goes to the port of the "
		    "client's own\n");
	config_says(LISTEN " server s 127.0.0.1:+1\n", "");
	config_says(LISTEN " server s /tmp/x\n", "");
}

/* ---- frontends ------------------------------------------------------------------------------- */

static void frontends_lead_somewhere(void **state)
{
	const char *const enough[] = { "http-request deny", "redirect location /", "stats uri /s",
				       "monitor-uri /m", "errorfile 503 /dev/null",
				       "tcp-request content reject", "tcp-request session reject",
				       "tcp-request connection reject" };
	char text[100];
	size_t i;

	(void)state;
	config_says(FRONT,
		    "1 note: frontend 'f' leads to no backend: whoever comes gets an error\n");
	for (i = 0; i < sizeof(enough) / sizeof(enough[0]); i++) {
		snprintf(text, sizeof(text), FRONT " %s\n", enough[i]);
		config_says(text, "");
	}
	config_says("frontend f\n disabled\n bind 127.0.0.1:1\n", "");
}

#define LEADS " default_backend b\n" BACKEND
#define ANSWERS(word) word "' answers all requests of 'f': none comes to a backend\n"

static void somebody_comes_to_a_backend(void **state)
{
	(void)state;
	config_says(FRONT " http-request return status 200\n" LEADS,
		    ANSWERS("3 notice: 'return"));
	config_says(FRONT " http-request return status 200 if { path / }\n" LEADS, "");
	config_says(FRONT " http-request set-header a b\n http-request deny\n" LEADS,
		    ANSWERS("4 notice: 'deny"));
	config_says(FRONT " http-request allow if { path / }\n http-request deny\n"
		    LEADS, "");
	config_says(FRONT " acl never always_false\n http-request allow if never\n"
		    " http-request deny\n" LEADS, ANSWERS("5 notice: 'deny"));
	config_says(FRONT " http-request redirect location /x\n" LEADS,
		    ANSWERS("3 notice: 'redirect"));
	config_says(FRONT " http-request redirect location %[path] ignore-empty\n"
		    LEADS, "");
	config_says(FRONT " http-request return status 200\n", "");
}

/* ---- words of HTTP in mode tcp --------------------------------------------------------------- */

#define TCP(lines)                                                                                \
	"listen l\n mode tcp\n bind 127.0.0.1:1\n" lines "\n" SERVER
#define WITHOUT "1 warning: without effect in 'l', which is in mode tcp: "

static void words_of_http_do_nothing_in_mode_tcp(void **state)
{
	static const struct {
		const char *line, *name;
	} words[] = {
		{ "cookie c insert", "cookie" }, { "monitor-uri /m", "monitor-uri" },
		{ "option forwardfor", "option forwardfor" },
		{ "option originalto", "option originalto" },
		{ "option http-ignore-probes", "option http-ignore-probes" },
		{ "option http-use-proxy-header", "option http-use-proxy-header" },
		{ "option accept-invalid-http-request", "option accept-invalid-http-request" },
		{ "option http-buffer-request", "option http-buffer-request" },
		{ "option http-no-delay", "option http-no-delay" },
		{ "option prefer-last-server", "option prefer-last-server" },
	};
	char text[200], expected[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "listen l\n mode tcp\n bind 127.0.0.1:1\n %s\n"
			 " server s 127.0.0.1:80 cookie a\n", words[i].line);
		snprintf(expected, sizeof(expected), WITHOUT "'cookie'%s%s%s\n", i ? ", '" : "",
			 i ? words[i].name : "", i ? "'" : "");
		config_says(text, expected);
	}
	config_says(TCP(" option forwardfor\n option http-no-delay"),
		    WITHOUT "'option forwardfor', 'option http-no-delay'\n");
	config_says(TCP(""), "");
}

static void servers_beside_default_backend_are_hidden(void **state)
{
	(void)state;
	config_says(LISTEN " default_backend b\n" SERVER BACKEND,
		    "3 warning: the servers of 'l' are never used: 'default_backend' takes what no "
		    "'use_backend' does\n");
	config_says(LISTEN " use_backend b if { path / }\n" SERVER BACKEND, "");
}

/* ---- names ----------------------------------------------------------------------------------- */

static void acls_are_used(void **state)
{
	(void)state;
	config_says(LISTEN " acl a path /\n" SERVER, "3 note: ACL 'a' is never used\n");
	config_says(LISTEN " acl a path /\n http-request deny if a\n" SERVER, "");
}

static void nothing_is_said_behind_errors(void **state)
{
	(void)state;
	config_says("backend b\n nonsense\n", "2 error: unknown word 'nonsense'\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_listened_on_once),
		cmocka_unit_test(who_is_off_listens_to_nothing),
		cmocka_unit_test(interfaces_tell_addresses_apart),
		cmocka_unit_test(datagrams_have_ports_of_their_own),
		cmocka_unit_test(backends_have_servers),
		cmocka_unit_test(backends_are_led_to),
		cmocka_unit_test(somebody_is_checked),
		cmocka_unit_test(cookies_are_of_both),
		cmocka_unit_test(tries_have_time),
		cmocka_unit_test(who_keeps_servers_can_take_them),
		cmocka_unit_test(limits_can_be_reached),
		cmocka_unit_test(servers_have_ports),
		cmocka_unit_test(frontends_lead_somewhere),
		cmocka_unit_test(somebody_comes_to_a_backend),
		cmocka_unit_test(words_of_http_do_nothing_in_mode_tcp),
		cmocka_unit_test(servers_beside_default_backend_are_hidden),
		cmocka_unit_test(acls_are_used),
		cmocka_unit_test(nothing_is_said_behind_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
