/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection of HTTP/2 whose streams we open, with a server that writes frames as it likes, over a
 * pair of sockets. What the server is told is said as text.
 */
#include "h2/conn.h"

#include "base/clock.h"
#include "event/loop.h"
#include "http/h2_message.h"
#include "net/test_sockets.h"
#include "relay/message_end.h"
#include "relay/pump.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { LANES = 6, FIELDS = 16, ROOM = 1 << 21, SAID = 8192 };

/* An exchange: the server's end is that of a stream. */
struct lane {
	struct relay relay;
	struct h2_stream *st;
	struct message res;
	struct field fields[FIELDS];
};

static struct lane lanes[LANES];
static struct h2_conn *client;
static bool closed, over;
static int fd = -1;

/* ---- the side of the owner ---- */

static void is_closed(void *owner)
{
	(void)owner;
	closed = true;
	h2_conn_free(&client);
}

static void room_changes(void *owner)
{
	(void)owner;
	over = !h2_conn_room(client);
}

static const struct h2_owner owner = { .closed = is_closed, .room = room_changes };

static void lane_notice(struct relay *relay, struct pump *pump)
{
	(void)relay;
	(void)pump;
}

static void lane_open(struct lane *lane)
{
	*lane = (struct lane){ .st = h2_conn_open(client) };
	assert_non_null(lane->st);
	relay_init(&lane->relay);
	relay_notice = lane_notice;
	h2_lend(lane->st, &lane->relay.server);
}

static enum io lane_ask(struct lane *lane, const char *method, const char *target)
{
	struct field host = { .name = span_of("Host"), .value = span_of("a"), .id = FIELD_HOST };
	struct message req;

	message_init(&req, false, &host, 1);
	req.method_text = span_of(method);
	req.method = method_find(req.method_text);
	req.target = span_of(target);
	req.count = 1;
	return end_head_out(&lane->relay.server, &req);
}

static void lane_finish(struct lane *lane)
{
	lane->relay.server.ops->finish(&lane->relay.server);
}

static void lane_get(struct lane *lane, const char *target)
{
	lane_open(lane);
	assert_int_equal(lane_ask(lane, "GET", target), IO_OK);
	lane_finish(lane);
}

static enum io lane_head(struct lane *lane)
{
	lane->res.fields = lane->fields;
	lane->res.max = lane->res.most = FIELDS;
	return end_head_in(&lane->relay.server, &lane->res);
}

/* How many bytes of the body are here. */
static size_t lane_body(struct lane *lane, enum io *r)
{
	char bytes[5000];
	size_t got, all = 0;

	while ((*r = lane->relay.server.ops->recv(&lane->relay.server, bytes, sizeof(bytes), &got)) == IO_OK)
		all += got;
	return all;
}

static void lane_close(struct lane *lane, bool reset)
{
	end_close(&lane->relay.server, reset);
}

/* ---- the side of the server ---- */

static char in[ROOM], said[SAID];
static size_t in_len;
static struct h2_reader reader;
static struct field_table table;
static bool greeted;

static void turn(void)
{
	ssize_t n;

	clock_update();
	loop_turn(0);
	if (fd >= 0 && in_len < ROOM && (n = recv(fd, in + in_len, ROOM - in_len, MSG_DONTWAIT)) > 0)
		in_len += (size_t)n;
}

static void frame(enum h2_type type, unsigned flags, uint32_t stream, const void *bytes, size_t len)
{
	char all[H2_FRAME_HEADER + H2_FRAME_LEAST];
	size_t sent = 0;
	unsigned i;
	ssize_t n;

	h2_write_header(all, type, flags, stream, (uint32_t)len);
	if (len)
		memcpy(all + H2_FRAME_HEADER, bytes, len);
	while (sent < H2_FRAME_HEADER + len) {
		n = send(fd, all + sent, H2_FRAME_HEADER + len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0)
			sent += (size_t)n;
		turn();
	}
	for (i = 0; i < 3; i++)
		turn();
}

static void answer(uint32_t stream, unsigned status, unsigned flags)
{
	char block[16];
	struct hpack_writer w = { block, block + sizeof(block), false };

	hpack_write_status(&w, status);
	frame(H2_HEADERS, flags | H2_END_HEADERS, stream, block, (size_t)(w.at - block));
}

