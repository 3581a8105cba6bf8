/* SPDX-License-Identifier: BSD-2-Clause */
/* A carrier of connections to servers that is not HTTP/1: each connection lends many ends at once, to
 * exchanges of different clients. The socket is real and says nothing; what the server answers is said
 * by the test. */
#include "exchange/server_conn.h"

#include "http/message.h"
#include "net/conn.h"
#include "proxy/proxy.h"
#include "exchange/exchange.h"
#include "exchange/idle.h"
#include "stream/stream.h"
#include "exchange/test_client.h"
#include "exchange/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TRACKS = 4, TRUNKS = 8, PATIENCE = 20000 };

/* What one exchange is lent. */
struct track {
	uint16_t flags;
	struct framing framing;
	struct trunk *trunk;
	struct end *end;      /* NULL: not lent */
	char length[24];
	size_t n, given;      /* bytes asked for; of these given */
	bool answers, broken; /* the server has answered; has broken it off */
};

/* A connection to the server. */
struct trunk {
	struct server_conn sc;
	struct track tracks[TRACKS];
	unsigned room;        /* for so many exchanges at once */
	bool retired, dead;
};

static struct trunk *trunks[TRUNKS]; /* that are there */
static unsigned resets, room_of_new = TRACKS;
static int listening;

/* ---- its ends --------------------------------------------------------------------------------- */

static enum io track_head_out(struct end *end, struct message *msg)
{
	struct track *t = end_applet(end);

	t->n = strtoul(msg->target.ptr + 1, NULL, 10);
	snprintf(t->length, sizeof(t->length), "%zu", t->n);
	return t->trunk->dead ? IO_ERR : IO_OK;
}

static enum io track_head_in(struct end *end, struct message *msg)
{
	struct track *t = end_applet(end);
	struct span name = span_of("content-length");
	uint16_t most = msg->most;

	if (t->trunk->dead || t->broken)
		return IO_ERR;
	if (!t->answers) {
		t->flags &= (uint16_t)~CONN_READABLE;
		return IO_AGAIN;
	}
	message_init(msg, true, msg->fields, msg->max);
	msg->most = most;
	if (!msg->max && !message_more_fields(msg))
		return IO_ERR;
	msg->major = msg->minor = 1;
	msg->status = 200;
	msg->flags = MSG_KEEP_ALIVE;
	msg->framing = BODY_LENGTH;
	msg->length = t->n;
	msg->fields[msg->count++] = (struct field){ .name = name, .value = span_of(t->length),
						    .id = field_id(name) };
	t->framing.ended = !t->n;
	return IO_OK;
}

static enum io track_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct track *t = end_applet(end);
	size_t i, n = t->n - t->given < size ? t->n - t->given : size;

	if (t->trunk->dead || t->broken)
		return IO_ERR;
	for (i = 0; i < n; i++)
		((char *)buf)[i] = test_byte(t->n, t->given + i);
	t->given += n;
	t->framing.ended = t->given == t->n;
	*got = n;
	return n ? IO_OK : IO_EOF;
}

static enum io track_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	(void)end;
	(void)buf;
	(void)more;
	*sent = len;
	return IO_OK;
}

static void track_finish(struct end *end)
{
	(void)end;
}

/* ---- the carrier ------------------------------------------------------------------------------ */

static unsigned trunk_lends(const struct trunk *t)
{
	unsigned i, n = 0;

	for (i = 0; i < TRACKS; i++)
		n += t->tracks[i].end != NULL;
	return n;
}

/* Nothing more is asked of it, and nobody has an end of it. */
static void trunk_may_go(struct trunk *t)
{
	struct conn *conn = t->sc.conn;
	unsigned i;

	if (!t->retired || trunk_lends(t))
		return;
	for (i = 0; trunks[i] != t; i++)
		continue;
	trunks[i] = NULL;
	conn_close(&conn, false);
	free(t);
}

/* The stream did not wait for the end of the exchange. */
static void track_close(struct end *end, bool reset)
{
	struct track *t = end_applet(end);

	(void)reset;
	resets++;
	t->end = NULL;
	trunk_may_go(t->trunk);
}

static const struct message_ops track_ops = {
	.end = {
		.name = "track",
		.recv = track_recv,
		.send = track_send,
		.finish = track_finish,
		.close = track_close,
	},
	.head_in = track_head_in,
	.head_out = track_head_out,
};

