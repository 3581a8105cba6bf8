/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of wrong messages: the last request of each frontend, the last response of each
 * backend, and which of all they were. Clients are sockets of the Unix family, servers are scripted,
 * the clock stands still. */
#include "exchange/bad_message.h"

#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "session/test_visitor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <string.h>

#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"
#define WRONG "GET /5 HTTP/1.1\r\nHo(st: a\r\n\r\n"
#define WRONG_TOO "GET /5 HTTP/1.1\r\nHost: a\r\nX)Y: b\r\n\r\n"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       "frontend f\n bind 127.0.0.1:1\n default_backend b\n"
		       "frontend g\n bind 127.0.0.1:2\n default_backend b\n"
		       "backend b\n server s abns@%s\n");
	bad_message_start();
	return 0;
}

static int end(void **state)
{
	bad_message_proxy_part.leave(world_frontend("f"));
	bad_message_proxy_part.leave(world_frontend("g"));
	bad_message_proxy_part.leave(world_backend("b"));
	assert_true(list_empty(&bad_messages));
	return served_world_end(state);
}

static void is_answered(const char *frontend, const char *request, const char *status)
{
	int client = visitor_comes(frontend, request);

	assert_memory_equal(visitor_hears(client), status, strlen(status));
	visitor_leaves(client);
}

static const struct bad_message *last_of(const struct proxy *px, bool response)
{
	const struct bad_message *bad;

	list_for_each(bad, &bad_messages, node)
		if (bad->proxy == px && bad->response == response)
			return bad;
	return NULL;
}

static void is_kept(const struct bad_message *bad, uint64_t event, const char *bytes, char wrong)
{
	assert_non_null(bad);
	assert_int_equal(bad->event, event);
	assert_int_equal(bad->src.v4.s_addr, htonl(0x7f000009));
	assert_true(bad->len >= strlen(bytes));
	assert_memory_equal(bad->bytes, bytes, strlen(bytes));
	assert_int_equal(bad->bytes[bad->position], wrong);
	assert_non_null(bad->text);
}

static void the_last_request_is(void **state)
{
	const struct proxy *f = world_frontend("f"), *g = world_frontend("g");

	(void)state;
	is_answered("f", GET, "HTTP/1.1 200 ");
	assert_null(last_of(f, false));
	is_answered("f", WRONG, "HTTP/1.1 400 ");
	is_kept(last_of(f, false), 0, WRONG, '(');
	assert_null(last_of(f, false)->other);
	is_answered("g", WRONG, "HTTP/1.1 400 ");
	is_kept(last_of(g, false), 1, WRONG, '(');
	is_answered("f", WRONG_TOO, "HTTP/1.1 400 ");
	is_kept(last_of(f, false), 2, WRONG_TOO, ')');
	is_kept(last_of(g, false), 1, WRONG, '(');
}

static void so_is_the_last_response(void **state)
{
	static const char wrong[] = "HTTP/1.1 200 OK\r\nX=(: y\r\n\r\n";
	const struct proxy *b = world_backend("b"), *f = world_frontend("f");

	(void)state;
	served.says = wrong;
	is_answered("f", GET, "HTTP/1.1 502 ");
	is_kept(last_of(b, true), 3, wrong, '=');
	assert_ptr_equal(last_of(b, true)->other, f);
	assert_ptr_equal(last_of(b, true)->server, b->servers);
	assert_null(last_of(f, true));
	bad_message_proxy_part.leave(world_frontend("f"));
	assert_null(last_of(f, false));
	assert_null(last_of(b, true)->other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_request_is),
		cmocka_unit_test(so_is_the_last_response),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
