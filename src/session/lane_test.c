/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes of a connection that carries many streams, of a protocol that there is not: it brings a
 * table and ends, as a third protocol would. Streams, exchanges and the server's connections are
 * real; the server is told when to answer which stream, so that they end in any order. */
#include "session/lane.h"

#include "base/clock.h"
#include "base/pool.h"
#include "exchange/test_world.h"
#include "http/message.h"
#include "net/conn.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/stream.h"
#include "stream/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAMS = 3, QUIET = 30, PATIENCE = 2000, MANY = 10000 };

/* ---- the connection ------------------------------------------------------------------------- */

/* What one stream has of it. */
struct part {
	struct end *end;        /* NULL: not lent */
	struct stream *stream;
	const struct origin *origin;
	uint16_t flags;         /* CONN_* */
	struct framing framing;
	const char *target;
	unsigned status, lends, taken_back, closed;
	bool reset;
};

static struct connection {
	struct origin origin;
	struct part parts[STREAMS];
	unsigned requests;
	bool dead, draining;
} connection;

static enum io part_head_in(struct end *end, struct message *msg)
{
	struct part *part = end_applet(end);

	if (connection.dead)
		return IO_ERR;
	message_init(msg, false, msg->fields, msg->max);
	msg->major = msg->minor = 1;
	msg->flags = MSG_KEEP_ALIVE | MSG_HAS_HOST;
	msg->method = METHOD_GET;
	msg->method_text = method_span(METHOD_GET);
	msg->target = span_of(part->target);
	msg->host = span_of("a");
	part->flags &= (uint16_t)~CONN_READABLE;
	part->framing.ended = true;
	return IO_OK;
}

static enum io part_head_out(struct end *end, struct message *msg)
{
	struct part *part = end_applet(end);

	if (connection.dead)
		return IO_ERR;
	part->status = msg->status;
	return IO_OK;
}

static enum io part_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	(void)end;
	(void)buf;
	(void)size;
	*got = 0;
	return connection.dead ? IO_ERR : IO_EOF;
}

static enum io part_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	(void)end;
	(void)buf;
	(void)more;
	*sent = connection.dead ? 0 : len;
	return connection.dead ? IO_ERR : IO_OK;
}

static void part_finish(struct end *end)
{
	(void)end;
}

static void part_close(struct end *end, bool reset)
{
	struct part *part = end_applet(end);

	part->closed++;
	part->reset = reset;
	part->end = NULL;
}

static const struct message_ops part_ops = {
	.end = {
		.name = "part",
		.recv = part_recv,
		.send = part_send,
		.finish = part_finish,
		.close = part_close,
	},
	.head_in = part_head_in,
	.head_out = part_head_out,
};

static void part_lend(void *lent, struct end *end)
{
	struct part *part = lent;

	part->lends++;
	part->end = end;
	part->flags = CONN_READABLE | CONN_WRITABLE;
	part->framing = (struct framing){ .passable = UINT64_MAX };
	part->stream = stream_of(container_of(end, struct relay, client));
	part->origin = part->stream->origin;
	end_set_applet(end, &part_ops.end, part, &part->flags, &part->framing);
}

static void part_take_back(struct end *end)
{
	struct part *part = end_applet(end);

	part->taken_back++;
	part->end = NULL;
	end_forget(end);
}

static bool part_draining(const struct origin *origin)
{
	(void)origin;
	return connection.draining;
}

static const struct lane_kind kind = {
	.carrier = LANE_CARRIER("test", part_draining),
	.lend = part_lend,
	.take_back = part_take_back,
};

static void connection_open(const char *frontend)
{
	connection = (struct connection){
		.origin = { .carrier = &kind.carrier, .frontend = world_frontend(frontend),
			    .accepted_ms = clock_now_ms, .accepted = clock_wall() },
	};
	connection.origin.session_vars = &connection.origin.vars;
	connection.origin.src.family = AF_UNSPEC;
}

/* The client begins a stream. */
static struct part *part_ask(unsigned at, const char *target)
{
	struct part *part = &connection.parts[at];
	struct lane *lane;

	assert_null(part->end);
	*part = (struct part){ .target = target };
	lane = lane_new(&kind, &connection.origin, connection.requests++, part);
	assert_non_null(lane);
	assert_true(lane_start(&lane));
	assert_null(lane);
	return part;
}

static void part_is_answered(const struct part *part, unsigned status)
{
	assert_null(part->end);
	assert_int_equal(part->status, status);
	assert_int_equal(part->lends, 1);
	assert_int_equal(part->taken_back, 1);
	assert_int_equal(part->closed, 0);
}

/* ---- the server ----------------------------------------------------------------------------- */

static int listening;
static struct {
	int fd;           /* -1: none */
	char target;      /* what it asked for: "/a"; 0: nothing yet */
} asked[STREAMS];

