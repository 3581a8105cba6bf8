/* SPDX-License-Identifier: BSD-2-Clause */
/* The times that are told of an exchange (%TR %Tw %Tc %Tr): what was waited for belongs to the
 * request until all of it is here that somebody wants to see, and to its server from then on.
 * Clients are sockets of the Unix family, servers are scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "exchange/test_served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define TIMED " http-after-response set-header X-T %TR/%Tw/%Tc/%Tr\n"
#define POST(path) "POST " path " HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP " timeout queue 30s\n timeout http-request 40s\n"
		       "frontend f\n bind 127.0.0.1:1\n" TIMED
		       " http-request wait-for-body time 10s if { path /wait /denied }\n"
		       " http-request deny if { path /denied }\n"
		       " use_backend buffered if { path /buffered }\n"
		       " use_backend one if { path /one }\n default_backend b\n"
		       "backend b\n server s abns@%s\n"
		       "backend buffered\n option http-buffer-request\n server s abns@%s\n"
		       "backend one\n server s abns@%s maxconn 1\n");
	return 0;
}

static int afresh(void **state)
{
	served_world_afresh(state);
	served.says = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	return 0;
}

/* The answer has come. */
static void times_are(int client, const char *expected)
{
	const char *answer = visitor_hears(client), *field = strcasestr(answer, "\r\nx-t: ");
	char times[100] = "";

	assert_non_null(field);
	sscanf(field, "\r\n%*s%99s", times);
	assert_string_equal(times, expected);
	visitor_leaves(client);
}

static void a_head_takes_its_time(void **state)
{
	int client = visitor_comes("f", "GET / HTTP/1.1\r\n");

	(void)state;
	pass(1500);
	visitor_says(client, "Host: a\r\n\r\n");
	times_are(client, "1500/0/0/0");
}

static void so_does_a_body_that_is_waited_for(void **state)
{
	static const char *const paths[] = { POST("/wait"), POST("/buffered") };
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		int client = visitor_comes("f", paths[i]);

		pass(1700);
		assert_string_equal(visitor_hears(client), "");
		visitor_says(client, "body");
		times_are(client, "1700/0/0/0");
	}
}

static void also_where_nobody_gets_it(void **state)
{
	int client = visitor_comes("f", POST("/denied"));

	(void)state;
	pass(1900);
	visitor_says(client, "body");
	times_are(client, "1900/-1/-1/-1");
}

/* A body that nobody waits for is no time of the request. */
static void one_that_is_not_does_not(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("f", POST("/"));
	pass(1100);
	served.says = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	visitor_says(client, "body");
	times_are(client, "0/0/0/1100");
}

static void a_server_takes_its_time(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("f", GET("/"));
	pass(2100);
	assert_int_equal(send(served.by, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 38, 0), 38);
	pass(0);
	times_are(client, "0/0/0/2100");
}

/* There is one place, which somebody has. */
static void so_does_a_queue(void **state)
{
	int first, second;

	(void)state;
	served.says = "";
	first = visitor_comes("f", GET("/one"));
	second = visitor_comes("f", GET("/one"));
	pass(2300);
	assert_int_equal(served.asked, 1);
	served.says = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	assert_int_equal(send(served.by, served.says, strlen(served.says), 0), strlen(served.says));
	pass(0);
	assert_memory_equal(visitor_hears(first), "HTTP/1.1 200 ", 13);
	times_are(second, "0/2300/0/0");
	visitor_leaves(first);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(a_head_takes_its_time),
		EACH(so_does_a_body_that_is_waited_for),
		EACH(also_where_nobody_gets_it),
		EACH(one_that_is_not_does_not),
		EACH(a_server_takes_its_time),
		EACH(so_does_a_queue),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