static void trunk_event(struct conn *conn)
{
	(void)conn;
}

static struct server_conn *trunk_open(struct conn **conn, bool once)
{
	struct trunk *t = calloc(1, sizeof(*t));
	unsigned i;

	t->room = room_of_new;
	t->sc.carrier = 1;
	t->sc.conn = *conn;
	*conn = NULL;
	t->sc.conn->owner = t;
	t->sc.conn->ready = trunk_event;
	for (i = 0; trunks[i]; i++)
		assert_true(i < TRUNKS - 1);
	trunks[i] = t;
	(void)once;
	return &t->sc;
}

static struct trunk *trunk_of(struct server_conn *sc)
{
	return container_of(sc, struct trunk, sc);
}

static bool trunk_lend(struct server_conn *sc, struct stream *s)
{
	struct trunk *trunk = trunk_of(sc);
	struct track *t = trunk->tracks;

	while (t->end)
		t++;
	assert_true(t < trunk->tracks + trunk->room);
	*t = (struct track){ .trunk = trunk, .end = &s->relay.server, .flags = CONN_WRITABLE };
	t->framing.passable = UINT64_MAX;
	end_set_applet(t->end, &track_ops.end, t, &t->flags, &t->framing);
	if (trunk_lends(trunk) == trunk->room)
		idle_leave(sc);
	else
		idle_join(sc);
	return true;
}

static void trunk_retire(struct server_conn *sc)
{
	idle_leave(sc);
	trunk_of(sc)->retired = true;
	trunk_may_go(trunk_of(sc));
}

static void trunk_take_back(struct server_conn *sc, struct stream *s, bool keep)
{
	struct trunk *trunk = trunk_of(sc);

	if (keep) {
		((struct track *)end_applet(&s->relay.server))->end = NULL;
		end_forget(&s->relay.server);
	}
	if (!trunk->retired && (sc->lent || idle_may_wait(sc, s->exchange->client_keeps)))
		idle_join(sc);
	else if (!trunk->retired)
		trunk_retire(sc);
	else
		trunk_may_go(trunk);
}

static bool trunk_ready(struct server_conn *sc)
{
	assert_false(trunk_of(sc)->retired);
	return true;
}

static const struct server_carrier_ops trunk_carrier = {
	.name = "trunk",
	.open = trunk_open,
	.lend = trunk_lend,
	.take_back = trunk_take_back,
	.ready = trunk_ready,
	.retire = trunk_retire,
};

/* The exchange that has asked for n bytes; NULL: no connection carries it. */
static struct track *track_of(size_t n)
{
	unsigned i, k;

	for (i = 0; i < TRUNKS; i++)
		for (k = 0; trunks[i] && k < TRACKS; k++)
			if (trunks[i]->tracks[k].end && trunks[i]->tracks[k].n == n)
				return &trunks[i]->tracks[k];
	return NULL;
}

static void track_ready(struct track *t)
{
	t->flags |= CONN_READABLE;
	end_ready(t->end);
}

static void track_answer(size_t n)
{
	struct track *t = track_of(n);

	t->answers = true;
	track_ready(t);
}

static void track_break(size_t n)
{
	struct track *t = track_of(n);

	t->broken = true;
	track_ready(t);
}

/* The connection is gone. */
static void trunk_die(struct trunk *t)
{
	unsigned i;

	t->dead = t->retired = true;
	idle_leave(&t->sc);
	t->room = 0;
	for (i = TRACKS; i-- > 0;) {
		struct track *track = &t->tracks[i];
		unsigned left = trunk_lends(t);

		if (!track->end)
			continue;
		track->flags |= CONN_HUP | CONN_ERROR;
		track_ready(track);
		if (left == 1)
			return; /* it went with its last end */
	}
}

/* ---- the world -------------------------------------------------------------------------------- */

static unsigned trunks_there(void)
{
	unsigned i, n = 0;

	for (i = 0; i < TRUNKS; i++)
		n += trunks[i] != NULL;
	return n;
}

static struct proxy *frontend(void)
{
	return world_frontend("f");
}

static struct server *server(void)
{
	return world_backend("b")->servers;
}

/* Asks, and waits until the server has the request. */
static struct lane *ask(struct wire *w, unsigned at, size_t n)
{
	struct lane *lane = wire_ask(w, at, n);
	unsigned i;

	for (i = 0; !track_of(n) && i < PATIENCE; i++)
		world_turn(1);
	assert_non_null(track_of(n));
	return lane;
}

