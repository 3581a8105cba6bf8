/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers that send a body behind an answer that has none: nobody else's request may be answered by
 * it, so their connections are shared no more. Clients are sockets of the Unix family, servers are
 * scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>

#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define HEAD "HEAD /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       "listen l\n bind 127.0.0.1:1\n http-reuse always\n server s abns@%s\n");
	return 0;
}

static struct server *server(void)
{
	return world_backend("l")->servers;
}

static int afresh(void **state)
{
	(void)state;
	served_afresh();
	server()->speaks_unasked = false;
	return 0;
}

static void asks(const char *request)
{
	int client = visitor_comes("l", request);

	assert_memory_equal(visitor_hears(client), "HTTP/1.1 ", 9);
	visitor_leaves(client);
}

static void says_later(const char *bytes)
{
	assert_int_equal(send(served.by, bytes, strlen(bytes), MSG_NOSIGNAL), strlen(bytes));
	pass(0);
}

static void an_answer_without_body_shares_its_connection(void **state)
{
	(void)state;
	served.says = ANSWER;
	asks(HEAD);
	assert_int_equal(server()->idle_count, 1);
	asks(HEAD);
	assert_int_equal(server()->idle_count, 1);
	assert_int_equal(server()->conns, 1);
	assert_false(server()->speaks_unasked);
}

static void one_with_a_body_does_not(void **state)
{
	static const char *const says[] = {
		ANSWER "hello", "HTTP/1.1 204 N\r\n\r\nhello", "HTTP/1.1 304 N\r\n\r\nhello",
	};
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		server()->speaks_unasked = false;
		served.says = says[i];
		asks(i ? GET : HEAD);
		assert_true(server()->speaks_unasked);
		assert_int_equal(server()->conns, 0);
		served.says = NULL;
		asks(GET);
		assert_int_equal(server()->conns, 0);
	}
}

static void nor_does_one_whose_body_comes_later(void **state)
{
	(void)state;
	served.says = ANSWER;
	asks(HEAD);
	assert_int_equal(server()->conns, 1);
	says_later("hello");
	assert_true(server()->speaks_unasked);
	assert_int_equal(server()->conns, 0);
}

/* A server may tell why it leaves. */
static void a_farewell_is_no_body(void **state)
{
	(void)state;
	served.says = ANSWER;
	asks(HEAD);
	says_later("HTTP/1.1 408 Timeout\r\n\r\n");
	assert_int_equal(server()->conns, 0);
	assert_false(server()->speaks_unasked);
	asks(HEAD);
	says_later("HTTP/1.1 200 OK\r\n\r\n");
	assert_int_equal(server()->conns, 0);
	assert_true(server()->speaks_unasked);
	server()->speaks_unasked = false;
	asks(HEAD);
	says_later("HTTP/2.0 408 Timeout\r\n\r\n");
	assert_true(server()->speaks_unasked);
	server()->speaks_unasked = false;
	asks(HEAD);
	says_later("HTTP/1.1 40");
	assert_true(server()->speaks_unasked);
}

/* Behind a body bytes are none of another one. */
static void bytes_behind_a_body_are_no_answer_without(void **state)
{
	(void)state;
	asks(GET);
	says_later("hello");
	assert_int_equal(server()->conns, 0);
	assert_false(server()->speaks_unasked);
	served.says = ANSWER "hello" "hello";
	asks(GET);
	assert_int_equal(server()->conns, 0);
	assert_false(server()->speaks_unasked);
}

/* Those that wait are closed. */
static void nobody_gets_the_others(void **state)
{
	int first, second, first_by;

	(void)state;
	served.says = "";
	first = visitor_comes("l", GET);
	first_by = served.by;
	second = visitor_comes("l", GET);
	says_later(ANSWER "hello");
	served.by = first_by;
	says_later(ANSWER "hello");
	assert_int_equal(server()->idle_count, 2);
	served.says = ANSWER "hello";
	asks(HEAD);
	assert_int_equal(server()->idle_count, 0);
	assert_int_equal(server()->conns, 0);
	visitor_leaves(first);
	visitor_leaves(second);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer_without_body_shares_its_connection),
		EACH(one_with_a_body_does_not),
		EACH(nor_does_one_whose_body_comes_later),
		EACH(a_farewell_is_no_body),
		EACH(bytes_behind_a_body_are_no_answer_without),
		EACH(nobody_gets_the_others),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
