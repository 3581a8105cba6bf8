/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates in cookies of persistence, of clients that have several of these: which dates count, and
 * what the client is told anew. Clients are sockets of the Unix family, servers are scripted. The
 * clock of the dates goes on. */
#include "session/session.h"

#include "base/clock.h"
#include "exchange/persist.h"
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
#include <time.h>
#include <unistd.h>

enum { QUIET = 40, STEP_SECONDS = 4, TRIES = 5 };

static void opens(struct proxy *px)
{
	struct bind_conf *bind = container_of(px->binds.next, struct bind_conf, node);

	px->state->maxconn = 1000;
	bind->begins = session_kind(bind);
}

static int begin(void **state)
{
	const char *to = served_begin();
	char text[1000];

	(void)state;
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 5s\n timeout client 60s\n"
		 " timeout server 50s\n"
		 "listen dated\n bind 127.0.0.1:1\n"
		 " cookie SRV insert indirect maxidle 30m maxlife 8h\n"
		 " server s abns@%s cookie one\n"
		 "listen dateless\n bind 127.0.0.1:2\n cookie SRV insert indirect\n"
		 " server s abns@%s cookie one\n", to, to);
	clock_freeze(1000000);
	world_begin(text);
	global_state->maxconn = 1000;
	opens(world_frontend("dated"));
	opens(world_frontend("dateless"));
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	served_end();
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

static uint32_t now(void)
{
	return (uint32_t)((uint64_t)time(NULL) / STEP_SECONDS) & ((1 << 30) - 1);
}

/* As a cookie has it; the fourth one behind this takes its place. */
static const char *date(uint32_t at)
{
	static char texts[4][COOKIE_DATE_LEN + 1];
	static unsigned next;
	char *text = texts[next++ % 4];

	cookie_date_write(text, at);
	return text;
}

/* What a client with these cookies is answered, but for the status. */
static const char *answered(const char *section, const char *cookies)
{
	char request[300];
	const char *answer;
	int client;

	served_afresh();
	snprintf(request, sizeof(request), "GET /0 HTTP/1.1\r\nHost: a\r\nCookie: %s\r\n\r\n", cookies);
	client = comes(section, request);
	answer = heard(client);
	leaves(client);
	assert_memory_equal(answer, "HTTP/1.1 200 OK\r\n", 17);
	return answer + 17;
}

/* It gets the cookie anew, with the date of now and this first one; 0: now. */
static void first_date_is(const char *cookies, uint32_t first)
{
	const char *answer;
	char expected[200];
	uint32_t before;
	unsigned i = 0;

	do {
		before = now();
		answer = answered("dated", cookies);
	} while (before != now() && ++i < TRIES);
	snprintf(expected, sizeof(expected),
		 "Content-Length: 0\r\nSet-Cookie: SRV=one|%s|%s; path=/\r\n\r\n", date(before),
		 date(first ? first : before));
	assert_string_equal(answer, expected);
}

static void the_first_date_stays(void **state)
{
	uint32_t first = now() - 1000;
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=one|%s|%s", date(now() - 10), date(first));
	first_date_is(cookies, first);
	first_date_is("SRV=one", 0);
	first_date_is("OTHER=x", 0);
}

static void the_cookie_counts_that_leads_to_a_server(void **state)
{
	uint32_t first = now() - 1000;
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s; SRV=one", date(now() - 10), date(first));
	first_date_is(cookies, 0);
	snprintf(cookies, sizeof(cookies), "SRV=two; SRV=one|%s|%s", date(now() - 10), date(first));
	first_date_is(cookies, first);
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s; SRV=one|%s|%s", date(now() - 10),
		 date(first - 10), date(now() - 20), date(first));
	first_date_is(cookies, first);
	snprintf(cookies, sizeof(cookies), "SRV=one|%s|%s; SRV=two|%s|%s", date(now() - 10),
		 date(first), date(now() - 20), date(first - 10));
	first_date_is(cookies, first);
}

/* Those of one that leads nowhere are none of the new one. */
static void a_new_cookie_has_new_dates(void **state)
{
	char cookies[100];

	(void)state;
	snprintf(cookies, sizeof(cookies), "SRV=two|%s|%s", date(now() - 10), date(now() - 1000));
	first_date_is(cookies, 0);
}

static void a_date_that_nobody_wants_goes(void **state)
{
	static const char none[] = "Content-Length: 0\r\n\r\n";
	static const char without[] = "Content-Length: 0\r\nSet-Cookie: SRV=one; path=/\r\n\r\n";
	char cookies[100];

	(void)state;
	assert_string_equal(answered("dateless", "SRV=one"), none);
	snprintf(cookies, sizeof(cookies), "SRV=one|%s", date(now()));
	assert_string_equal(answered("dateless", cookies), without);
	snprintf(cookies, sizeof(cookies), "SRV=one||%s", date(now()));
	assert_string_equal(answered("dateless", cookies), without);
	snprintf(cookies, sizeof(cookies), "SRV=two|%s; SRV=one", date(now()));
	assert_string_equal(answered("dateless", cookies), none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_date_stays),
		cmocka_unit_test(the_cookie_counts_that_leads_to_a_server),
		cmocka_unit_test(a_new_cookie_has_new_dates),
		cmocka_unit_test(a_date_that_nobody_wants_goes),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
