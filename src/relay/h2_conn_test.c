/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection of HTTP/2 with a client that writes frames byte by byte as it likes, over a pair of
 * sockets. Streams are answered by real pumps out of a fake source: GET /n has n bytes, /wait none
 * until it is released, any request's body is read and counted. What comes back is told as text.
 */
#include "relay/h2_conn.h"

#include "base/bug.h"
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
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { LANES = 64, FIELDS = 64, ROOM = 1 << 20, SAID = 8192 };

/* One stream as its owner sees it. */
struct lane {
	struct relay relay;
	struct message req;
	struct field fields[FIELDS];
	uint16_t source_flags;
	bool used, has_head, ended, answered, broken;
	size_t body, size, given;
	char target[32];
	char trailers[64];
	char follows[16]; /* of each piece of the body: 'f' where the next is at hand */
};

static struct lane lanes[LANES];
static struct h2_conn *server;
static bool closed, refuse_all, hold, busy, deaf;
static int fd = -1;
static const struct h2_limits usual = { .streams = 10, .window = H2_WINDOW_FIRST,
					.table = HPACK_DEFAULT };

/* ---- the side of the owner ---- */

static enum io source_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct lane *lane = end_applet(end);

	*got = lane->size - lane->given < size ? lane->size - lane->given : size;
	if (!*got)
		return IO_EOF;
	memset(buf, 'a' + (int)(lane->given / 1000 % 26), *got);
	lane->given += *got;
	return IO_OK;
}

static void source_close(struct end *end, bool reset)
{
	(void)end;
	(void)reset;
}

static const struct end_ops source_ops = { .name = "source", .recv = source_recv,
					   .close = source_close };

static void answer(struct lane *lane)
{
	struct field length = { .name = span_of("X-Size"), .value = span_of("some") };
	struct message res;

	lane->answered = true;
	lane->size = strtoul(lane->target + 1, NULL, 10);
	message_init(&res, true, &length, 1);
	res.status = lane->size == 404 || lane->size == 431 ? (uint16_t)lane->size : 200;
	res.count = 1;
	assert_int_equal(end_head_out(&lane->relay.client, &res), IO_OK);
	lane->source_flags = CONN_READABLE;
	end_set_applet(&lane->relay.server, &source_ops, lane, &lane->source_flags, NULL);
	pump_open(&lane->relay.response);
	pump_run(&lane->relay.response);
}

static void lane_leave(struct lane *lane)
{
	lane->used = false;
	relay_close(&lane->relay, false, false);
}

static bool read_body(struct lane *lane)
{
	char bytes[5000];
	size_t got;
	enum io r = IO_OK;

	while (r == IO_OK && !lane->relay.client.framing->ended) {
		r = end_message_ops(&lane->relay.client)->end.recv(&lane->relay.client, bytes,
								   sizeof(bytes), &got);
		lane->body += r == IO_OK ? got : 0;
	}
	return r == IO_EOF || lane->relay.client.framing->ended;
}

static enum held_next next_of(struct end *end)
{
	enum held_next next;
	struct span bytes;

	return end_message_ops(end)->end.held(end, &bytes, &next) ? next : HELD_MAYBE;
}

static void lane_notice(struct relay *relay, struct pump *pump)
{
	struct lane *lane = container_of(relay, struct lane, relay);
	struct end *client = &relay->client;
	struct span t;
	enum io r;

	if (*client->flags & CONN_ERROR) {
		lane->broken = true;
		lane_leave(lane);
		return;
	}
	if (pump == &relay->response) {
		if (pump->flags & PUMP_FINISHED)
			lane_leave(lane);
		return;
	}
	if (!lane->has_head) {
		lane->req.fields = lane->fields;
		lane->req.max = lane->req.most = FIELDS;
		r = end_head_in(client, &lane->req);
		if (r == IO_ERR && end_wrong(client) == 431 && !lane->answered) {
			memcpy(lane->target, "/431", 5);
			answer(lane);
		}
		if (r != IO_OK)
			return;
		lane->has_head = true;
		snprintf(lane->target, sizeof(lane->target), "%.*s", (int)lane->req.target.len,
			 lane->req.target.ptr);
		end_unpin(client);
	}
	if (*client->flags & CONN_HELD && strlen(lane->follows) + 1 < sizeof(lane->follows))
		strcat(lane->follows, next_of(client) == HELD_FOLLOWS ? "f" : ".");
	if (hold || lane->ended || !read_body(lane))
		return;
	lane->ended = true;
	t = end_trailers(client);
	snprintf(lane->trailers, sizeof(lane->trailers), "%.*s", (int)t.len, t.ptr ? t.ptr : "");
	if (strcmp(lane->target, "/wait"))
		answer(lane);
}

