/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of a carrier that is neither HTTP/1 nor a socket: it lends many ends at once over one
 * fake connection. Behind it stand real streams, exchanges and a real server on loopback. */
#include "stream/origin.h"

#include "base/clock.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASKED = 8, BODY_MOST = 300000, PATIENCE = 20000 };

/* ---- the server: answers GET /n with n bytes, as fast as it is told to ---------------------- */

struct asked {
	int fd;             /* -1: none */
	char head[512];
	size_t got;
	size_t size, sent;  /* of the answer, head included; size 0: no request yet */
	bool held;          /* it says nothing at present */
};

static int listening;
static unsigned requests;
static struct asked asked[ASKED];
static bool hold_all; /* who asks now waits until hold is taken back */

static size_t answer_head(char head[64], size_t n)
{
	return (size_t)snprintf(head, 64, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
}

static void asked_leave(struct asked *a)
{
	close(a->fd);
	*a = (struct asked){ .fd = -1 };
}

static void asked_read(struct asked *a)
{
	ssize_t got = recv(a->fd, a->head + a->got, sizeof(a->head) - 1 - a->got, MSG_DONTWAIT);
	char head[64];

	if (got == 0 || (got < 0 && errno != EAGAIN))
		asked_leave(a);
	if (got <= 0)
		return;
	a->got += (size_t)got;
	a->head[a->got] = 0;
	if (!strstr(a->head, "\r\n\r\n"))
		return;
	assert_memory_equal(a->head, "GET /", 5);
	a->size = strtoul(a->head + 5, NULL, 10);
	a->size += answer_head(head, a->size);
	a->sent = a->got = 0;
	a->held = hold_all;
	requests++;
}

static void asked_answer(struct asked *a)
{
	size_t n = strtoul(a->head + 5, NULL, 10), len, i;
	char piece[4096], head[64];
	ssize_t sent;

	len = answer_head(head, n);
	for (i = 0; i < sizeof(piece) && a->sent + i < a->size; i++)
		piece[i] = a->sent + i < len ? head[a->sent + i] : test_byte(n, a->sent + i - len);
	sent = send(a->fd, piece, i, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN)
		asked_leave(a);
	if (sent <= 0)
		return;
	a->sent += (size_t)sent;
	if (a->sent == a->size)
		a->size = 0;
}

static void server_turn(void)
{
	unsigned i;

	for (i = 0; i < ASKED; i++) {
		struct asked *a = &asked[i];

		if (a->fd < 0)
			a->fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
		else if (!a->size)
			asked_read(a);
		else if (!a->held)
			asked_answer(a);
	}
}

static void server_release(void)
{
	unsigned i;

	hold_all = false;
	for (i = 0; i < ASKED; i++)
		asked[i].held = false;
}

static void turn(void)
{
	server_turn();
	world_turn(0);
}

static void turns(unsigned n)
{
	while (n--)
		turn();
}

static void lane_await(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->end && i < PATIENCE; i++)
		turn();
	assert_null(lane->end);
}

/* ---- the world ------------------------------------------------------------------------------ */

static int begin(void **state)
{
	char text[1000];
	unsigned port, i;

	(void)state;
	listening = world_listen(&port);
	for (i = 0; i < ASKED; i++)
		asked[i] = (struct asked){ .fd = -1 };
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 5s\n timeout client 60s\n"
		 " timeout server 60s\nfrontend f\n http-request deny if { path /0 }\n"
		 " default_backend b\nbackend b\n http-reuse always\n server s 127.0.0.1:%u\n",
		 port);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	world_end();
	for (i = 0; i < ASKED; i++)
		if (asked[i].fd >= 0)
			close(asked[i].fd);
	close(listening);
	return 0;
}

static struct proxy *frontend(void)
{
	return world_frontend("f");
}

/* ---- tests ---------------------------------------------------------------------------------- */

/* Three exchanges interleave over one connection and end in any order; an answer of the program's
 * own is one of them. */
static void three_ends_at_once(void **state)
{
	struct wire w;
	struct lane *a, *b, *c;

	(void)state;
	wire_open(&w, frontend());
	hold_all = true;
	a = wire_ask(&w, 0, 100000);
	b = wire_ask(&w, 1, 10);
	turns(20);
	c = wire_ask(&w, 2, 0); /* denied by a rule */
	lane_await(c);
	assert_int_equal(c->status, 403);
	assert_non_null(a->end);
	assert_non_null(b->end);
	assert_int_equal(streams_count, 2);
	server_release();
	lane_await(b);
	lane_is_whole(b);
	c = wire_ask(&w, 2, 77);
	lane_await(c);
	lane_is_whole(c);
	lane_await(a);
	lane_is_whole(a);
	assert_int_equal(w.lent, 4);
	wire_close(&w);
}

