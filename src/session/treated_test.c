/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on how one exchange is treated (set-timeout, set-retries, set-priority-class, pause): so long
 * it waits, and no longer, whatever its sections say; and the next one as they say. Clients are
 * sockets of the Unix family, servers are scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "exchange/idle.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#define HALF "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
#define UPGRADE "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
#define SWITCHES "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       " timeout queue 30s\n timeout tunnel 40s\n timeout tarpit 20s\n retries 3\n"
		       "listen l\n bind 127.0.0.1:1\n"
		       " http-request set-timeout server 7s if { path /server }\n"
		       " http-request set-timeout server int(8000) if { path /computed }\n"
		       " http-request set-timeout server int(0) if { path /zero }\n"
		       " http-request set-timeout client 9s if { path /client }\n"
		       " http-request set-timeout tunnel 11s if { path /tunnel }\n"
		       " http-request set-timeout tarpit 2s if { path /tarpit }\n"
		       " http-response set-timeout server 3s if { status 203 }\n"
		       " http-request pause 4s if { path /pause }\n"
		       " http-request tarpit if { path /tarpit /slow }\n server s abns@%s\n"
		       "listen dead\n bind 127.0.0.1:2\n http-request set-retries 1 if { path /one }\n"
		       " http-request set-retries int(2) if { path /two }\n"
		       " http-request set-retries int(101) if { path /many }\n"
		       " server s abns@%s-nobody\n"
		       "listen one\n bind 127.0.0.1:3\n http-request set-timeout queue 2s if { path /queue }\n"
		       " http-request set-priority-class int(-5) if { path /first }\n"
		       " http-request set-priority-class int(5) if { path /last }\n"
		       " http-request set-priority-offset int(-5000) if { path /early }\n"
		       " server s abns@%s maxconn 1\n");
	return 0;
}

static int afresh(void **state)
{
	served_world_afresh(state);
	idle_close_all();
	return 0;
}

/* It ends behind so many milliseconds, and not before; with that answer, which has come before
 * where the server has given it. */
static void ends_behind(const char *request, const char *says, unsigned ms, const char *answer)
{
	bool early = says && *says;
	const char *heard;
	int client;

	afresh(NULL);
	served.says = says;
	client = visitor_comes("l", request);
	pass(ms - 1);
	assert_int_equal(streams_count, 1);
	heard = visitor_hears(client);
	assert_int_equal(strncmp(heard, answer, strlen(answer)) == 0, early);
	assert_int_equal(*heard != 0, early);
	pass(1);
	if (early)
		assert_int_equal(streams_count, 0);
	else
		assert_memory_equal(visitor_hears(client), answer, strlen(answer));
	visitor_leaves(client);
	assert_int_equal(streams_count, 0);
}

static void servers_have_another_time(void **state)
{
	(void)state;
	ends_behind(GET("/server"), "", 7000, "HTTP/1.1 504 ");
	ends_behind(GET("/computed"), "", 8000, "HTTP/1.1 504 ");
	ends_behind(GET("/zero"), "", 50000, "HTTP/1.1 504 ");
	ends_behind(GET("/"), "", 50000, "HTTP/1.1 504 ");
	ends_behind(GET("/"), "HTTP/1.1 203 N\r\nContent-Length: 9\r\n\r\nhalf", 3000,
		    "HTTP/1.1 203 ");
	ends_behind(GET("/"), HALF, 50000, "HTTP/1.1 200 ");
}

static void clients_have_another_time(void **state)
{
	(void)state;
	ends_behind("PUT /client HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab", "", 9000,
		    "HTTP/1.1 408 ");
}

static void tunnels_have_another_time(void **state)
{
	(void)state;
	ends_behind(UPGRADE, SWITCHES, 11000, "HTTP/1.1 101 ");
}

static void tar_pits_have_another_time(void **state)
{
	(void)state;
	ends_behind(GET("/tarpit"), NULL, 2000, "HTTP/1.1 500 ");
	ends_behind(GET("/slow"), NULL, 20000, "HTTP/1.1 500 ");
}

static void a_pause_is_one(void **state)
{
	int client = visitor_comes("l", GET("/pause"));

	(void)state;
	pass(3999);
	assert_int_equal(served.asked, 0);
	pass(1);
	assert_int_equal(served.asked, 1);
	assert_memory_equal(visitor_hears(client), "HTTP/1.1 200 ", 13);
	visitor_leaves(client);
}

static void tries_are_counted_otherwise(void **state)
{
	static const struct {
		const char *request;
		unsigned tries;
	} rows[] = { { GET("/one"), 1 }, { GET("/two"), 2 }, { GET("/many"), 3 }, { GET("/"), 3 } };
	const struct counters *c = &world_backend("dead")->be->counters;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t before = c->retries;
		int client = visitor_comes("dead", rows[i].request);

		pass(1000);
		assert_memory_equal(visitor_hears(client), "HTTP/1.1 503 ", 13);
		assert_int_equal(c->retries - before, rows[i].tries);
		visitor_leaves(client);
	}
}

static void queues_have_another_time(void **state)
{
	int first, second;

	(void)state;
	served.says = "";
	first = visitor_comes("one", GET("/"));
	second = visitor_comes("one", GET("/queue"));
	pass(1999);
	assert_string_equal(visitor_hears(second), "");
	pass(1);
	assert_memory_equal(visitor_hears(second), "HTTP/1.1 503 ", 13);
	visitor_leaves(second);
	visitor_leaves(first);
}

/* Lower classes come first, then who came earlier, or is taken for that. */
static void queues_have_an_order(void **state)
{
	static const char *const come[] = { GET("/"), GET("/last"), GET("/1"), GET("/early"), GET("/first") };
	static const char *const served_in_turn[] = { "GET / ", "GET /first ", "GET /early ", "GET /1 ",
						      "GET /last " };
	int clients[5];
	unsigned i;

	(void)state;
	served.says = "";
	for (i = 0; i < 5; i++) {
		clients[i] = visitor_comes("one", come[i]);
		pass(10);
	}
	for (i = 0; i < 5; i++) {
		assert_int_equal(served.asked, i + 1);
		assert_memory_equal(served.request, served_in_turn[i], strlen(served_in_turn[i]));
		assert_int_equal(send(served.by, ANSWER, strlen(ANSWER), MSG_NOSIGNAL), strlen(ANSWER));
		turns(QUIET);
	}
	for (i = 0; i < 5; i++) {
		assert_memory_equal(visitor_hears(clients[i]), "HTTP/1.1 200 ", 13);
		visitor_leaves(clients[i]);
	}
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(servers_have_another_time), EACH(clients_have_another_time),
		EACH(tunnels_have_another_time), EACH(tar_pits_have_another_time),
		EACH(a_pause_is_one), EACH(tries_are_counted_otherwise),
		EACH(queues_have_another_time), EACH(queues_have_an_order),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