static bool opened(void *owner, struct h2_conn *c, struct h2_stream *st)
{
	struct lane *lane = lanes;

	(void)owner;
	(void)c;
	if (refuse_all)
		return false;
	while (lane->used)
		lane++;
	assert_true(lane < lanes + LANES);
	*lane = (struct lane){ .used = true };
	relay_init(&lane->relay, lane_notice);
	lane->relay.request.flags |= PUMP_WATCH;
	h2_lend(st, &lane->relay.client);
	end_ready(&lane->relay.client);
	return true;
}

static void is_busy(void *owner, bool is)
{
	(void)owner;
	busy = is;
}

static void is_closed(void *owner)
{
	(void)owner;
	closed = true;
	h2_conn_free(&server);
}

static const struct h2_owner owner = { opened, is_busy, is_closed, NULL };

/* ---- the side of the client ---- */

static char out[ROOM], in[ROOM], said[SAID];
static size_t out_len, in_len;
static struct h2_reader reader;
static struct hpack_table table;
static uint64_t bodies; /* bytes of DATA so far */
static bool data_said;  /* each frame of DATA is told, else only the last of a stream */

static void turn(void)
{
	ssize_t n;

	if (out_len) {
		n = send(fd, out, out_len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			memmove(out, out + n, out_len - (size_t)n);
			out_len -= (size_t)n;
		}
	}
	clock_update();
	loop_turn(0);
	if (!deaf && in_len < ROOM && (n = recv(fd, in + in_len, ROOM - in_len, MSG_DONTWAIT)) > 0)
		in_len += (size_t)n;
}

static void put(const void *bytes, size_t len)
{
	assert_true(out_len + len <= ROOM);
	memcpy(out + out_len, bytes, len);
	out_len += len;
}

static void frame(enum h2_type type, unsigned flags, uint32_t stream, const void *bytes, size_t len)
{
	char header[H2_FRAME_HEADER];

	h2_write_header(header, type, flags, stream, (uint32_t)len);
	put(header, sizeof(header));
	if (len)
		put(bytes, len);
}

static size_t request_block(const char *method, const char *path, const char *extra, char *to)
{
	struct hpack_writer w = { to, to + 4000, false };

	hpack_write_pseudo(&w, PSEUDO_METHOD, span_of(method));
	hpack_write_pseudo(&w, PSEUDO_SCHEME, span_of("http"));
	hpack_write_pseudo(&w, PSEUDO_PATH, span_of(path));
	hpack_write_pseudo(&w, PSEUDO_AUTHORITY, span_of("a"));
	if (extra)
		hpack_write_field(&w, FIELD_OTHER, span_of("priority"), span_of(extra));
	return (size_t)(w.at - to);
}

static void ask(uint32_t stream, const char *path, unsigned flags)
{
	char block[4000];

	frame(H2_HEADERS, flags | H2_END_HEADERS, stream, block,
	      request_block(flags & H2_END_STREAM ? "GET" : "POST", path, NULL, block));
}

static void say_fields(struct text *t, struct span block)
{
	static struct field fields[FIELDS];
	static char memory[4096];
	struct hpack_fields list = { .fields = fields, .max = FIELDS, .memory = memory,
				     .room = sizeof(memory), .limit = UINT64_MAX };
	unsigned i;

	assert_int_equal(hpack_read(&table, block, &list), HPACK_OK);
	for (i = 0; i < list.count; i++)
		text_printf(t, "%s%.*s=%.*s", i ? "," : "", (int)fields[i].name.len,
			    fields[i].name.ptr, (int)fields[i].value.len, fields[i].value.ptr);
}

static void say(struct text *t, enum h2_result result, const struct h2_read *r)
{
	static uint32_t piece;
	bool ends = r->frame.flags & H2_END_STREAM;

	assert_int_not_equal(result, H2_BAD);
	if (result == H2_PIECE) {
		bodies += r->payload.len;
		piece += (uint32_t)r->payload.len;
		if (r->last && (data_said || ends))
			text_printf(t, "%u:DATA %u%s; ", r->frame.stream, data_said ? piece : 0,
				    ends ? " end" : "");
		if (r->last)
			piece = 0;
		return;
	}
	switch (r->frame.type) {
	case H2_HEADERS:
		text_printf(t, "%u:", r->frame.stream);
		say_fields(t, r->payload);
		text_printf(t, "%s; ", ends ? " end" : "");
		break;
	case H2_RST_STREAM:
		text_printf(t, "%u:RST %s; ", r->frame.stream,
			    h2_code_name(h2_number(r->payload.ptr)));
		break;
	case H2_GOAWAY:
		text_printf(t, "GOAWAY %u %s; ", h2_number(r->payload.ptr),
			    h2_code_name(h2_number(r->payload.ptr + 4)));
		break;
	case H2_SETTINGS:
		text_str(t, r->frame.flags & H2_ACK ? "ACK; " : "SETTINGS; ");
		break;
	case H2_PING:
		text_printf(t, "PING %.8s; ", r->payload.ptr);
		break;
	default:
		break; /* windows */
	}
}