static void await(struct lane *lane)
{
	unsigned i;

	for (i = 0; lane->end && i < PATIENCE; i++)
		world_turn(0);
	assert_null(lane->end);
}

static int begin(void **state)
{
	char text[1000];
	unsigned port;

	(void)state;
	listening = world_listen(&port);
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 1h\n timeout client 1h\n timeout server 1h\n retries 0\n"
		 "frontend f\n default_backend b\nfrontend g\n default_backend c\n"
		 "backend b\n http-reuse always\n server s 127.0.0.1:%u pool-low-conn 9\n"
		 "backend c\n http-reuse safe\n server s 127.0.0.1:%u pool-low-conn 9\n", port, port);
	server_carriers[CARRIER_OF(PROTO_H2)] = &trunk_carrier;
	world_begin(text);
	server()->carrier = CARRIER_OF(PROTO_H2);
	world_backend("c")->servers->carrier = CARRIER_OF(PROTO_H2);
	return 0;
}

static int end(void **state)
{
	(void)state;
	world_end();
	server_carriers[CARRIER_OF(PROTO_H2)] = &h2_server_carrier;
	close(listening);
	return 0;
}

/* Between two tests: no connection, and nothing counted. */
static int none_left(void **state)
{
	(void)state;
	idle_close_all();
	room_of_new = TRACKS;
	resets = 0;
	assert_int_equal(trunks_there(), 0);
	assert_int_equal(streams_count, 0);
	assert_int_equal(server()->idle_count, 0);
	assert_int_equal(server()->idle_used, 0);
	assert_int_equal(server()->idle_safe, 0);
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------------ */

/* Exchanges of different clients interleave over one connection that is at work, and end in any
 * order. */
static void clients_share_a_busy_connection(void **state)
{
	uint64_t connects = server()->tally->counters.connects;
	struct wire w, v;
	struct lane *a, *b, *c;

	(void)state;
	wire_open(&w, frontend());
	wire_open(&v, frontend());
	a = ask(&w, 0, 100000);
	b = ask(&v, 0, 10);
	c = ask(&v, 1, 77);
	assert_int_equal(trunks_there(), 1);
	assert_int_equal(trunks[0]->sc.lent, 3);
	assert_int_equal(server()->idle_used, 1);
	assert_int_equal(server()->idle_count, 0);
	track_answer(10);
	await(b);
	lane_is_whole(b);
	track_answer(100000);
	await(a);
	lane_is_whole(a);
	assert_non_null(c->end);
	assert_int_equal(server()->idle_count, 0);
	track_answer(77);
	await(c);
	lane_is_whole(c);
	assert_int_equal(server()->idle_count, 1);
	assert_int_equal(server()->idle_used, 0);
	a = ask(&w, 0, 5); /* over the same */
	track_answer(5);
	await(a);
	lane_is_whole(a);
	assert_int_equal(server()->tally->counters.connects, connects + 1);
	assert_int_equal(resets, 0);
	wire_close(&w);
	wire_close(&v);
}

/* A client that goes, or a response that is broken off, ends one exchange. */
static void one_that_is_reset_hurts_no_other(void **state)
{
	struct wire w, v, u;
	struct lane *a, *b, *c;

	(void)state;
	wire_open(&w, frontend());
	wire_open(&v, frontend());
	wire_open(&u, frontend());
	a = ask(&w, 0, 100000);
	b = ask(&v, 0, 10);
	c = ask(&u, 1, 77);
	wire_die(&v);
	await(b);
	assert_int_equal(resets, 1);
	track_break(77);
	await(c);
	assert_int_equal(c->status, 502);
	assert_int_equal(resets, 2);
	assert_int_equal(trunks_there(), 1);
	c = ask(&u, 1, 78);
	track_answer(100000);
	await(a);
	lane_is_whole(a);
	track_answer(78);
	await(c);
	lane_is_whole(c);
	assert_int_equal(trunks_there(), 1);
	wire_close(&w);
	wire_close(&v);
	wire_close(&u);
}

/* The server takes no more over this connection (GOAWAY): those at work finish, new ones go to
 * another, and the old one goes with its last exchange. */
static void draining_lets_those_at_work_finish(void **state)
{
	struct wire w;
	struct lane *a, *b, *c;

	(void)state;
	wire_open(&w, frontend());
	a = ask(&w, 0, 1000);
	b = ask(&w, 1, 2000);
	trunk_retire(&trunks[0]->sc);
	c = ask(&w, 2, 3000);
	assert_int_equal(trunks_there(), 2);
	assert_int_equal(trunks[0]->sc.lent, 2);
	assert_int_equal(trunks[1]->sc.lent, 1);
	track_answer(2000);
	await(b);
	lane_is_whole(b);
	b = ask(&w, 1, 2001);
	assert_int_equal(trunks[1]->sc.lent, 2);
	track_answer(1000);
	await(a);
	lane_is_whole(a);
	assert_int_equal(trunks_there(), 1);
	track_answer(3000);
	track_answer(2001);
	await(b);
	await(c);
	lane_is_whole(b);
	lane_is_whole(c);
	wire_close(&w);
}

/* So does a server that is told to close its connections while they are at work. */
static void closing_waits_for_those_at_work(void **state)
{
	struct wire w;
	struct lane *a;

	(void)state;
	wire_open(&w, frontend());
	a = ask(&w, 0, 1000);
	idle_close_server(server());
	assert_int_equal(trunks_there(), 1);
	track_answer(1000);
	await(a);
	lane_is_whole(a);
	assert_int_equal(trunks_there(), 0);
	wire_close(&w);
}

/* No room is no reason to wait: there is another connection, until there is room again. */
static void a_full_one_lends_no_more(void **state)
{
	struct wire w, v;
	struct lane *a, *b, *c, *d;

	(void)state;
	room_of_new = 2;
	wire_open(&w, frontend());
	wire_open(&v, frontend());
	a = ask(&w, 0, 1000);
	b = ask(&w, 1, 2000);
	c = ask(&w, 2, 3000);
	assert_int_equal(trunks_there(), 2);
	assert_int_equal(server()->idle_used, 2);
	track_answer(1000);
	await(a);
	a = ask(&v, 0, 1001);
	d = ask(&v, 1, 1002);
	assert_int_equal(trunks_there(), 2);
	assert_int_equal(trunks[0]->sc.lent, 2);
	assert_int_equal(trunks[1]->sc.lent, 2);
	track_answer(1001);
	track_answer(1002);
	track_answer(2000);
	track_answer(3000);
	await(a);
	await(b);
	await(c);
	await(d);
	lane_is_whole(a);
	lane_is_whole(d);
	assert_int_equal(server()->idle_count, 2);
	wire_close(&w);
	wire_close(&v);
}

static void the_connection_dies_under_all(void **state)
{
	struct wire w, v;
	struct lane *a, *b;

	(void)state;
	wire_open(&w, frontend());
	wire_open(&v, frontend());
	a = ask(&w, 0, 1000);
	b = ask(&v, 1, 2000);
	trunk_die(trunks[0]);
	await(a);
	await(b);
	assert_int_equal(a->status, 502);
	assert_int_equal(b->status, 502);
	assert_int_equal(trunks_there(), 0);
	a = ask(&w, 0, 3000);
	track_answer(3000);
	await(a);
	lane_is_whole(a);
	wire_close(&w);
	wire_close(&v);
}

/* http-reuse safe: the first request of a client goes over a connection of its own, whatever else has
 * room; later ones share. */
static void first_requests_may_not_share(void **state)
{
	struct proxy *g = world_frontend("g");
	struct wire w, v;
	struct lane *a, *b;

	(void)state;
	wire_open(&w, g);
	wire_open(&v, g);
	a = ask(&w, 0, 1000);
	b = ask(&v, 0, 2000);
	assert_int_equal(trunks_there(), 2);
	track_answer(2000);
	await(b);
	b = ask(&v, 0, 2001);
	assert_int_equal(trunks_there(), 2);
	track_answer(1000);
	track_answer(2001);
	await(a);
	await(b);
	lane_is_whole(a);
	lane_is_whole(b);
	wire_close(&w);
	wire_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(clients_share_a_busy_connection, none_left),
		cmocka_unit_test_teardown(one_that_is_reset_hurts_no_other, none_left),
		cmocka_unit_test_teardown(draining_lets_those_at_work_finish, none_left),
		cmocka_unit_test_teardown(closing_waits_for_those_at_work, none_left),
		cmocka_unit_test_teardown(a_full_one_lends_no_more, none_left),
		cmocka_unit_test_teardown(the_connection_dies_under_all, none_left),
		cmocka_unit_test_teardown(first_requests_may_not_share, none_left),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
