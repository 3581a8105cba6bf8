/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of bytes that become HTTP in the middle: from then on they are waited for as exchanges
 * are. Clients are sockets of the Unix family, servers are scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "exchange/test_served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>

enum { SERVER_MS = 50000 };
#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"

/* A tunnel is waited for much longer. */
static int begin(void **state)
{
	(void)state;
	visitors_begin("defaults\n timeout connect 5s\n timeout client 60s\n timeout server 50s\n"
		       " timeout tunnel 1h\n timeout client-fin 1h\n timeout server-fin 1h\n"
		       "frontend f\n mode tcp\n bind 127.0.0.1:1\n tcp-request inspect-delay 5s\n"
		       " tcp-request content switch-mode http\n default_backend b\n"
		       "backend b\n mode http\n server s abns@%s\n");
	return 0;
}

static void is_in_time(int client)
{
	pass(SERVER_MS - 1);
	assert_string_equal(visitor_hears(client), "");
	pass(1);
	assert_memory_equal(visitor_hears(client), "HTTP/1.1 504 ", 13);
}

static void an_answer_is_waited_for_as_any(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("f", GET);
	assert_int_equal(served.asked, 1);
	is_in_time(client);
	visitor_leaves(client);
}

/* Who has asked may have no more to say. */
static void nor_is_a_closed_half_one_of_a_tunnel(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("f", GET);
	assert_int_equal(shutdown(client, SHUT_WR), 0);
	turns(QUIET);
	is_in_time(client);
	visitor_leaves(client);
}

static void the_answer_comes(void **state)
{
	int client = visitor_comes("f", GET);

	(void)state;
	assert_memory_equal(visitor_hears(client), "HTTP/1.1 200 ", 13);
	visitor_leaves(client);
}

#define EACH(test) cmocka_unit_test_setup(test, served_world_afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer_is_waited_for_as_any),
		EACH(nor_is_a_closed_half_one_of_a_tunnel),
		EACH(the_answer_comes),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