/* What came since last time. */
static const char *hear(void)
{
	struct span rest = { in, in_len };
	enum h2_result result;
	struct h2_read r;
	struct text t;

	text_init(&t, said, sizeof(said));
	while ((result = h2_read(&reader, &rest, &r)) != H2_MORE)
		say(&t, result, &r);
	memmove(in, rest.ptr, rest.len);
	in_len = rest.len;
	return said;
}

static const char *heard(void)
{
	unsigned i;

	for (i = 0; i < 30; i++)
		turn();
	return hear();
}

static void leave(void)
{
	unsigned i;

	if (fd >= 0)
		close(fd);
	fd = -1;
	for (i = 0; i < 20 && !closed; i++) {
		clock_update();
		loop_turn(0);
	}
	for (i = 0; i < LANES; i++)
		if (lanes[i].used)
			lane_leave(&lanes[i]);
	for (i = 0; i < 20 && !closed; i++)
		loop_turn(0);
	assert_true(closed);
	hpack_table_free(&table);
}

/* bufsize: of the server's socket; 0: as usual. */
static void connect_with(const struct h2_limits *limits, int bufsize)
{
	struct conn *conn = conn_new();
	int fds[2], on = 1;

	test_tcp_pair(fds, 0);
	if (bufsize)
		setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &bufsize, sizeof(bufsize));
	setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fds[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fd = fds[0];
	out_len = in_len = 0;
	bodies = 0;
	closed = refuse_all = hold = data_said = deaf = false;
	memset(lanes, 0, sizeof(lanes));
	reader = (struct h2_reader){ .max = H2_FRAME_LEAST };
	hpack_table_init(&table, HPACK_DEFAULT);
	clock_update();
	assert_int_equal(conn_attach(conn, &fds[1], CONN_WRITABLE | CONN_TCP, NULL), 0);
	server = h2_conn_new(&conn, false, limits, &owner, NULL, (struct span){ NULL, 0 });
	assert_non_null(server);
}

static void begin_with(const struct h2_limits *limits)
{
	connect_with(limits, 0);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	assert_string_equal(heard(), "SETTINGS; ACK; ");
}

static void begin(void)
{
	begin_with(&usual);
}

static void expect(const char *text)
{
	assert_string_equal(heard(), text);
}

/* ---- exchanges ---- */

#define OK ":status=200,x-size=some"

static void exchanges(void **state)
{
	(void)state;
	begin();
	ask(1, "/5", H2_END_STREAM);
	expect("1:" OK "; 1:DATA 0 end; ");
	assert_int_equal(bodies, 5);
	assert_false(busy);
	ask(3, "/0", H2_END_STREAM);
	expect("3:" OK " end; ");
	ask(5, "/404", H2_END_STREAM);
	ask(7, "/1", H2_END_STREAM);
	expect("5::status=404,x-size=some; 5:DATA 0 end; 7:" OK "; 7:DATA 0 end; ");
	assert_int_equal(h2_conn_numbers(server).opened, 4);
	assert_int_equal(h2_conn_numbers(server).streams, 0);
	leave();
}

/* The same bytes, split at each position. */
static void at_every_split(void **state)
{
	size_t cut, len;
	char all[2000];

	(void)state;
	for (cut = 1, len = 2; cut < len; cut++) {
		connect_with(&usual, 0);
		put(h2_preface, H2_PREFACE_LEN);
		frame(H2_SETTINGS, 0, 0, "\0\3\0\0\0\x64", 6);
		ask(1, "/3", 0);
		frame(H2_DATA, H2_PADDED, 1, "\2abc\0\0", 6);
		frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, "\0\1t\1r", 5);
		frame(H2_PING, 0, 0, "12345678", 8);
		len = out_len;
		memcpy(all, out, len);
		out_len = cut;
		turn();
		put(all + cut, len - cut);
		expect("SETTINGS; ACK; 1:" OK "; 1:DATA 0 end; PING 12345678; ");
		assert_int_equal(lanes[0].body, 3);
		assert_string_equal(lanes[0].trailers, "t: r\r\n\r\n");
		leave();
	}
}

static void fields_in_pieces(void **state)
{
	char block[4000];
	size_t len = request_block("GET", "/1", NULL, block), i;

	(void)state;
	begin();
	frame(H2_HEADERS, H2_END_STREAM, 1, block, 1);
	for (i = 1; i < len; i++)
		frame(H2_CONTINUATION, i + 1 == len ? H2_END_HEADERS : 0, 1, block + i, 1);
	expect("1:" OK "; 1:DATA 0 end; ");
	leave();
}

/* ---- windows ---- */

