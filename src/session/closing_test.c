/* SPDX-License-Identifier: BSD-2-Clause */
/* How a client's connection ends behind its last exchange: it lingers while the client may still be
 * sending, so that nothing of the answer is lost. Clients are sockets of TCP, for those of the Unix
 * family linger anyway until the client has read all; servers are scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "net/addr.h"
#include "session/session.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINGERS_MS = 2000, LOOK_MS = 1000, PATIENCE = 1000 };
#define GET "GET /5 HTTP/1.1\r\nHost: a\r\n"
#define POST "POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n"
#define LAST "Connection: close\r\n"

static int begin(void **state)
{
	(void)state;
	visitors_begin(SERVED_HTTP
		       "listen kept\n bind 127.0.0.1:1\n http-request deny if METH_POST\n"
		       " server s abns@%s\n"
		       "listen closed\n bind 127.0.0.1:2\n option httpclose\n server s abns@%s\n");
	return 0;
}

/* Turns until something comes to that socket; what recv() says then. */
static ssize_t next_bytes(int client, char *bytes, size_t size)
{
	struct pollfd pfd = { .fd = client, .events = POLLIN };

	do
		turns(1);
	while (poll(&pfd, 1, 1) == 0);
	return recv(client, bytes, size, MSG_DONTWAIT);
}

/* A new client over TCP; which is answered like that. Where it talks. */
static int answered(const char *frontend, const char *request, const char *status)
{
	struct addr from = { .family = AF_INET, .v4.s_addr = htonl(INADDR_LOOPBACK), .port = 5000 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listening, client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), accepted;
	char got[1000];
	unsigned port;
	ssize_t n;

	listening = world_listen(&port);
	to.sin_port = htons((uint16_t)port);
	assert_int_equal(connect(client, (struct sockaddr *)&to, sizeof(to)), 0);
	assert_int_equal(send(client, request, strlen(request), MSG_NOSIGNAL), strlen(request));
	assert_int_equal(poll(&(struct pollfd){ .fd = listening, .events = POLLIN }, 1, -1), 1);
	accepted = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	close(listening);
	session_accept(visitor_listener(frontend), &accepted, &from);
	n = next_bytes(client, got, sizeof(got));
	assert_true(n > 13);
	assert_memory_equal(got, status, strlen(status));
	turns(QUIET);
	return client;
}

/* The other side has ended its half. */
static void is_ended(int client)
{
	char byte;

	assert_int_equal(next_bytes(client, &byte, 1), 0);
}

static bool takes_one(int client)
{
	ssize_t n = send(client, "x", 1, MSG_NOSIGNAL);

	assert_true(n == 1 || errno == EPIPE || errno == ECONNRESET);
	turns(QUIET);
	return n == 1;
}

/* What is closed says so behind the first one. */
static bool takes(int client)
{
	return takes_one(client) && takes_one(client);
}

/* It takes what the client goes on sending, until that has been silent for a while. */
static void lingers(int client)
{
	unsigned i;

	is_ended(client);
	assert_int_equal(streams_count, 0);
	assert_true(takes(client));
	pass(LINGERS_MS - 1);
	assert_true(takes(client));
	for (i = 0; i < PATIENCE; i++) {
		pass(LINGERS_MS + LOOK_MS);
		if (!takes(client))
			break;
	}
	assert_true(i < PATIENCE);
	close(client);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void who_may_ask_once_more_may_be_sending(void **state)
{
	(void)state;
	lingers(answered("closed", GET "\r\n", "HTTP/1.1 200 "));
	lingers(answered("closed", "GET /5 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
			 "HTTP/1.1 200 "));
}

static void who_has_not_sent_all_of_a_body_is(void **state)
{
	(void)state;
	lingers(answered("kept", POST LAST "\r\nhalf", "HTTP/1.1 403 "));
}

static void who_has_sent_more_is(void **state)
{
	(void)state;
	lingers(answered("kept", GET LAST "\r\nGET /6", "HTTP/1.1 200 "));
	lingers(answered("closed", GET "\r\n" GET "\r\n", "HTTP/1.1 200 "));
}

static void whose_request_is_none_may_be_sending(void **state)
{
	(void)state;
	lingers(answered("kept", "GET /5 HTTP/1.1\r\nHost : a\r\n\r\n", "HTTP/1.1 400 "));
}

/* A kept connection ends with its client, and is not ended before that. */
static void one_that_is_kept_is_not_ended(void **state)
{
	int client = answered("kept", GET "\r\n", "HTTP/1.1 200 ");
	char byte;

	(void)state;
	assert_int_equal(recv(client, &byte, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(client);
	turns(QUIET);
}

#define EACH(test) cmocka_unit_test_setup(test, served_world_afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(who_may_ask_once_more_may_be_sending),
		EACH(who_has_not_sent_all_of_a_body_is),
		EACH(who_has_sent_more_is),
		EACH(whose_request_is_none_may_be_sending),
		EACH(one_that_is_kept_is_not_ended),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
