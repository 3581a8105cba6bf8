/* SPDX-License-Identifier: BSD-2-Clause */
/* "strict-maxconn" and connections of HTTP/2 to a server: whichever way one ends, its slot is given
 * back behind close(2), for another process connects as soon as there is one. */
#include "exchange/server_conn.h"

#include "exchange/exchange.h"
#include "exchange/idle.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"
#include "net/conn.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEERS = 4, PATIENCE = 20000 };

static int listening, peers[PEERS] = { -1, -1, -1, -1 };

static const char settings[] = "\0\0\0\4\0\0\0\0\0";
static const char no_streams[] = "\0\0\6\4\0\0\0\0\0\0\3\0\0\0\0";
static const char goaway[] = "\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0";
static const char nonsense[] = "\0\0\1\6\0\0\0\0\0x"; /* PING has eight bytes */

/* ---- the server ---- */

static void peer_says(int *peer, const char *frame, size_t len)
{
	assert_int_equal(send(*peer, frame, len, MSG_NOSIGNAL), len);
}

static int *peer_accepted(void)
{
	int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK), *peer = peers, on = 1;

	if (fd < 0)
		return NULL;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	while (*peer >= 0)
		peer++;
	assert_true(peer < peers + PEERS);
	*peer = fd;
	return peer;
}

static int *peer_comes(void)
{
	unsigned i;
	int *peer;

	for (i = 0; !(peer = peer_accepted()) && i < PATIENCE; i++)
		world_turn(1);
	assert_non_null(peer);
	peer_says(peer, settings, sizeof(settings) - 1);
	return peer;
}

static void peer_answers(int *peer, char id)
{
	char head[] = { 0, 0, 1, 1, 5, 0, 0, 0, id, (char)0x88 }; /* 200, and that was all */

	peer_says(peer, head, sizeof(head));
}

/* Forgets those that this side has closed; how many are left. */
static unsigned peers_open(void)
{
	unsigned i, n = 0;
	char bytes[500];
	ssize_t got;

	for (i = 0; i < PEERS; i++) {
		if (peers[i] < 0)
			continue;
		while ((got = recv(peers[i], bytes, sizeof(bytes), 0)) > 0)
			continue;
		if (got < 0 && errno == EAGAIN) {
			n++;
			continue;
		}
		close(peers[i]);
		peers[i] = -1;
	}
	return n;
}

/* ---- the world ---- */

static struct server *server(void)
{
	return world_backend("b")->servers;
}

/* No connection is without a slot. */
static void bounded(void)
{
	peer_accepted();
	assert_true(peers_open() <= server()->tally->taken);
	assert_true(server()->tally->taken <= 1);
}

/* The stream has just given its slot back. */
static void ended(struct origin *origin)
{
	container_of(origin, struct wire, origin)->ended++;
	bounded();
}

static void client_comes(struct wire *w)
{
	static struct carrier_ops carrier;

	wire_open(w, world_frontend("f"));
	carrier = *w->origin.carrier;
	carrier.ended = ended;
	w->origin.carrier = &carrier;
}

static void await(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->end && i < PATIENCE; i++) {
		world_turn(0);
		bounded();
	}
	lane_is_whole(lane);
}

/* A client has its answer, and the connection that brought it waits. */
static int *one_waits(struct wire *w)
{
	struct lane *lane;
	int *peer;

	client_comes(w);
	lane = wire_ask(w, 0, 0);
	peer = peer_comes();
	peer_answers(peer, 1);
	await(lane);
	assert_int_equal(server()->idle_count, 1);
	assert_int_equal(server()->tally->taken, 1);
	assert_int_equal(peers_open(), 1);
	return peer;
}

/* What the poller would tell of what the server has said, at the begin of a turn; no task runs
 * yet. */
static void hear(void)
{
	struct conn *conn = list_first(&server()->idle, struct server_conn, node)->conn;

	loop_stats.turns++;
	conn->flags |= CONN_READABLE;
	conn->ready(conn);
	bounded();
}

static void none_is_left(void)
{
	unsigned i;

	for (i = 0; server()->tally->taken && i < PATIENCE; i++) {
		world_turn(0);
		bounded();
	}
	world_turn(0);
	assert_int_equal(server()->tally->taken, 0);
	assert_int_equal(server()->conns, 0);
	assert_int_equal(server()->idle_slots, 0);
	assert_int_equal(peers_open(), 0);
}

static int begin(void **state)
{
	char text[600];
	unsigned port;

	(void)state;
	listening = world_listen(&port);
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 1h\n timeout client 1h\n timeout server 1h\n retries 0\n"
		 "frontend f\n default_backend b\n"
		 "backend b\n http-reuse aggressive\n"
		 " server s 127.0.0.1:%u proto h2 maxconn 1 strict-maxconn pool-low-conn 9\n", port);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	close(listening);
	return 0;
}

/* ---- tests ---- */

static void one_that_is_closed(void **state)
{
	struct wire w;

	(void)state;
	one_waits(&w);
	idle_close_server(server());
	bounded();
	none_is_left();
	wire_close(&w);
}

static void one_that_the_server_ends(void **state)
{
	static const struct span ways[] = {
		{ goaway, sizeof(goaway) - 1 }, { nonsense, sizeof(nonsense) - 1 },
		{ no_streams, sizeof(no_streams) - 1 },
	};
	struct wire w;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		peer_says(one_waits(&w), ways[i].ptr, ways[i].len);
		hear();
		assert_int_equal(server()->idle_count, 0);
		none_is_left();
		wire_close(&w);
	}
}

/* GOAWAY comes while a request is on its way. */
static void one_that_goes_behind_its_answer(void **state)
{
	struct lane *lane;
	struct wire w;
	int *peer;

	(void)state;
	client_comes(&w);
	lane = wire_ask(&w, 0, 0);
	peer = peer_comes();
	peer_says(peer, goaway, sizeof(goaway) - 1);
	peer_answers(peer, 1);
	await(lane);
	none_is_left();
	wire_close(&w);
}

static void one_that_may_not_wait(void **state)
{
	struct lane *lane;
	struct wire w;

	(void)state;
	client_comes(&w);
	lane = wire_ask(&w, 0, 0);
	peer_answers(peer_comes(), 1);
	server()->set.pool_purge_delay = 0;
	await(lane);
	server()->set.pool_purge_delay = 5000;
	none_is_left();
	wire_close(&w);
}

/* Who has the slot of one that waits, and cannot use it, connects behind its end. */
static void one_whose_slot_is_taken_over(void **state)
{
	struct wire w, v;
	struct lane *lane;
	struct server_conn *sc;

	(void)state;
	one_waits(&w);
	sc = list_first(&server()->idle, struct server_conn, node);
	sc->packets++; /* of other packets */
	client_comes(&v);
	lane = wire_ask(&v, 0, 0);
	bounded();
	peer_answers(peer_comes(), 1);
	await(lane);
	assert_int_equal(server()->idle_count, 1);
	idle_close_server(server());
	bounded();
	none_is_left();
	wire_close(&w);
	wire_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_closed),
		cmocka_unit_test(one_that_the_server_ends),
		cmocka_unit_test(one_that_goes_behind_its_answer),
		cmocka_unit_test(one_that_may_not_wait),
		cmocka_unit_test(one_whose_slot_is_taken_over),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