static void windows_hold_bodies_back(void **state)
{
	char update[H2_WINDOW_SIZE];

	(void)state;
	begin();
	ask(1, "/100000", H2_END_STREAM);
	expect("1:" OK "; ");
	assert_int_equal(bodies, 65535); /* the stream's and the connection's */
	ask(3, "/10", H2_END_STREAM);
	expect("3:" OK "; ");
	put(update, (size_t)(h2_write_window(update, 1, 100000) - update));
	expect("");
	assert_int_equal(bodies, 65535);
	put(update, (size_t)(h2_write_window(update, 0, 1) - update));
	expect("");
	assert_int_equal(bodies, 65536);
	put(update, (size_t)(h2_write_window(update, 0, 100000) - update));
	assert_non_null(strstr(heard(), "1:DATA 0 end; "));
	assert_non_null(strstr(said, "3:DATA 0 end; "));
	assert_int_equal(bodies, 100010);
	leave();
}

/* 6.9.2: a smaller window may leave streams below 0. */
/* A piece of a body is told whether the next one lies here already. */
static void pieces_that_follow(void **state)
{
	char part[H2_FRAME_HEADER + 1] = { 0, 0, 2, H2_DATA, 0, 0, 0, 0, 3 };

	(void)state;
	begin();
	ask(1, "/wait", 0);
	ask(3, "/wait", 0);
	turn();
	frame(H2_DATA, 0, 1, "abc", 3);   /* f */
	frame(H2_DATA, 0, 3, "abc", 3);   /* 3: nothing of it behind */
	frame(H2_PING, 0, 0, "01234567", 8);
	frame(H2_DATA, 0, 1, "de", 2);    /* . for padding may be all that follows */
	frame(H2_DATA, H2_PADDED, 1, "\0f", 2); /* . for the next one is empty */
	frame(H2_DATA, 0, 1, "", 0);
	turn();
	assert_string_equal(lanes[0].follows, "f..");
	assert_string_equal(lanes[1].follows, ".");
	frame(H2_DATA, 0, 3, "x", 1);     /* the header of the next alone has come */
	put(part, H2_FRAME_HEADER);
	turn();
	assert_string_equal(lanes[1].follows, "..");
	put("y", 1);
	turn();
	put("z", 1);
	frame(H2_DATA, 0, 3, "x", 1);     /* a byte of it */
	put(part, sizeof(part));
	turn();
	assert_string_equal(lanes[1].follows, "...ff.");
	put("z", 1);
	frame(H2_DATA, 0, 1, "g", 1);     /* the client gives up */
	frame(H2_RST_STREAM, 0, 1, "\0\0\0\10", 4);
	turn();
	assert_string_equal(lanes[0].follows, "f...");
	leave();
}

static void settings_change_windows(void **state)
{
	char bytes[H2_SETTING_SIZE], update[H2_WINDOW_SIZE];

	(void)state;
	begin();
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 1000);
	frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	ask(1, "/5000", H2_END_STREAM);
	expect("ACK; 1:" OK "; ");
	assert_int_equal(bodies, 1000);
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 500);
	frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	put(update, (size_t)(h2_write_window(update, 1, 500) - update));
	expect("ACK; ");
	assert_int_equal(bodies, 1000);
	h2_write_setting(bytes, H2_INITIAL_WINDOW_SIZE, 5001);
	frame(H2_SETTINGS, 0, 0, bytes, sizeof(bytes));
	expect("ACK; 1:DATA 0 end; ");
	assert_int_equal(bodies, 5000);
	leave();
}

/* What was given is allowed again; what nobody takes is not. */
static void our_windows_fill_up(void **state)
{
	static char bytes[H2_FRAME_LEAST];
	unsigned i;

	(void)state;
	begin();
	ask(1, "/0", 0);
	for (i = 0; i < 20; i++) {
		frame(H2_DATA, i == 19 ? H2_END_STREAM : 0, 1, bytes, sizeof(bytes));
		turn();
		turn();
	}
	expect("1:" OK " end; ");
	assert_int_equal(lanes[0].body, 20 * sizeof(bytes));
	hold = true;
	ask(3, "/0", 0);
	for (i = 0; i < 5; i++)
		frame(H2_DATA, 0, 3, bytes, sizeof(bytes));
	expect("3:RST FLOW_CONTROL_ERROR; ");
	assert_true(lanes[0].broken);
	leave();
}

/* ---- who goes first ---- */

/* A large download does not hold a small answer up; the more urgent goes first. */
static void a_small_answer_overtakes(void **state)
{
	char block[4000], update[H2_WINDOW_SIZE];
	const char *small, *large;
	char all[1000] = "";

	(void)state;
	connect_with(&usual, 20000);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, "\0\4\0\x7f\0\0", 6);
	put(update, (size_t)(h2_write_window(update, 0, 1 << 24) - update));
	deaf = true; /* so the large ones are not over before */
	ask(1, "/4000000", H2_END_STREAM);
	turn();
	ask(3, "/4000001", H2_END_STREAM);
	turn();
	turn();
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, block,
	      request_block("GET", "/20000", "u=1", block));
	turn();
	turn();
	deaf = false;
	while (!(small = strstr(all, "5:DATA 0 end")) || !(large = strstr(all, "1:DATA 0 end")) ||
	       !strstr(all, "3:DATA 0 end")) {
		turn();
		strncat(all, hear(), sizeof(all) - strlen(all) - 1);
	}
	assert_true(small < large);
	assert_int_equal(bodies, 4000000 + 4000001 + 20000);
	leave();
}