static void say_head(struct text *t, const struct h2_read *r)
{
	static struct field fields[FIELDS];
	static char memory[4096];
	struct hpack_fields list = { .fields = fields, .max = FIELDS, .memory = memory,
				     .room = sizeof(memory), .limit = UINT64_MAX };
	unsigned i;

	assert_int_equal(hpack_read(&table, r->payload, &list), HPACK_OK);
	text_printf(t, "%u:", r->frame.stream);
	for (i = 0; i < list.count; i++)
		text_printf(t, "%s%.*s", i ? " " : "", (int)fields[i].value.len, fields[i].value.ptr);
	text_printf(t, "%s; ", r->frame.flags & H2_END_STREAM ? " end" : "");
}

static void say(struct text *t, enum h2_result result, const struct h2_read *r)
{
	assert_int_not_equal(result, H2_BAD);
	if (result == H2_PIECE) {
		if (r->last)
			text_printf(t, "%u:DATA %u%s; ", r->frame.stream, r->frame.length,
				    r->frame.flags & H2_END_STREAM ? " end" : "");
		return;
	}
	switch (r->frame.type) {
	case H2_HEADERS:
		say_head(t, r);
		break;
	case H2_RST_STREAM:
		text_printf(t, "%u:RST %s; ", r->frame.stream, h2_code_name(h2_number(r->payload.ptr)));
		break;
	case H2_GOAWAY:
		text_printf(t, "GOAWAY %s; ", h2_code_name(h2_number(r->payload.ptr + 4)));
		break;
	case H2_WINDOW_UPDATE:
		text_printf(t, "%u:WINDOW %u; ", r->frame.stream, h2_number(r->payload.ptr));
		break;
	default:
		break;
	}
}

static const char *heard(void)
{
	struct span rest;
	enum h2_result result;
	struct h2_read r;
	struct text t;
	unsigned i;

	for (i = 0; i < 30; i++)
		turn();
	rest = (struct span){ in, in_len };
	if (!greeted) {
		assert_true(rest.len > H2_PREFACE_LEN && !memcmp(rest.ptr, h2_preface, H2_PREFACE_LEN));
		rest.ptr += H2_PREFACE_LEN;
		rest.len -= H2_PREFACE_LEN;
		greeted = true;
	}
	text_init(&t, said, sizeof(said));
	while ((result = h2_read(&reader, &rest, &r)) != H2_MORE)
		say(&t, result, &r);
	memmove(in, rest.ptr, rest.len);
	in_len = rest.len;
	return said;
}

static void expect(const char *text)
{
	assert_string_equal(heard(), text);
}

