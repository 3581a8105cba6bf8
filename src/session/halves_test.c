/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of an exchange whose client or server has closed its half while bytes of the answer
 * are under way. Clients are sockets of the Unix family, servers are scripted, the clock stands
 * still. */
#include "session/test_visitor.h"

#include "exchange/test_served.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>

enum { TUNNEL_MS = 20000, FIN_MS = 10000, SERVER_MS = 50000, POLL_MS = 1000 };
#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define UPGRADE "GET /5 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
#define SWITCHES "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
#define HALF "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP " timeout tunnel 20s\n"
		       "listen plain\n bind 127.0.0.1:1\n server s abns@%s\n"
		       "listen aborts\n bind 127.0.0.1:2\n option abortonclose\n server s abns@%s\n"
		       "listen fins\n bind 127.0.0.1:3\n timeout client-fin 10s\n"
		       " timeout server-fin 10s\n server s abns@%s\n");
	return 0;
}

static int hears(const char *listen, const char *request, const char *says)
{
	int client;

	served.says = says;
	served.stays = true;
	client = visitor_comes(listen, request);
	assert_string_equal(visitor_hears(client), says);
	assert_int_equal(streams_count, 1);
	return client;
}

static void closes_its_half(int client)
{
	assert_int_equal(shutdown(client, SHUT_WR), 0);
	turns(QUIET);
}

/* So long, and no longer. */
static void goes_on_for(unsigned ms)
{
	assert_int_equal(streams_count, 1);
	pass(ms - 1);
	assert_int_equal(streams_count, 1);
	pass(1);
	assert_int_equal(streams_count, 0);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void who_has_asked_may_close_his_half(void **state)
{
	int client = hears("plain", GET, HALF);

	(void)state;
	closes_its_half(client);
	assert_int_equal(streams_count, 1);
	assert_int_equal(send(served.by, "whole", 5, MSG_NOSIGNAL), 5);
	turns(QUIET);
	assert_string_equal(visitor_hears(client), "whole");
	visitor_leaves(client);
}

static void where_that_is_to_leave_the_exchange_ends(void **state)
{
	int client = hears("aborts", GET, HALF);

	(void)state;
	closes_its_half(client);
	assert_int_equal(streams_count, 0);
	visitor_leaves(client);
}

static void a_silent_server_is_left(void **state)
{
	int client = hears("plain", GET, HALF);

	(void)state;
	goes_on_for(SERVER_MS);
	visitor_leaves(client);
}

static void a_silent_tunnel_is_closed(void **state)
{
	int client = hears("fins", UPGRADE, SWITCHES);

	(void)state;
	goes_on_for(TUNNEL_MS);
	visitor_leaves(client);
}

/* From then on the time of a closed half counts; where there is none, that of tunnels. */
static void half_a_tunnel_has_another_time(void **state)
{
	static const struct {
		const char *listen;
		unsigned ms;
	} rows[] = { { "fins", FIN_MS }, { "plain", TUNNEL_MS }, { "aborts", TUNNEL_MS } };
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		int client = hears(rows[i].listen, UPGRADE, SWITCHES);

		closes_its_half(client);
		goes_on_for(rows[i].ms);
		visitor_leaves(client);
	}
}

static void so_has_one_that_its_server_has_closed(void **state)
{
	int client = hears("fins", UPGRADE, SWITCHES);

	(void)state;
	assert_int_equal(shutdown(served.by, SHUT_WR), 0);
	turns(QUIET);
	goes_on_for(FIN_MS);
	visitor_leaves(client);
}

static void what_both_have_closed_is_over(void **state)
{
	int client = hears("fins", UPGRADE, SWITCHES);

	(void)state;
	closes_its_half(client);
	assert_int_equal(shutdown(served.by, SHUT_WR), 0);
	turns(QUIET);
	assert_int_equal(streams_count, 0);
	visitor_leaves(client);
}

/* A length tells the client that there was to be more: what has come waits in the kernel. */
static void what_a_length_tells_is_not_broken_off(void **state)
{
	int client;
	char byte;

	(void)state;
	served.says = HALF;
	served.breaks_off = true;
	client = visitor_comes("plain", GET);
	assert_int_equal(streams_count, 0);
	assert_string_equal(visitor_hears(client), HALF);
	assert_int_equal(recv(client, &byte, 1, 0), 0);
	visitor_leaves(client);
}

/* Where the end of the connection is that of the body, the client has to have all before it is told. */
static void what_nothing_tells_is(void **state)
{
	static const char half[] = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf";
	int client;
	char byte;

	(void)state;
	served.says = "HTTP/1.1 200 OK\r\n\r\nhalf";
	served.breaks_off = true;
	client = visitor_comes("plain", "GET /5 HTTP/1.0\r\n\r\n");
	pass(POLL_MS);
	assert_int_equal(streams_count, 1);
	assert_string_equal(visitor_hears(client), half);
	pass(POLL_MS);
	assert_int_equal(streams_count, 0);
	assert_int_equal(recv(client, &byte, 1, 0), 0);
	visitor_leaves(client);
}

/* A client that keeps its connection knows that it may end, and asks again; where it has asked for
 * the first time, or the server's connection is new, it is told of a fault. */
static void a_kept_connection_may_end_without_an_answer(void **state)
{
	int client;
	char byte;

	(void)state;
	client = visitor_comes("plain", GET);
	assert_memory_equal(visitor_hears(client), "HTTP/1.1 200 ", 13);
	served.mute = 1;
	visitor_says(client, GET);
	assert_int_equal(recv(client, &byte, 1, 0), 0);
	visitor_leaves(client);
	served.mute = 1;
	client = visitor_comes("plain", GET);
	assert_memory_equal(visitor_hears(client), "HTTP/1.1 502 ", 13);
	visitor_leaves(client);
}

#define EACH(test) cmocka_unit_test_setup(test, served_world_afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(who_has_asked_may_close_his_half),
		EACH(where_that_is_to_leave_the_exchange_ends),
		EACH(a_silent_server_is_left),
		EACH(a_silent_tunnel_is_closed),
		EACH(half_a_tunnel_has_another_time),
		EACH(so_has_one_that_its_server_has_closed),
		EACH(what_both_have_closed_is_over),
		EACH(what_a_length_tells_is_not_broken_off),
		EACH(what_nothing_tells_is),
		EACH(a_kept_connection_may_end_without_an_answer),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