static void server_turn(void)
{
	char text[500];
	unsigned i;

	for (i = 0; i < STREAMS; i++) {
		if (asked[i].fd < 0)
			asked[i].fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
		if (asked[i].fd >= 0 && !asked[i].target &&
		    recv(asked[i].fd, text, sizeof(text), MSG_DONTWAIT) > 5)
			asked[i].target = text[5];
	}
}

static void turns(unsigned n)
{
	while (n--) {
		server_turn();
		world_turn(0);
	}
}

/* It has been asked for that: answers. */
static void server_answers(char target)
{
	static const char answer[] = "HTTP/1.1 204 No Content\r\n\r\n";
	unsigned i;

	for (i = 0; i < STREAMS && asked[i].target != target; i++)
		;
	assert_true(i < STREAMS);
	assert_int_equal(send(asked[i].fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL),
			 sizeof(answer) - 1);
	asked[i].target = 0;
	turns(QUIET);
}

static unsigned server_has(void)
{
	unsigned i, n = 0;

	for (i = 0; i < STREAMS; i++)
		n += asked[i].target != 0;
	return n;
}

/* ---- the world ------------------------------------------------------------------------------ */

static int begin(void **state)
{
	char text[1000];
	unsigned port, i;

	(void)state;
	listening = world_listen(&port);
	for (i = 0; i < STREAMS; i++)
		asked[i].fd = -1;
	snprintf(text, sizeof(text),
		 "defaults\n mode http\n timeout connect 5s\n timeout client 60s\n"
		 "frontend f\n http-request return status 200 if { path /now }\n"
		 " http-request set-var(sess.n) path\n default_backend b\n"
		 "frontend hasty\n default_backend hasty\n"
		 "backend b\n timeout server 60s\n http-reuse always\n server s 127.0.0.1:%u\n"
		 "backend hasty\n timeout server 200ms\n http-reuse always\n server s 127.0.0.1:%u\n",
		 port, port);
	world_begin(text);
	return 0;
}

static int end(void **state)
{
	unsigned i;

	(void)state;
	world_end();
	for (i = 0; i < STREAMS; i++)
		if (asked[i].fd >= 0)
			close(asked[i].fd);
	close(listening);
	return 0;
}

static struct pool *lanes(void)
{
	struct pool *pool = pool_first();

	while (pool && strcmp(pool->name, "lane"))
		pool = pool->next;
	assert_non_null(pool);
	return pool;
}

