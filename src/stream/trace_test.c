/* SPDX-License-Identifier: BSD-2-Clause */
/* What -d shows of a stream: a line when it begins, one for each server, one at its end. The stream
 * is made by hand; its connections have numbers, and no socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/kind.h"
#include "stream/stream.h"
#include "stream/subscriber.h"
#include "stream/trace.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct proxy front = { .name = "fe" }, back = { .name = "be" };
static struct server server = { .id = "s1" };
static struct listener listener = { .src = { .fd = 5 } };
static struct conn client_conn = { .src = { .fd = 0x1b } }, server_conn = { .src = { .fd = 0xc } };
static struct origin origin;
static struct stream s;

static struct stream_bytes some_bytes(const struct stream *stream)
{
	(void)stream;
	return (struct stream_bytes){ 12, 345 };
}

static const struct stream_kind kind = { .name = "test", .bytes = some_bytes };

static void has_socket(struct end *end, struct conn *conn)
{
	KIND_IS(struct conn, conn);
	end->ops = &end_conn_ops;
	end->below = conn;
	end->flags = &conn->flags;
}

static int begin(void **state)
{
	(void)state;
	origin = (struct origin){ .frontend = &front, .listener = &listener };
	origin.src.family = AF_INET;
	origin.src.port = 4040;
	assert_int_equal(inet_pton(AF_INET, "192.0.2.7", &origin.src.v4), 1);
	s = (struct stream){ .kind = &kind, .origin = &origin, .backend = &back, .server = &server,
			     .id = 0x2a, .reason = END_SERVER_ABORT, .phase = PHASE_DATA };
	relay_init(&s.relay);
	has_socket(&s.relay.client, &client_conn);
	has_socket(&s.relay.server, &server_conn);
	return 0;
}

/* It says that at the moment, and at once. */
static void shows(enum moment moment, const char *expected)
{
	char text[500];
	int fds[2], out = dup(1);
	enum moment_said said;
	ssize_t len;

	assert_true(out >= 0);
	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	dup2(fds[1], 1);
	close(fds[1]);
	said = trace_subscriber.hear(&s, moment);
	dup2(out, 1);
	close(out);
	len = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	assert_true(len >= 0);
	text[len] = 0;
	assert_string_equal(text, expected);
	assert_int_equal(said, SAID_GOES_ON);
}

static void it_begins(void **state)
{
	(void)state;
	shows(MOMENT_BEGUN, "0000002a:fe.accept(0005)=001b from [192.0.2.7:4040]\n");
	origin.listener = NULL;
	end_forget(&s.relay.client);
	s.id = 0x123456789a;
	shows(MOMENT_BEGUN, "123456789a:fe.accept(ffff)=ffff from [192.0.2.7:4040]\n");
}

static void it_reaches_a_server(void **state)
{
	(void)state;
	shows(MOMENT_CONNECTED, "0000002a:fe.connected[001b:000c] be/s1\n");
	s.server = NULL;
	end_forget(&s.relay.server);
	shows(MOMENT_CONNECTED, "0000002a:fe.connected[001b:ffff] be/<NOSRV>\n");
	s.backend = NULL;
	shows(MOMENT_CONNECTED, "0000002a:fe.connected[001b:ffff] fe/<NOSRV>\n");
}

static void it_ends(void **state)
{
	(void)state;
	shows(MOMENT_ENDED, "0000002a:fe.closed[001b:000c] be/s1 SD 12/345: "
			    "the server broke off\n");
	s.server = NULL;
	end_forget(&s.relay.server);
	shows(MOMENT_ENDED, "0000002a:fe.closed[001b:ffff] be/<NOSRV> SD 12/345: "
			    "the server broke off\n");
	s.backend = NULL;
	s.reason = END_NORMAL;
	shows(MOMENT_ENDED, "0000002a:fe.closed[001b:ffff] fe/<NOSRV> -- 12/345: "
			    "both sides have closed\n");
}

static void of_the_rest_it_says_nothing(void **state)
{
	unsigned moment;

	(void)state;
	assert_int_equal(trace_subscriber.moments,
			 AT_MOMENT(BEGUN) | AT_MOMENT(CONNECTED) | AT_MOMENT(ENDED));
	for (moment = 0; moment < MOMENTS; moment++)
		if (!(trace_subscriber.moments >> moment & 1))
			shows((enum moment)moment, "");
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(it_begins), EACH(it_reaches_a_server), EACH(it_ends),
		EACH(of_the_rest_it_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
