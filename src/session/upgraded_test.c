/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of bytes that become HTTP in the middle: from then on they are waited for as exchanges
 * are. Clients are sockets of the Unix family, servers are scripted, the clock stands still. */
#include "session/session.h"

#include "base/clock.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUIET = 40, SERVER_MS = 50000 };
#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"

static void opens(struct proxy *px)
{
	struct bind_conf *bind = container_of(px->binds.next, struct bind_conf, node);

	px->state->maxconn = 1000;
	bind->begins = session_kind(bind);
}

/* A tunnel is waited for much longer. */
static int begin(void **state)
{
	const char *to = served_begin();
	char text[1000];

	(void)state;
	snprintf(text, sizeof(text),
		 "defaults\n timeout connect 5s\n timeout client 60s\n timeout server 50s\n"
		 " timeout tunnel 1h\n timeout client-fin 1h\n timeout server-fin 1h\n"
		 "frontend f\n mode tcp\n bind 127.0.0.1:1\n tcp-request inspect-delay 5s\n"
		 " tcp-request content switch-mode http\n default_backend b\n"
		 "backend b\n mode http\n server s abns@%s\n", to);
	clock_freeze(1000000);
	world_begin(text);
	global_state->maxconn = 1000;
	opens(world_frontend("f"));
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	served_end();
	return 0;
}

static int afresh(void **state)
{
	(void)state;
	served_afresh();
	pass(2000);
	return 0;
}

/* A new client; where it talks. */
static int comes(const char *frontend, const char *request)
{
	struct addr from = { .family = AF_INET, .v4.s_addr = htonl(0x7f000009), .port = 5000 };
	const struct proxy *px = world_frontend(frontend);
	struct bind_conf *bind = container_of(px->binds.next, struct bind_conf, node);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(send(fds[0], request, strlen(request), MSG_NOSIGNAL), strlen(request));
	session_accept(container_of(bind->listeners.next, struct listener, node), &fds[1], &from);
	turns(QUIET);
	return fds[0];
}

static void leaves(int client)
{
	close(client);
	turns(QUIET);
	assert_int_equal(streams_count, 0);
}

/* What has come; "": nothing. */
static const char *heard(int client)
{
	static char got[4000];
	ssize_t n = recv(client, got, sizeof(got) - 1, 0);

	got[n < 0 ? 0 : n] = 0;
	return got;
}

static void is_in_time(int client)
{
	pass(SERVER_MS - 1);
	assert_string_equal(heard(client), "");
	pass(1);
	assert_memory_equal(heard(client), "HTTP/1.1 504 ", 13);
}

static void an_answer_is_waited_for_as_any(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = comes("f", GET);
	assert_int_equal(served.asked, 1);
	is_in_time(client);
	leaves(client);
}

/* Who has asked may have no more to say. */
static void nor_is_a_closed_half_one_of_a_tunnel(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = comes("f", GET);
	assert_int_equal(shutdown(client, SHUT_WR), 0);
	turns(QUIET);
	is_in_time(client);
	leaves(client);
}

static void the_answer_comes(void **state)
{
	int client = comes("f", GET);

	(void)state;
	assert_memory_equal(heard(client), "HTTP/1.1 200 ", 13);
	leaves(client);
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer_is_waited_for_as_any),
		EACH(nor_is_a_closed_half_one_of_a_tunnel),
		EACH(the_answer_comes),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