/* ---- what is wrong ---- */

static void faults(void **state)
{
	static const struct {
		enum h2_type type;
		unsigned flags;
		uint32_t stream;
		const char *bytes;
		size_t len;
		const char *expected;
	} rows[] = {
		{ H2_DATA, 0, 1, "a", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS, 2, "\x82", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_CONTINUATION, H2_END_HEADERS, 1, "\x82", 1, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_WINDOW_UPDATE, 0, 1, "\0\0\1\0", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_WINDOW_UPDATE, 0, 0, "\x7f\xff\xff\xff", 4, "GOAWAY 0 FLOW_CONTROL_ERROR; " },
		{ H2_PUSH_PROMISE, H2_END_HEADERS, 1, "\0\0\0\2", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_SETTINGS, 0, 0, "\0\2\0\0\0\2", 6, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ H2_SETTINGS, 0, 0, "\0\4\xff\xff\xff\xff", 6, "GOAWAY 0 FLOW_CONTROL_ERROR; " },
		{ H2_PING, 0, 0, "1234567", 7, "GOAWAY 0 FRAME_SIZE_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, "\xff\xff", 2,
		  "GOAWAY 1 COMPRESSION_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, "\x82", 1,
		  "1:RST PROTOCOL_ERROR; " },
		{ H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1,
		  "\x82\x86\x84\x41\1a\x10\1X\1y", 11, "1:RST PROTOCOL_ERROR; " },
		{ H2_PRIORITY, 0, 1, "\0\0\0\1\0", 5, "1:RST PROTOCOL_ERROR; " },
		{ H2_PRIORITY, 0, 1, "\0\0\0\3\0", 5, "" },
		{ H2_RST_STREAM, 0, 0, "\0\0\0\x8", 4, "GOAWAY 0 PROTOCOL_ERROR; " },
		{ (enum h2_type)77, 0, 1, "abc", 3, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		frame(rows[i].type, rows[i].flags, rows[i].stream, rows[i].bytes, rows[i].len);
		if (strcmp(heard(), rows[i].expected))
			fail_msg("row %zu: %s, not %s", i, said, rows[i].expected);
		leave();
	}
}

static void the_preface(void **state)
{
	(void)state;
	connect_with(&usual, 0);
	put("GET / HTTP/1.1\r\n\r\n", 18);
	expect("SETTINGS; GOAWAY 0 PROTOCOL_ERROR; ");
	leave();
	connect_with(&usual, 0);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_PING, 0, 0, "12345678", 8);
	expect("SETTINGS; GOAWAY 0 PROTOCOL_ERROR; ");
	leave();
}

static void states_of_streams(void **state)
{
	char block[4000];
	size_t len = request_block("GET", "/1", NULL, block);

	(void)state;
	begin(); /* a frame in the middle of a block */
	frame(H2_HEADERS, H2_END_STREAM, 1, block, len);
	frame(H2_PING, 0, 0, "12345678", 8);
	expect("GOAWAY 0 PROTOCOL_ERROR; ");
	leave();
	begin(); /* an id that was used */
	ask(3, "/1", H2_END_STREAM);
	ask(1, "/1", H2_END_STREAM);
	assert_non_null(strstr(heard(), "GOAWAY 3 STREAM_CLOSED; "));
	leave();
	begin(); /* behind END_STREAM */
	ask(1, "/wait", H2_END_STREAM);
	frame(H2_DATA, 0, 1, "x", 1);
	expect("1:RST STREAM_CLOSED; ");
	leave();
	begin(); /* on a stream that is over */
	ask(1, "/1", H2_END_STREAM);
	heard();
	frame(H2_WINDOW_UPDATE, 0, 1, "\0\0\1\0", 4);
	frame(H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4);
	frame(H2_DATA, 0, 1, "x", 1);
	expect("1:RST STREAM_CLOSED; ");
	leave();
	begin(); /* a body that is not what was announced */
	ask(1, "/1", 0);
	frame(H2_HEADERS, H2_END_HEADERS, 1, "\0\1t\1r", 5);
	expect("1:RST PROTOCOL_ERROR; ");
	leave();
}

/* Fields of a stream that we have reset are read all the same: the table follows. */
static void the_table_follows(void **state)
{
	(void)state;
	begin();
	refuse_all = true;
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, "\x82\x86\x44\2/7\x41\1a", 9);
	expect("1:RST REFUSED_STREAM; ");
	refuse_all = false;
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 3, "\x82\x86\xbf\xbe", 4);
	expect("3:" OK "; 3:DATA 0 end; ");
	assert_int_equal(bodies, 7);
	leave();
}