/* Lanes go with their streams. */
static int nothing_left(void **state)
{
	unsigned i;

	(void)state;
	origin_free(&connection.origin);
	turns(3);
	assert_int_equal(streams_count, 0);
	assert_int_equal(lanes()->used, 0);
	for (i = 0; i < STREAMS; i++) {
		if (asked[i].fd >= 0)
			close(asked[i].fd);
		asked[i].fd = -1;
		asked[i].target = 0;
	}
	turns(3);
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static const char *const targets[STREAMS] = { "/a", "/b", "/c" };

static void ask_all(void)
{
	unsigned i;

	for (i = 0; i < STREAMS; i++)
		part_ask(i, targets[i]);
	turns(QUIET);
	assert_int_equal(streams_count, STREAMS);
	assert_int_equal(server_has(), STREAMS);
}

static void they_end_in_any_order(void **state)
{
	static const unsigned orders[][STREAMS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
						    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	unsigned i, k;

	(void)state;
	connection_open("f");
	for (i = 0; i < ARRAY_LEN(orders); i++) {
		ask_all();
		for (k = 0; k < STREAMS; k++) {
			struct part *part = &connection.parts[orders[i][k]];

			assert_non_null(part->end);
			server_answers(part->target[1]);
			part_is_answered(part, 204);
			assert_int_equal(streams_count, STREAMS - 1 - k);
		}
	}
	assert_int_equal(connection.requests, STREAMS * ARRAY_LEN(orders));
}

/* One ends and another begins in its place, while a third one waits. */
static void they_come_and_go(void **state)
{
	const struct part *waits;
	unsigned i;

	(void)state;
	connection_open("f");
	waits = part_ask(0, "/a");
	for (i = 0; i < 20; i++) {
		part_ask(1, "/b");
		turns(QUIET);
		server_answers('b');
		part_is_answered(&connection.parts[1], 204);
		assert_non_null(waits->end);
	}
	server_answers('a');
	part_is_answered(waits, 204);
}

/* The stream has ended before lane_start returns. */
static void it_ends_at_once(void **state)
{
	(void)state;
	connection_open("f");
	part_is_answered(part_ask(0, "/now"), 200);
}

/* Each has its own of what is its own, and the connection's of all else. */
static void origins_are_apart(void **state)
{
	const struct origin *o[STREAMS];
	struct told *told;
	unsigned i;

	(void)state;
	connection_open("f");
	told = origin_told(&connection.origin);
	assert_non_null(told);
	told->dst.family = AF_INET;
	told->has_dst = true;
	proxies_running->global.keeps_vectors = true;
	vectors_keep(&connection.origin, span_of("vectors"));
	assert_non_null(told->vectors);
	connection.requests = 40;
	ask_all();
	for (i = 0; i < STREAMS; i++) {
		o[i] = connection.parts[i].origin;
		assert_ptr_equal(o[i]->frontend, connection.origin.frontend);
		assert_ptr_not_equal(o[i], &connection.origin);
		assert_ptr_not_equal(o[i]->told, told);
		assert_ptr_equal(o[i]->told->vectors, told->vectors);
		assert_true(origin_dst(o[i]) != NULL);
		assert_int_equal(o[i]->requests, 41 + i); /* the present one counts */
		assert_ptr_not_equal(o[i], o[(i + 1) % STREAMS]);
	}
	assert_ptr_equal(o[0]->session_vars, connection.origin.session_vars);
	for (i = 0; i < STREAMS; i++)
		server_answers(targets[i][1]);
	assert_ptr_equal(connection.origin.told, told);
}

/* All that are lent an end are told; what the server has is given up. */
static void the_connection_goes(void **state)
{
	unsigned i, answered;

	(void)state;
	for (answered = 0; answered < STREAMS; answered++) {
		connection_open("f");
		ask_all();
		for (i = 0; i < answered; i++)
			server_answers(targets[i][1]);
		connection.dead = true;
		for (i = 0; i < STREAMS; i++) {
			struct part *part = &connection.parts[i];

			part->flags |= CONN_HUP | CONN_ERROR | CONN_READABLE | CONN_WRITABLE;
			if (part->end)
				end_ready(part->end);
		}
		turns(QUIET);
		for (i = 0; i < STREAMS; i++) {
			const struct part *part = &connection.parts[i];

			assert_null(part->end);
			assert_int_equal(part->taken_back, i < answered);
			assert_int_equal(part->closed, i >= answered);
		}
		assert_int_equal(nothing_left(NULL), 0);
	}
}

/* Each has a timer: the silence of one server ends one stream. */
static void timers_are_apart(void **state)
{
	unsigned i;

	(void)state;
	connection_open("hasty");
	ask_all();
	server_answers('b');
	part_is_answered(&connection.parts[1], 204);
	for (i = 0; streams_count && i < PATIENCE; i++)
		world_turn(10);
	part_is_answered(&connection.parts[0], 504);
	part_is_answered(&connection.parts[2], 504);
	/* The connection is as good as before. */
	part_ask(1, "/b");
	turns(QUIET);
	server_answers('b');
	part_is_answered(&connection.parts[1], 204);
}

/* It goes on with what it has, and the client is told with each response: nothing is taken back. */
static void it_drains(void **state)
{
	unsigned i;

	(void)state;
	connection_open("f");
	ask_all();
	server_answers('a');
	part_is_answered(&connection.parts[0], 204);
	connection.draining = true;
	server_answers('b');
	server_answers('c');
	for (i = 1; i < STREAMS; i++) {
		assert_int_equal(connection.parts[i].status, 204);
		assert_int_equal(connection.parts[i].taken_back, 0);
		assert_int_equal(connection.parts[i].closed, 1);
		assert_false(connection.parts[i].reset);
	}
}

/* Without memory no stream begins, and others go on. */
static void one_has_no_memory(void **state)
{
	struct part part = { .target = "/b" };
	void *taken[MANY];
	unsigned n;

	(void)state;
	connection_open("f");
	part_ask(0, "/a");
	turns(QUIET);
	for (n = 0; (taken[n] = pool_take_ready(lanes())); n++)
		assert_true(n + 1 < MANY);
	lanes()->limit = lanes()->allocated;
	assert_null(lane_new(&kind, &connection.origin, connection.requests, &part));
	lanes()->limit = 0;
	while (n)
		pool_put(lanes(), taken[--n]);
	assert_int_equal(part.lends, 0);
	assert_int_equal(streams_count, 1);
	server_answers('a');
	part_is_answered(&connection.parts[0], 204);
}

static void they_are_killed(void **state)
{
	unsigned i;

	(void)state;
	connection_open("f");
	ask_all();
	stream_end_soon(connection.parts[1].stream, END_KILLED);
	turns(QUIET);
	assert_null(connection.parts[1].end);
	assert_int_equal(streams_count, 2);
	streams_end_all(END_KILLED);
	for (i = 0; i < STREAMS; i++)
		assert_null(connection.parts[i].end);
}

#define EACH(test) cmocka_unit_test_teardown(test, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(they_end_in_any_order), EACH(they_come_and_go), EACH(it_ends_at_once),
		EACH(origins_are_apart), EACH(the_connection_goes), EACH(timers_are_apart),
		EACH(it_drains), EACH(one_has_no_memory), EACH(they_are_killed),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
