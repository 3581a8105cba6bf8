/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted of connections of HTTP/1: all counters of a frontend and of its backend, however
 * its exchanges end. Clients are sockets of the Unix family, servers are scripted, the clock stands
 * still. */
#include "session/test_visitor.h"

#include "exchange/idle.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n" /* 28 bytes; the answer has 43 */

static struct h1_counts before[2];

static struct h1_counts *counts_of(unsigned side)
{
	return side ? &world_backend("l")->be->h1 : &world_frontend("l")->fe->h1;
}

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       "listen l\n bind 127.0.0.1:1\n http-request deny if METH_POST\n"
		       " retry-on empty-response\n server s abns@%s\n");
	return 0;
}

static int afresh(void **state)
{
	unsigned side;

	served_world_afresh(state);
	idle_close_all();
	for (side = 0; side < 2; side++)
		before[side] = *counts_of(side);
	return 0;
}

/* "frontend: NAME N ...\nbackend: ..." for all that have moved since then. */
static void moved(const char *expected)
{
	char text[1000];
	size_t len = 0;
	unsigned side;

	for (side = 0; side < 2; side++) {
		const struct h1_counts *now = counts_of(side), *then = &before[side];

		len += (size_t)snprintf(text + len, sizeof(text) - len, side ? "\nbackend:" : "frontend:");
#define H1_COUNT(name, about)                                                                      \
		if (now->name != then->name)                                                       \
			len += (size_t)snprintf(text + len, sizeof(text) - len, " %s %" PRId64, #name,  \
						(int64_t)now->name - (int64_t)then->name);
#define H1_NOW(name, about) H1_COUNT(name, about)
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
	}
	assert_string_equal(text, expected);
}

/* ---- tests ------------------------------------------------------------------------------------ */

#define ONE "total_connections 1 total_streams 1"

static void an_exchange(void **state)
{
	int client = visitor_comes("l", GET);

	(void)state;
	moved("frontend: open_connections 1 " ONE " bytes_in 28 bytes_out 43\n"
	      "backend: open_connections 1 " ONE " bytes_in 43 bytes_out 28");
	visitor_leaves(client);
	moved("frontend: " ONE " bytes_in 28 bytes_out 43\n"
	      "backend: open_connections 1 " ONE " bytes_in 43 bytes_out 28"); /* it waits */
}

static void one_under_way(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("l", GET);
	moved("frontend: open_connections 1 open_streams 1 " ONE "\n"
	      "backend: open_connections 1 open_streams 1 " ONE);
	visitor_leaves(client);
}

static void two_over_a_connection(void **state)
{
	int client = visitor_comes("l", GET);

	(void)state;
	visitor_says(client, GET);
	moved("frontend: open_connections 1 total_connections 1 total_streams 2 bytes_in 56 bytes_out 86\n"
	      "backend: open_connections 1 total_connections 1 total_streams 2 bytes_in 86 bytes_out 56");
	visitor_leaves(client);
}

static void one_that_the_program_answers(void **state)
{
	int client = visitor_comes("l", "POST / HTTP/1.1\r\nHost: a\r\n\r\n");

	(void)state;
	moved("frontend: open_connections 1 " ONE " bytes_in 28 bytes_out 189\nbackend:");
	visitor_leaves(client);
}

/* 51 bytes and 41. */
static void bodies_count(void **state)
{
	int client;

	(void)state;
	served.says = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
	client = visitor_comes("l", "PUT /0 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
	moved("frontend: open_connections 1 " ONE " bytes_in 51 bytes_out 41\n"
	      "backend: open_connections 1 " ONE " bytes_in 41 bytes_out 51");
	visitor_leaves(client);
}

/* 27 bytes of the first one. */
static void so_do_heads_before_the_answer(void **state)
{
	int client;

	(void)state;
	served.says = "HTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	client = visitor_comes("l", GET);
	moved("frontend: open_connections 1 " ONE " bytes_in 28 bytes_out 65\n"
	      "backend: open_connections 1 " ONE " bytes_in 65 bytes_out 28");
	visitor_leaves(client);
}

/* Two connections, and two streams, of which the first has brought nothing. */
static void each_try_is_one(void **state)
{
	int client;

	(void)state;
	served.mute = 1;
	client = visitor_comes("l", GET);
	moved("frontend: open_connections 1 " ONE " bytes_in 28 bytes_out 43\n"
	      "backend: open_connections 1 total_connections 2 total_streams 2 bytes_in 43 bytes_out 56");
	visitor_leaves(client);
}

static void a_half_answer_counts(void **state)
{
	int client;

	(void)state;
	served.says = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
	served.leaves = 1;
	client = visitor_comes("l", GET);
	moved("frontend: " ONE " bytes_in 28 bytes_out 42\nbackend: " ONE " bytes_in 42 bytes_out 28");
	visitor_leaves(client);
}

/* It is told so: 400. */
static void a_silent_client_asks_nothing(void **state)
{
	int client = visitor_comes("l", "");

	(void)state;
	visitor_leaves(client);
	moved("frontend: " ONE " bytes_out 117\nbackend:");
}

/* A head of an interim answer that the kernel does not take at once, because the client reads
 * nothing: each has its own segment there. */
static void interim_heads_that_wait(void **state)
{
	enum { HEADS = 600, HEAD = 25 };
	static char says[HEADS * HEAD + 60];
	size_t heard, all = 0;
	unsigned i;
	int client;

	(void)state;
	for (i = 0; i < HEADS; i++)
		memcpy(says + (size_t)i * HEAD, "HTTP/1.1 100 Continue\r\n\r\n", HEAD);
	strcpy(says + (size_t)HEADS * HEAD, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	served.says = says;
	client = visitor_comes("l", GET);
	turns(HEADS / 16);
	while ((heard = strlen(visitor_hears(client)))) {
		all += heard;
		turns(3);
	}
	assert_int_equal(all, HEADS * HEAD + 43);
	moved("frontend: open_connections 1 " ONE " bytes_in 28 bytes_out 15043\n"
	      "backend: open_connections 1 " ONE " bytes_in 15043 bytes_out 28");
	visitor_leaves(client);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_exchange), EACH(one_under_way), EACH(two_over_a_connection),
		EACH(one_that_the_program_answers), EACH(bodies_count),
		EACH(so_do_heads_before_the_answer), EACH(each_try_is_one), EACH(a_half_answer_counts),
		EACH(a_silent_client_asks_nothing), EACH(interim_heads_that_wait),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