static void streams_are_limited(void **state)
{
	unsigned i;

	(void)state;
	begin();
	for (i = 0; i < 12; i++)
		ask(1 + 2 * i, "/wait", H2_END_STREAM);
	expect("21:RST REFUSED_STREAM; 23:RST REFUSED_STREAM; ");
	assert_int_equal(h2_conn_numbers(server).streams, 10);
	assert_int_equal(h2_conn_numbers(server).refused, 2);
	frame(H2_RST_STREAM, 0, 1, "\0\0\0\x8", 4);
	expect("");
	assert_int_equal(h2_conn_numbers(server).streams, 9);
	leave();
}

static void floods_end(void **state)
{
	static const struct { enum h2_type type; unsigned flags; uint32_t stream; size_t len; }
	rows[] = {
		{ H2_PING, 0, 0, 8 }, { H2_SETTINGS, 0, 0, 0 }, { H2_PRIORITY, 0, 3, 5 },
		{ H2_DATA, 0, 1, 0 }, { (enum h2_type)99, 0, 1, 0 },
	};
	size_t i;
	unsigned n;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		begin();
		ask(1, "/wait", 0);
		heard();
		for (n = 0; n < 1200; n++)
			frame(rows[i].type, rows[i].flags, rows[i].stream, "\0\0\0\0\0\0\0\1",
			      rows[i].len);
		while (!closed)
			turn();
		leave();
	}
	/* Opened and reset at once. */
	begin();
	for (n = 0; n < 1200; n++) {
		ask(1 + 2 * n, "/wait", H2_END_STREAM);
		frame(H2_RST_STREAM, 0, 1 + 2 * n, "\0\0\0\x8", 4);
		turn();
		hear();
	}
	while (!closed)
		turn();
	leave();
	/* CONTINUATION without end. */
	begin();
	frame(H2_HEADERS, H2_END_STREAM, 1, "\x82", 1);
	for (n = 0; n < 100; n++)
		frame(H2_CONTINUATION, 0, 1, "", 0);
	expect("GOAWAY 0 ENHANCE_YOUR_CALM; ");
	leave();
}

/* What makes us reset streams is counted as resets are. */
static void resets_that_the_peer_provokes(void **state)
{
	char window[H2_WINDOW_SIZE];
	unsigned how, n;

	(void)state;
	for (how = 0; how < 3; how++) {
		begin();
		for (n = 0; n < 1200; n++) {
			uint32_t id = 1 + 2 * n;

			ask(id, "/wait", how == 0 ? H2_END_STREAM : 0);
			if (how == 0)
				frame(H2_DATA, 0, id, "x", 1); /* behind its end */
			else if (how == 1)
				frame(H2_HEADERS, H2_END_HEADERS, id, "\0\1t\1r", 5);
			else
				put(window, (size_t)(h2_write_window(window, id, INT32_MAX) - window));
			turn();
			turn();
			hear();
			if (closed)
				break;
		}
		assert_in_range(n, 900, 1150);
		leave();
	}
}

/* Windows that grow without need; several in one SETTINGS. */
static void floods_of_windows_end(void **state)
{
	char window[H2_WINDOW_SIZE], settings[100 * H2_SETTING_SIZE];
	unsigned n;

	(void)state;
	begin();
	for (n = 0; n < 1500; n++)
		put(window, (size_t)(h2_write_window(window, 0, 1000) - window));
	while (!closed)
		turn();
	assert_non_null(strstr(hear(), "ENHANCE_YOUR_CALM"));
	leave();
	begin();
	for (n = 0; n < 100; n++)
		h2_write_setting(settings + n * H2_SETTING_SIZE, H2_INITIAL_WINDOW_SIZE, n);
	for (n = 0; n < 12; n++)
		frame(H2_SETTINGS, 0, 0, settings, sizeof(settings));
	while (!closed)
		turn();
	assert_non_null(strstr(hear(), "ENHANCE_YOUR_CALM"));
	leave();
}

/* Few bytes that stand for many. */
static void a_bomb_ends(void **state)
{
	static char block[8000];
	size_t i, len = 0;

	(void)state;
	begin();
	memcpy(block, "\x82\x86\x84\x41\1a\x40\1b\x7f\xa1\x1e", 12); /* 4,000 bytes */
	memset(block + 12, 'x', 4000);
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 1, block, 4012);
	heard();
	memcpy(block, "\x82\x86\x84\xbf", 4);
	for (i = 4, len = 7; i < len; i++)
		block[i] = '\xbe';
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 3, block, len);
	assert_non_null(strstr(heard(), "3::status=200"));
	memset(block + 4, '\xbe', 5);
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, block, 9);
	assert_non_null(strstr(heard(), "5::status=431"));
	memset(block + 4, '\xbe', 4000);
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 7, block, 4004);
	expect("GOAWAY 7 ENHANCE_YOUR_CALM; ");
	leave();
}