static void connect_to(void)
{
	static const struct h2_limits usual = { .streams = 5, .window = H2_WINDOW_FIRST,
						.table = HPACK_DEFAULT };
	struct conn *conn = conn_new();
	int fds[2], on = 1;

	test_tcp_pair(fds, 0);
	setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fds[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fd = fds[0];
	in_len = 0;
	closed = over = greeted = false;
	memset(lanes, 0, sizeof(lanes));
	reader = (struct h2_reader){ .max = H2_FRAME_LEAST };
	field_table_init(&table, HPACK_DEFAULT);
	clock_update();
	assert_int_equal(conn_attach(conn, &fds[1], CONN_WRITABLE | CONN_TCP, NULL), 0);
	client = h2_conn_new(&conn, true, &usual, &owner, NULL, (struct span){ NULL, 0 });
	assert_non_null(client);
}

/* The server's settings have come. */
static void begin(const char *settings, size_t len)
{
	connect_to();
	frame(H2_SETTINGS, 0, 0, settings, len);
	expect("0:WINDOW 983041; ");
}

static void leave(void)
{
	unsigned i;

	for (i = 0; i < LANES; i++)
		if (lanes[i].relay.server.ops)
			lane_close(&lanes[i], true);
	if (!closed)
		h2_conn_drain(client);
	for (i = 0; i < 20 && !closed; i++)
		turn();
	assert_true(closed && over);
	close(fd);
	fd = -1;
	field_table_free(&table);
}

/* ---- what a server sees ---- */

/* The request goes along with the preface: nobody waits for settings. */
static void the_first_request(void **state)
{
	enum io r;

	(void)state;
	connect_to();
	lane_get(&lanes[0], "/x");
	assert_null(h2_conn_open(client)); /* how many it takes is not known */
	expect("0:WINDOW 983041; 1:GET http /x a end; 1:WINDOW 49151; ");
	assert_int_equal(lane_head(&lanes[0]), IO_AGAIN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	answer(1, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	assert_int_equal(lanes[0].res.status, 200);
	frame(H2_DATA, H2_END_STREAM, 1, "hello", 5);
	assert_int_equal(lane_body(&lanes[0], &r), 5);
	assert_int_equal(r, IO_EOF);
	h2_take_back(&lanes[0].relay.server);
	expect("");
	assert_int_equal(h2_conn_numbers(client).streams, 0);
	leave();
}

/* Whoever speaks first has the lower id; one that says nothing costs the server nothing. */
static void ids_in_the_order_of_heads(void **state)
{
	(void)state;
	begin(NULL, 0);
	lane_open(&lanes[0]);
	lane_open(&lanes[1]);
	lane_get(&lanes[2], "/2");
	assert_int_equal(lane_ask(&lanes[0], "POST", "/0"), IO_OK);
	lane_close(&lanes[1], true);
	expect("1:GET http /2 a end; 1:WINDOW 49151; 3:POST http /0 a; 3:WINDOW 49151; ");
	lane_close(&lanes[0], true);
	lane_close(&lanes[2], false);
	expect("3:RST CANCEL; 1:RST CANCEL; ");
	leave();
}

static void interim_and_bodiless(void **state)
{
	static const struct { const char *method; unsigned status; } rows[] = {
		{ "HEAD", 200 }, { "GET", 204 }, { "GET", 304 }, { "GET", 200 },
	};
	size_t i;
	enum io r;

	(void)state;
	begin(NULL, 0);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		uint32_t id = 1 + 2 * (uint32_t)i;

		lane_open(&lanes[i]);
		assert_int_equal(lane_ask(&lanes[i], rows[i].method, "/"), IO_OK);
		lane_finish(&lanes[i]);
		heard();
		answer(id, 103, 0);
		assert_int_equal(lane_head(&lanes[i]), IO_OK);
		assert_true(lanes[i].res.flags & MSG_INTERIM);
		assert_int_equal(lane_head(&lanes[i]), IO_AGAIN);
		answer(id, rows[i].status, H2_END_STREAM);
		assert_int_equal(lane_head(&lanes[i]), IO_OK);
		assert_int_equal(lanes[i].res.framing, BODY_NONE);
		assert_int_equal(lanes[i].res.count, i == 3); /* Content-Length: 0 */
		assert_true(lanes[i].relay.server.framing->ended);
		assert_int_equal(lane_body(&lanes[i], &r), 0);
		lane_close(&lanes[i], false);
	}
	expect("");
	leave();
}

/* ---- how many ---- */

static void the_server_limits_streams(void **state)
{
	(void)state;
	begin("\0\3\0\0\0\2", 6);
	assert_int_equal(h2_conn_room(client), 2);
	lane_get(&lanes[0], "/");
	lane_get(&lanes[1], "/");
	assert_null(h2_conn_open(client));
	lane_close(&lanes[0], true);
	assert_int_equal(h2_conn_room(client), 1);
	frame(H2_SETTINGS, 0, 0, "\0\3\0\0\x7\0", 6);
	heard();
	assert_int_equal(h2_conn_room(client), 4); /* our own bound */
	frame(H2_SETTINGS, 0, 0, "\0\3\0\0\0\0", 6);
	heard();
	assert_int_equal(h2_conn_room(client), 0);
	leave();
}

/* ---- windows ---- */

/* A client that reads nothing does not hold up the others: the connection's window is filled up by
 * what came, the stream's by what was taken. */
static void the_slow_do_not_hold_up_others(void **state)
{
	static char bytes[H2_FRAME_LEAST];
	size_t i, all = 0;
	enum io r;

	(void)state;
	begin(NULL, 0);
	lane_get(&lanes[0], "/slow");
	lane_get(&lanes[1], "/fast");
	heard();
	answer(1, 200, 0);
	answer(3, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	assert_int_equal(lane_head(&lanes[1]), IO_OK);
	frame(H2_DATA, 0, 1, bytes, sizeof(bytes));
	for (i = 0; i < 100; i++) {
		frame(H2_DATA, 0, 3, bytes, 8192);
		all += lane_body(&lanes[1], &r);
	}
	assert_int_equal(all, 100 * 8192);
	heard();
	assert_non_null(strstr(said, "0:WINDOW 52"));
	assert_non_null(strstr(said, "3:WINDOW "));
	assert_null(strstr(said, "1:WINDOW"));
	assert_int_equal(lane_body(&lanes[0], &r), sizeof(bytes));
	leave();
}

/* How much the server may send on the stream. */
static size_t lane_window(const struct lane *lane)
{
	struct end_share share;

	assert_true(end_shares(&lane->relay.server, &share));
	return (size_t)share.recv;
}

/* The server sends all that it may, which nobody takes; how much that is. */
static size_t fill(struct lane *lane, uint32_t stream)
{
	static char bytes[H2_FRAME_LEAST];
	size_t all = 0, n;

	while ((n = lane_window(lane)) > 0) {
		n = n < sizeof(bytes) ? n : sizeof(bytes);
		frame(H2_DATA, 0, stream, bytes, n);
		all += n;
	}
	return all;
}

/* ... in pieces of 1 kB, each of which is taken at once. */
static void pour(struct lane *lane, uint32_t stream, size_t len)
{
	static char bytes[1024];
	enum io r;

	for (; len; len -= sizeof(bytes)) {
		frame(H2_DATA, 0, stream, bytes, sizeof(bytes));
		assert_int_equal(lane_body(lane, &r), sizeof(bytes));
	}
}

static void begin_slow(void)
{
	begin(NULL, 0);
	lane_get(&lanes[0], "/slow");
	heard();
	answer(1, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	assert_int_equal(lane_window(&lanes[0]), H2_WINDOW_FIRST);
}

/* What nobody takes makes windows smaller, down to the least. What leaves then is promised anew as
 * far as the smaller one goes. Who takes all at once has larger ones again. */
static void windows_shrink_where_nobody_takes(void **state)
{
	size_t first = H2_WINDOW_FIRST, all;
	unsigned i;
	enum io r;

	(void)state;
	clock_freeze(1000000);
	begin_slow();
	pour(&lanes[0], 1, 512 * 1024);
	assert_in_range(lane_window(&lanes[0]), 2 * first, 4 * first);
	assert_int_equal(h2_all.servers.grown, (256 << 10) - H2_FRAME_LEAST);
	for (i = 0; i < 6; i++) { /* 256 kB, 128, 64, 32, 16 */
		clock_advance(1000);
		all = fill(&lanes[0], 1);
		assert_int_equal(h2_all.servers.kept, all);
		assert_int_equal(lane_body(&lanes[0], &r), all);
		assert_int_equal(h2_all.servers.kept, 0);
	}
	assert_in_range(lane_window(&lanes[0]), H2_FRAME_LEAST / 2, H2_FRAME_LEAST);
	assert_int_equal(h2_all.servers.grown, 0);
	pour(&lanes[0], 1, 512 * 1024);
	assert_in_range(lane_window(&lanes[0]), 2 * first, 4 * first);
	leave();
	assert_int_equal(h2_all.servers.grown, 0);
}

/* All streams together: then a window begins with the least, and remains so. */
static void windows_share_a_bound(void **state)
{
	const uint32_t others = 12 << 20;

	(void)state;
	clock_freeze(1000000);
	h2_all.servers.grown = others;
	begin(NULL, 0);
	lane_get(&lanes[0], "/late");
	expect("1:GET http /late a end; ");
	answer(1, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	pour(&lanes[0], 1, 512 * 1024);
	assert_in_range(lane_window(&lanes[0]), H2_FRAME_LEAST / 2, H2_FRAME_LEAST);
	assert_int_equal(h2_all.servers.grown, others);
	leave();
	assert_int_equal(h2_all.servers.grown, others);
	h2_all.servers.grown = 0;
}

/* Where readers that do not keep up have much here, a window begins with the least, and grows with
 * what is taken. */
static void windows_begin_small_beside_slow_readers(void **state)
{
	(void)state;
	clock_freeze(1000000);
	h2_all.servers.kept = 2 << 20;
	begin(NULL, 0);
	lane_get(&lanes[0], "/one");
	expect("1:GET http /one a end; ");
	assert_int_equal(lane_window(&lanes[0]), H2_FRAME_LEAST);
	answer(1, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	pour(&lanes[0], 1, 512 * 1024);
	assert_in_range(lane_window(&lanes[0]), 128 << 10, 256 << 10);
	h2_all.servers.kept = 0;
	lane_get(&lanes[1], "/two");
	assert_int_equal(lane_window(&lanes[1]), H2_WINDOW_FIRST);
	leave();
	assert_int_equal(h2_all.servers.grown, 0);
}

/* ---- what ends ---- */

static void a_server_that_goes_away(void **state)
{
	char update[8] = "\0\0\0\1\0\0\0\0";
	enum io r;

	(void)state;
	begin(NULL, 0);
	lane_get(&lanes[0], "/0");
	lane_get(&lanes[1], "/1");
	heard();
	lane_open(&lanes[2]);
	frame(H2_GOAWAY, 0, 0, update, sizeof(update));
	assert_true(over);
	assert_null(h2_conn_open(client));
	assert_int_equal(lane_head(&lanes[1]), IO_ERR);
	assert_true(end_unprocessed(&lanes[1].relay.server));
	assert_int_equal(lane_ask(&lanes[2], "GET", "/2"), IO_ERR);
	assert_true(end_unprocessed(&lanes[2].relay.server));
	assert_false(end_unprocessed(&lanes[0].relay.server));
	lane_close(&lanes[1], true);
	lane_close(&lanes[2], true);
	answer(1, 200, 0);
	assert_int_equal(lane_head(&lanes[0]), IO_OK);
	frame(H2_DATA, H2_END_STREAM, 1, "x", 1);
	assert_int_equal(lane_body(&lanes[0], &r), 1);
	assert_false(closed);
	lane_close(&lanes[0], false);
	expect("GOAWAY NO_ERROR; ");
	assert_true(closed);
	leave();
}

static void streams_that_the_server_resets(void **state)
{
	enum io r;

	(void)state;
	begin(NULL, 0);
	lane_get(&lanes[0], "/refused");
	lane_get(&lanes[1], "/broken");
	lane_open(&lanes[2]);
	assert_int_equal(lane_ask(&lanes[2], "POST", "/answered"), IO_OK);
	heard();
	frame(H2_RST_STREAM, 0, 1, "\0\0\0\7", 4);
	assert_int_equal(lane_head(&lanes[0]), IO_ERR);
	assert_true(end_unprocessed(&lanes[0].relay.server));
	answer(3, 200, 0);
	assert_int_equal(lane_head(&lanes[1]), IO_OK);
	frame(H2_DATA, 0, 3, "abc", 3);
	frame(H2_RST_STREAM, 0, 3, "\0\0\0\7", 4);
	assert_int_equal(lane_body(&lanes[1], &r), 3);
	assert_int_equal(r, IO_ERR);
	assert_false(end_unprocessed(&lanes[1].relay.server));
	/* The response is whole; the rest of the request is not wanted. */
	answer(5, 200, 0);
	frame(H2_DATA, H2_END_STREAM, 5, "abc", 3);
	frame(H2_RST_STREAM, 0, 5, "\0\0\0\0", 4);
	assert_int_equal(lane_head(&lanes[2]), IO_OK);
	assert_int_equal(lane_body(&lanes[2], &r), 3);
	assert_int_equal(r, IO_EOF);
	lane_close(&lanes[2], true);
	expect("");
	leave();
}

/* Many are left at once; what the server says of them still is nobody's. */
static void what_was_left(void **state)
{
	unsigned i;

	(void)state;
	begin(NULL, 0);
	for (i = 0; i < 50; i++) {
		lane_get(&lanes[0], "/");
		lane_close(&lanes[0], true);
	}
	heard();
	for (i = 0; i < 50; i++) {
		answer(1 + 2 * i, 200, 0);
		frame(H2_DATA, H2_END_STREAM, 1 + 2 * i, "x", 1);
	}
	expect("");
	assert_false(over);
	frame(H2_HEADERS, H2_END_HEADERS, 101, "\x88", 1);
	expect("GOAWAY PROTOCOL_ERROR; ");
	leave();
}

static void a_connection_that_dies(void **state)
{
	unsigned i;

	(void)state;
	begin(NULL, 0);
	lane_get(&lanes[0], "/");
	heard();
	shutdown(fd, SHUT_WR);
	for (i = 0; i < 20; i++)
		turn();
	assert_true(over && !closed);
	assert_int_equal(lane_head(&lanes[0]), IO_ERR);
	assert_false(end_unprocessed(&lanes[0].relay.server));
	leave();
}

static int world_begin(void **state)
{
	(void)state;
	clock_update();
	return loop_init(100);
}

static int world_end(void **state)
{
	(void)state;
	loop_free();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_request),
		cmocka_unit_test(ids_in_the_order_of_heads),
		cmocka_unit_test(interim_and_bodiless),
		cmocka_unit_test(the_server_limits_streams),
		cmocka_unit_test(the_slow_do_not_hold_up_others),
		cmocka_unit_test(a_server_that_goes_away),
		cmocka_unit_test(streams_that_the_server_resets),
		cmocka_unit_test(what_was_left),
		cmocka_unit_test(a_connection_that_dies),
		/* The clock stands still from here on. */
		cmocka_unit_test(windows_shrink_where_nobody_takes),
		cmocka_unit_test(windows_share_a_bound),
		cmocka_unit_test(windows_begin_small_beside_slow_readers),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