/* An end that takes nothing holds its own exchange up and no other. */
static void one_blocked_holds_no_other(void **state)
{
	struct wire w;
	struct lane *a, *b;
	unsigned i;

	(void)state;
	wire_open(&w, frontend());
	a = wire_ask(&w, 0, BODY_MOST);
	a->blocked = true;
	for (i = 0; i < 20; i++) {
		b = wire_ask(&w, 1 + i % 2, 1000 * i + 1);
		lane_await(b);
		lane_is_whole(b);
	}
	assert_non_null(a->end);
	assert_int_equal(a->got, 0);
	lane_unblock(a);
	lane_await(a);
	lane_is_whole(a);
	wire_close(&w);
}

/* Nothing of it was ever stamped with a time, since no byte has come: its time begins with it. */
static void an_answer_waits_for_a_blocked_end(void **state)
{
	struct wire w;
	struct lane *lane;

	(void)state;
	wire_open(&w, frontend());
	w.lanes[0].begins_blocked = true;
	lane = wire_ask(&w, 0, 0); /* denied by a rule */
	turns(20);
	assert_int_equal(lane->status, 403);
	assert_non_null(lane->end);
	lane_unblock(lane);
	lane_await(lane);
	assert_false(lane->reset);
	wire_close(&w);
}

/* It dies under one that waits for its head, one that is blocked, and one in the middle of its
 * body. */
static void the_connection_dies_under_all(void **state)
{
	struct wire w;
	uint64_t aborts = frontend()->fe->counters.client_aborts;
	unsigned i;

	(void)state;
	wire_open(&w, frontend());
	wire_ask(&w, 0, BODY_MOST)->blocked = true;
	wire_ask(&w, 1, BODY_MOST);
	while (!w.lanes[1].got)
		turn();
	hold_all = true;
	wire_ask(&w, 2, 10);
	turns(20);
	wire_die(&w);
	server_release();
	for (i = 0; i < LANES; i++) {
		lane_await(&w.lanes[i]);
		assert_true(w.lanes[i].reset);
		assert_false(w.lanes[i].kept);
	}
	assert_int_equal(frontend()->fe->counters.client_aborts, aborts + 3);
	assert_int_equal(streams_count, 0);
	wire_close(&w);
}

static unsigned rnd_state = 4711;

static unsigned rnd(unsigned below)
{
	rnd_state = rnd_state * 1103515245u + 12345u;
	return (rnd_state >> 8) % below;
}

/* One event of the mix at a lane. */
static void mix(struct wire *w, unsigned at)
{
	struct lane *lane = &w->lanes[at];

	if (!lane->end && lane->status)
		lane_is_whole(lane);
	if (!lane->end)
		wire_ask(w, at, 1 + rnd(rnd(3) ? 3000 : BODY_MOST))->blocked = rnd(3) == 0;
	else if (lane->blocked && rnd(2))
		lane_unblock(lane);
	else if (!lane->blocked)
		lane->blocked = rnd(8) == 0;
}

/* Connections come, carry a mix of exchanges and die at any moment. */
static void a_random_mix(void **state)
{
	unsigned round, i, carried = 0;
	struct wire w;

	(void)state;
	for (round = 0; round < 30; round++) {
		wire_open(&w, frontend());
		for (i = 0; i < 100; i++) {
			mix(&w, rnd(LANES));
			turns(rnd(8));
		}
		if (rnd(2))
			wire_die(&w);
		for (i = 0; i < LANES; i++) {
			lane_unblock(&w.lanes[i]);
			lane_await(&w.lanes[i]);
		}
		carried += w.ended;
		wire_close(&w);
		assert_int_equal(streams_count, 0);
	}
	assert_true(carried > 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_ends_at_once),
		cmocka_unit_test(one_blocked_holds_no_other),
		cmocka_unit_test(an_answer_waits_for_a_blocked_end),
		cmocka_unit_test(the_connection_dies_under_all),
		cmocka_unit_test(a_random_mix),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