/* Requests of one connection are not all begun in one turn. */
static void a_turn_has_its_share(void **state)
{
	uint64_t before;
	unsigned n;

	(void)state;
	begin();
	for (n = 0; n < 300; n++)
		ask(1 + 2 * n, "/0", H2_END_STREAM);
	do {
		before = h2_conn_numbers(server).opened;
		turn();
		assert_true(h2_conn_numbers(server).opened - before <= 32);
	} while (!strstr(hear(), "599:" OK " end; "));
	leave();
}

/* Answers that nobody reads: no more is read either. */
static void nobody_reads(void **state)
{
	int size = 65536;
	uint64_t before;
	unsigned id = 1, still = 0;

	(void)state;
	connect_with(&usual, 5000);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	deaf = true;
	while (still < 100) {
		for (; out_len < 1000; id += 2)
			ask(id, "/0", H2_END_STREAM);
		before = h2_conn_numbers(server).opened;
		turn();
		still = h2_conn_numbers(server).opened > before ? 0 : still + 1;
		assert_true(before < 100000);
	}
	deaf = false;
	while (h2_conn_numbers(server).opened == before) {
		turn();
		hear();
	}
	leave();
}

static void settings_in_time(void **state)
{
	(void)state;
	h2_settings_ms = 1;
	connect_with(&usual, 0);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	while (!closed)
		turn();
	assert_non_null(strstr(hear(), "GOAWAY 0 SETTINGS_TIMEOUT; "));
	h2_settings_ms = 10000;
	leave();
}

/* ---- what was configured ---- */

static void limits_are_announced(void **state)
{
	struct h2_limits limits = { .streams = 7, .window = 1000, .table = 0, .frame = 20000,
				    .total = 2, .glitches = 4 };

	(void)state;
	connect_with(&limits, 0);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	turn();
	turn();
	assert_true(in_len > 9 + 24);
	assert_memory_equal(in + 9, "\0\3\0\0\0\7\0\4\0\0\3\xe8\0\1\0\0\0\0"
				    "\0\5\0\0\x4e\x20", 24);
	frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	ask(1, "/0", H2_END_STREAM); /* the second is the last */
	ask(3, "/wait", H2_END_STREAM);
	assert_non_null(strstr(heard(), "1:" OK " end; GOAWAY 3 NO_ERROR; "));
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 5, "\x82\x86\x84\x41\1a", 6);
	frame(H2_HEADERS, H2_END_STREAM | H2_END_HEADERS, 7, "\xbe", 1); /* no table */
	expect("GOAWAY 7 COMPRESSION_ERROR; ");
	leave();
}

static void glitches_have_a_threshold(void **state)
{
	struct h2_limits limits = usual;
	unsigned n;

	(void)state;
	limits.glitches = 8;
	connect_with(&limits, 0);
	put(h2_preface, H2_PREFACE_LEN);
	frame(H2_SETTINGS, 0, 0, NULL, 0);
	frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	ask(1, "/wait", H2_END_STREAM);
	for (n = 0; n < 5; n++)
		frame(H2_PING, H2_ACK, 0, "12345678", 8);
	expect("SETTINGS; ACK; ");
	frame(H2_PING, H2_ACK, 0, "12345678", 8);
	expect("GOAWAY 1 NO_ERROR; ");
	assert_int_equal(h2_conn_numbers(server).glitches, 6);
	frame(H2_PING, H2_ACK, 0, "12345678", 8);
	frame(H2_PING, H2_ACK, 0, "12345678", 8);
	expect("GOAWAY 1 ENHANCE_YOUR_CALM; ");
	leave();
}

/* ---- the end ---- */

static void draining_lets_streams_end(void **state)
{
	unsigned i;

	(void)state;
	begin();
	ask(1, "/wait", H2_END_STREAM);
	heard();
	h2_conn_drain(server);
	ask(3, "/1", H2_END_STREAM);
	expect("GOAWAY 1 NO_ERROR; ");
	assert_false(closed);
	answer(&lanes[0]);
	expect("1:" OK " end; ");
	for (i = 0; i < 20 && !closed; i++)
		turn();
	assert_true(closed);
	leave();
}

/* What is on its way when leaving is announced is served; what comes behind the answer is not. */
static void leaving_loses_nothing(void **state)
{
	unsigned i;

	(void)state;
	begin();
	ask(1, "/wait", H2_END_STREAM);
	heard();
	h2_conn_leave(server);
	h2_conn_leave(server);
	ask(3, "/1", H2_END_STREAM);
	expect("GOAWAY 2147483647 NO_ERROR; PING leaving.; 3:" OK "; 3:DATA 0 end; ");
	frame(H2_PING, H2_ACK, 0, "leaving.", 8);
	ask(5, "/1", H2_END_STREAM);
	expect("GOAWAY 3 NO_ERROR; ");
	assert_false(closed);
	answer(&lanes[0]);
	expect("1:" OK " end; ");
	for (i = 0; i < 20 && !closed; i++)
		turn();
	assert_true(closed);
	leave();
}

