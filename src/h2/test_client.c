/* SPDX-License-Identifier: BSD-2-Clause */
#include "h2/test_client.h"

#include "base/clock.h"
#include "event/loop.h"
#include "net/test_sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct peer peer = { .fd = -1 };
const struct h2_limits peer_usual = { .streams = 10, .window = H2_WINDOW_FIRST,
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

void lane_answer(struct lane *lane)
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

void lane_leave(struct lane *lane)
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
			lane_answer(lane);
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
	if (peer.hold || lane->ended || !read_body(lane))
		return;
	lane->ended = true;
	t = end_trailers(client);
	snprintf(lane->trailers, sizeof(lane->trailers), "%.*s", (int)t.len, t.ptr ? t.ptr : "");
	if (strcmp(lane->target, "/wait"))
		lane_answer(lane);
}

static bool opened(void *owner, struct h2_conn *c, struct h2_stream *st)
{
	struct lane *lane = peer.lanes;

	(void)owner;
	(void)c;
	if (peer.refuse_all)
		return false;
	while (lane->used)
		lane++;
	assert_true(lane < peer.lanes + LANES);
	*lane = (struct lane){ .used = true };
	relay_init(&lane->relay);
	relay_notice = lane_notice;
	lane->relay.request.flags |= PUMP_WATCH;
	h2_lend(st, &lane->relay.client);
	end_ready(&lane->relay.client);
	return true;
}

static void is_busy(void *owner, bool is)
{
	(void)owner;
	peer.busy = is;
}

static void is_closed(void *owner)
{
	(void)owner;
	peer.closed = true;
	h2_conn_free(&peer.server);
}

static const struct h2_owner owner = { .opened = opened, .busy = is_busy, .closed = is_closed };

/* ---- the side of the client ---- */

static struct h2_reader reader;
static struct field_table table;

void peer_turn(void)
{
	ssize_t n;

	if (peer.out_len) {
		n = send(peer.fd, peer.out, peer.out_len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n > 0) {
			memmove(peer.out, peer.out + n, peer.out_len - (size_t)n);
			peer.out_len -= (size_t)n;
		}
	}
	clock_update();
	loop_turn(0);
	if (peer.deaf || peer.in_len == ROOM)
		return;
	n = recv(peer.fd, peer.in + peer.in_len, ROOM - peer.in_len, MSG_DONTWAIT);
	if (n > 0)
		peer.in_len += (size_t)n;
}

void peer_put(const void *bytes, size_t len)
{
	assert_true(peer.out_len + len <= ROOM);
	memcpy(peer.out + peer.out_len, bytes, len);
	peer.out_len += len;
}

void peer_frame(enum h2_type type, unsigned flags, uint32_t stream, const void *bytes, size_t len)
{
	char header[H2_FRAME_HEADER];

	h2_write_header(header, type, flags, stream, (uint32_t)len);
	peer_put(header, sizeof(header));
	if (len)
		peer_put(bytes, len);
}

size_t peer_block(const char *method, const char *path, const char *extra, char *to)
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

void peer_ask(uint32_t stream, const char *path, unsigned flags)
{
	char block[4000];

	peer_frame(H2_HEADERS, flags | H2_END_HEADERS, stream, block,
	      peer_block(flags & H2_END_STREAM ? "GET" : "POST", path, NULL, block));
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
		peer.bodies += r->payload.len;
		piece += (uint32_t)r->payload.len;
		if (r->last && (peer.data_said || ends))
			text_printf(t, "%u:DATA %u%s; ", r->frame.stream, peer.data_said ? piece : 0,
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
	case H2_WINDOW_UPDATE:
		peer.windows++;
		break;
	default:
		break;
	}
}

const char *peer_hear(void)
{
	struct span rest = { peer.in, peer.in_len };
	enum h2_result result;
	struct h2_read r;
	struct text t;

	text_init(&t, peer.said, sizeof(peer.said));
	while ((result = h2_read(&reader, &rest, &r)) != H2_MORE)
		say(&t, result, &r);
	memmove(peer.in, rest.ptr, rest.len);
	peer.in_len = rest.len;
	return peer.said;
}

const char *peer_heard(void)
{
	unsigned i;

	for (i = 0; i < 30; i++)
		peer_turn();
	return peer_hear();
}

void peer_leave(void)
{
	unsigned i;

	if (peer.fd >= 0)
		close(peer.fd);
	peer.fd = -1;
	for (i = 0; i < 20 && !peer.closed; i++) {
		clock_update();
		loop_turn(0);
	}
	for (i = 0; i < LANES; i++)
		if (peer.lanes[i].used)
			lane_leave(&peer.lanes[i]);
	for (i = 0; i < 20 && !peer.closed; i++)
		loop_turn(0);
	assert_true(peer.closed);
	field_table_free(&table);
}

void peer_connect(const struct h2_limits *limits, int bufsize)
{
	struct conn *conn = conn_new();
	int fds[2], on = 1;

	test_tcp_pair(fds, 0);
	if (bufsize)
		setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &bufsize, sizeof(bufsize));
	setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fds[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	peer.fd = fds[0];
	peer.out_len = peer.in_len = 0;
	peer.bodies = 0;
	peer.windows = 0;
	peer.closed = peer.refuse_all = peer.hold = peer.data_said = peer.deaf = false;
	memset(peer.lanes, 0, sizeof(peer.lanes));
	reader = (struct h2_reader){ .max = H2_FRAME_LEAST };
	field_table_init(&table, HPACK_DEFAULT);
	clock_update();
	assert_int_equal(conn_attach(conn, &fds[1], CONN_WRITABLE | CONN_TCP, NULL), 0);
	peer.server = h2_conn_new(&conn, false, limits, &owner, NULL, (struct span){ NULL, 0 });
	assert_non_null(peer.server);
}

void peer_begin_with(const struct h2_limits *limits)
{
	peer_connect(limits, 0);
	peer_put(h2_preface, H2_PREFACE_LEN);
	peer_frame(H2_SETTINGS, 0, 0, NULL, 0);
	peer_frame(H2_SETTINGS, H2_ACK, 0, NULL, 0);
	assert_string_equal(peer_heard(), "SETTINGS; ACK; ");
}

void peer_begin(void)
{
	peer_begin_with(&peer_usual);
}

void peer_expect(const char *text)
{
	assert_string_equal(peer_heard(), text);
}

/* ---- the loop ---- */

int peer_world_begin(void **state)
{
	(void)state;
	clock_update();
	return loop_init(100);
}

int peer_world_end(void **state)
{
	(void)state;
	loop_free();
	return 0;
}