static void streams_learn_that_the_client_has_gone(void **state)
{
	(void)state;
	begin();
	ask(1, "/wait", H2_END_STREAM);
	ask(3, "/wait", 0);
	heard();
	leave();
	assert_true(lanes[0].broken && lanes[1].broken);
}

/* An answer before the request is complete: its rest is not wanted. */
static void an_early_answer(void **state)
{
	(void)state;
	begin();
	hold = true;
	ask(1, "/4", 0);
	heard();
	answer(&lanes[0]);
	expect("1:" OK "; 1:DATA 0 end; ");
	frame(H2_DATA, 0, 1, "late", 4);
	expect("");
	frame(H2_DATA, H2_END_STREAM, 1, "late", 4);
	expect("");
	assert_int_equal(h2_conn_numbers(server).streams, 0);
	leave();
}

/* And one that goes on: it is reset, though not so soon that its client loses the answer. */
static void an_early_answer_to_who_goes_on(void **state)
{
	(void)state;
	h2_linger_ms = 1;
	begin();
	hold = true;
	ask(1, "/4", 0);
	heard();
	answer(&lanes[0]);
	expect("1:" OK "; 1:DATA 0 end; ");
	while (h2_conn_numbers(server).streams) {
		frame(H2_DATA, 0, 1, NULL, 0);
		turn();
	}
	expect("1:RST NO_ERROR; ");
	frame(H2_DATA, H2_END_STREAM, 1, "late", 4);
	expect("");
	h2_linger_ms = 250;
	leave();
}

/* Its place is another's as soon as that comes; a reset ends it, and its own end. */
static void who_lingers_makes_room(void **state)
{
	struct h2_limits limits = usual;
	static char much[16384];
	unsigned i;

	(void)state;
	limits.streams = 2;
	begin_with(&limits);
	hold = true;
	ask(1, "/4", 0);
	ask(3, "/4", 0);
	heard();
	answer(&lanes[0]);
	answer(&lanes[1]);
	expect("1:" OK "; 1:DATA 0 end; 3:" OK "; 3:DATA 0 end; ");
	ask(5, "/4", 0);
	expect("1:RST NO_ERROR; ");
	frame(H2_RST_STREAM, 0, 3, "\0\0\0\10", 4);
	expect("");
	assert_int_equal(h2_conn_numbers(server).streams, 1);
	answer(&lanes[0]);
	expect("5:" OK "; 5:DATA 0 end; ");
	for (i = 0; i < 20; i++) { /* more than its window, which is filled up */
		frame(H2_DATA, 0, 5, much, sizeof(much));
		expect("");
	}
	frame(H2_DATA, 0, 5, "", 0);
	frame(H2_DATA, H2_END_STREAM, 5, "", 0);
	expect("");
	assert_int_equal(h2_conn_numbers(server).streams, 0);
	leave();
}

static void a_stream_that_breaks_off(void **state)
{
	(void)state;
	begin();
	ask(1, "/wait", H2_END_STREAM);
	heard();
	lane_leave(&lanes[0]);
	expect("1:RST INTERNAL_ERROR; ");
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
		cmocka_unit_test(exchanges),
		cmocka_unit_test(at_every_split),
		cmocka_unit_test(fields_in_pieces),
		cmocka_unit_test(windows_hold_bodies_back),
		cmocka_unit_test(pieces_that_follow),
		cmocka_unit_test(settings_change_windows),
		cmocka_unit_test(our_windows_fill_up),
		cmocka_unit_test(a_small_answer_overtakes),
		cmocka_unit_test(faults),
		cmocka_unit_test(the_preface),
		cmocka_unit_test(states_of_streams),
		cmocka_unit_test(the_table_follows),
		cmocka_unit_test(streams_are_limited),
		cmocka_unit_test(floods_end),
		cmocka_unit_test(resets_that_the_peer_provokes),
		cmocka_unit_test(floods_of_windows_end),
		cmocka_unit_test(a_bomb_ends),
		cmocka_unit_test(a_turn_has_its_share),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test(settings_in_time),
		cmocka_unit_test(limits_are_announced),
		cmocka_unit_test(glitches_have_a_threshold),
		cmocka_unit_test(draining_lets_streams_end),
		cmocka_unit_test(leaving_loses_nothing),
		cmocka_unit_test(streams_learn_that_the_client_has_gone),
		cmocka_unit_test(an_early_answer),
		cmocka_unit_test(an_early_answer_to_who_goes_on),
		cmocka_unit_test(who_lingers_makes_room),
		cmocka_unit_test(a_stream_that_breaks_off),
	};

	return cmocka_run_group_tests(tests, world_begin, world_end);
}
