/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes on a connection of HTTP/2 (relay/h2_stream.h): frames by the codec, their order and
 * the states of streams here (RFC 9113 5.1, 6). It is received into memory of the process; DATA
 * goes from there to whoever takes it, and only the rest is copied. Fields are read as soon as they are
 * complete, whether anybody wants them or not, for the table must follow.
 */
#include "relay/h2_stream.h"

#include "base/clock.h"
#include "http/hpack_table.h"
#include "relay/buffer.h"
#include "relay/pump.h"
#include "relay/rest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { RECEIVED = 262144, TURNS = 1, FIELDS_MOST = 1024, BLOCK_FRAMES = 64 };

static char *received;
static size_t received_size;
static bool at_work; /* somebody's bytes lie there */
static size_t passed; /* of them to pumps */

/* The head that was read last, until somebody asks for it. */
static struct field fields[FIELDS_MOST];
static struct message fresh;
static struct h2_stream *fresh_of;

/* Behind a frame that is not complete there is room for what comes. */
bool h2_receive_init(void)
{
	size_t frame = H2_FRAME_LEAST;

	if (received)
		return true;
	if (frame < h2_client_limits.frame)
		frame = h2_client_limits.frame;
	if (frame < h2_server_limits.frame)
		frame = h2_server_limits.frame;
	received_size = RECEIVED + frame + H2_FRAME_HEADER;
	received = malloc(received_size);
	return received;
}

/* ---- heads for those who ask ------------------------------------------------------------- */

/* Copies the message: its fields go where to has room for them. */
static bool copy_head(const struct message *from, struct message *to)
{
	struct field *room = to->fields;
	uint16_t max = to->max, most = to->most;

	if (from->count > max && from->count <= most) {
		if (!message_more_fields(to))
			return false;
		room = to->fields;
		max = to->max;
	}
	if (from->count > max)
		return false;
	*to = *from;
	to->fields = room;
	to->max = max;
	to->most = most;
	if (from->count)
		memcpy(room, from->fields, from->count * sizeof(*room));
	return true;
}

bool h2_head_give(struct h2_stream *st, struct message *msg)
{
	bool given;

	if (fresh_of != st && !st->kept)
		return false;
	given = copy_head(fresh_of == st ? &fresh : st->kept, msg);
	if (!given)
		st->wrong = st->conn->client ? 502 : 431;
	if (fresh_of == st)
		fresh_of = NULL;
	free(st->kept);
	st->kept = NULL;
	return given;
}

/* Nobody has asked for it at once: it is kept. */
static void keep_fresh(void)
{
	struct h2_stream *st = fresh_of;
	size_t size = fresh.count * sizeof(struct field);

	if (!st)
		return;
	fresh_of = NULL;
	if (!st->fresh)
		return; /* it has ended */
	st->kept = malloc(sizeof(fresh) + size);
	if (!st->kept) {
		h2_stream_reset(st, H2_INTERNAL_ERROR);
		return;
	}
	*st->kept = fresh;
	st->kept->fields = (struct field *)(st->kept + 1);
	memcpy(st->kept->fields, fields, size);
}

/* ---- fields ------------------------------------------------------------------------------ */

static void read_priority(struct h2_stream *st, const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find(msg, span_of("priority"), &at);

	if (f)
		h2_priority_read(f->value, &st->priority);
}

enum { KEY_LEN = 24 };

/* Sec-WebSocket-Key: 16 bytes that nobody knows, in base64. */
static void make_key(char key[KEY_LEN])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char bytes[KEY_LEN - 2] = { 0 };
	unsigned i;

	if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) < 0)
		bytes[0] = (unsigned char)random();
	for (i = 0; i < sizeof(bytes); i++)
		key[i] = letters[bytes[i] & (i < sizeof(bytes) - 1 ? 63 : 48)];
	memset(key + sizeof(bytes), '=', KEY_LEN - sizeof(bytes));
}

/* The head has become `fresh'. */
static void head_came(struct h2_stream *st, struct buf **strings, bool ends)
{
	st->left = h2_body_expected(&fresh);
	st->in_ended = ends;
	st->has_head = !(fresh.flags & MSG_INTERIM);
	if (!st->conn->client)
		read_priority(st, &fresh);
	buffer_give(&st->head);
	st->head = *strings;
	*strings = NULL;
	st->fresh = true;
	st->flags |= CONN_READABLE;
	fresh_of = st;
}

/* A stream of its own: whoever is lent it reads its head, or learns what is wrong. */
static struct h2_stream *stream_opens(struct h2_conn *c, uint32_t id)
{
	struct h2_stream *st = h2_stream_new(c, id);

	if (!st)
		h2_reset_id(c, id, H2_REFUSED_STREAM);
	return st;
}

static void stream_lent(struct h2_conn *c, struct h2_stream *st)
{
	if (!c->ops->opened(c->owner, c, st)) {
		fresh_of = NULL;
		c->numbers.refused++;
		h2_reset_id(c, st->id, H2_REFUSED_STREAM);
		h2_stream_free(st);
	}
	keep_fresh();
	if (c->limits.total && c->numbers.opened >= c->limits.total)
		h2_conn_drain(c);
}

/* May a stream begin? */
static bool has_room(struct h2_conn *c, uint32_t id)
{
	if (c->draining) {
		h2_glitch(c);
		return false;
	}
	if (c->numbers.streams < c->limits.streams || h2_linger_less(c))
		return true;
	c->numbers.refused++;
	h2_reset_id(c, id, H2_REFUSED_STREAM);
	h2_glitch(c);
	return false;
}

/* A request whose list is larger than we take: none of it was kept. */
static void too_large(struct h2_conn *c, size_t len)
{
	const struct h2_frame *f = &c->block_frame;
	struct h2_stream *st = has_room(c, f->stream) && h2_glitch(c) ? stream_opens(c, f->stream) : NULL;

	if (!st)
		return;
	st->wrong = 431;
	st->unread = (uint32_t)len;
	st->left = UINT64_MAX;
	st->in_ended = f->flags & H2_END_STREAM;
	st->flags |= CONN_READABLE;
	stream_lent(c, st);
}

static void request_came(struct h2_conn *c, struct hpack_fields *list, struct buf **strings)
{
	const struct h2_frame *f = &c->block_frame;
	struct span key = { (*strings)->data + (*strings)->size - KEY_LEN, KEY_LEN };
	bool ends = f->flags & H2_END_STREAM;
	struct message_error error;
	struct h2_stream *st;

	if (!has_room(c, f->stream))
		return;
	if (c->limits.no_connect)
		key.ptr = NULL;
	if (h2_request(list, ends, key, &fresh, &error) != H2_HEAD_GOOD ||
	    c->block_dependency == f->stream) {
		h2_reset_id(c, f->stream, H2_PROTOCOL_ERROR);
		h2_glitch(c);
		return;
	}
	st = stream_opens(c, f->stream);
	if (!st)
		return;
	st->extended = fresh.flags & MSG_UPGRADE;
	if (st->extended)
		make_key((*strings)->data + (*strings)->size - KEY_LEN);
	head_came(st, strings, ends);
	stream_lent(c, st);
}

/* It ended with its head, where a body might have been. HTTP/1 has to be told. */
static void say_empty(uint8_t request_method)
{
	static const struct field empty = { .name = { "content-length", 14 }, .value = { "0", 1 },
					    .id = FIELD_CONTENT_LENGTH };
	unsigned at = 0;

	if (request_method == METHOD_HEAD || fresh.framing != BODY_NONE || fresh.status < 200 ||
	    fresh.status == 204 || fresh.status == 304 || fresh.count == FIELDS_MOST ||
	    message_find_id(&fresh, FIELD_CONTENT_LENGTH, &at))
		return;
	fields[fresh.count++] = empty;
	fresh.head_len += (uint32_t)(empty.name.len + empty.value.len + 4);
}

static void response_came(struct h2_stream *st, struct hpack_fields *list, struct buf **strings)
{
	bool ends = st->conn->block_frame.flags & H2_END_STREAM;
	struct message_error error;

	if (st->kept || st->fresh) { /* two heads, and nobody has read the first */
		h2_stream_fault(st, H2_ENHANCE_YOUR_CALM);
		return;
	}
	if (h2_response(list, ends, st->request_method, &fresh, &error) != H2_HEAD_GOOD) {
		st->wrong = 502;
		h2_stream_fault(st, H2_PROTOCOL_ERROR);
		return;
	}
	say_empty(st->request_method);
	head_came(st, strings, ends);
	st->conn->due = st;
}

/* A head came, and what follows it is not its body: whoever waits for it is told. With the body at
 * hand both are told at once, and leave at once. */
static void tell_due(struct h2_conn *c)
{
	struct h2_stream *st = c->due;

	c->due = NULL;
	if (fresh_of == st && st->end)
		end_ready(st->end);
	keep_fresh();
}

static void trailers_came(struct h2_stream *st, const struct hpack_fields *list)
{
	struct message_error error;
	size_t room = list->used + 64 * list->count + 2, len = 0;

	if (!(st->conn->block_frame.flags & H2_END_STREAM) ||
	    h2_trailers(list, &error) != H2_HEAD_GOOD || !h2_body_came(&st->left, 0, true)) {
		h2_stream_fault(st, H2_PROTOCOL_ERROR);
		return;
	}
	if (list->count && h2_bytes_room(&st->trailers, room))
		len = h2_trailer_lines(list, h2_bytes_tail(&st->trailers), room);
	st->trailers.len = (uint32_t)len;
	st->in_ended = true;
	if (st->lingers_ms) {
		h2_stream_free(st);
		return;
	}
	h2_note(st);
	if (st->end)
		end_ready(st->end);
}

/* All of them are here. Whoever they are for, the table has to see them. */
static void block_came(struct h2_conn *c, struct span block)
{
	struct h2_stream *st = h2_stream_find(c, c->block_frame.stream);
	bool begins = !c->client && c->block_frame.stream > c->last_in;
	struct buf *strings = buffer_take();
	struct hpack_fields list = { .fields = fields, .max = FIELDS_MOST };
	enum hpack_result r;

	if (!strings) {
		h2_fault(c, H2_INTERNAL_ERROR);
		return;
	}
	keep_fresh();
	list.memory = strings->data;
	list.room = list.limit = strings->size - KEY_LEN;
	r = hpack_read(&c->table, block, &list);
	if (begins)
		c->last_in = c->block_frame.stream;
	if (r == HPACK_BAD || r == HPACK_BOMB || r == HPACK_NO_MEMORY)
		h2_fault(c, r == HPACK_BAD  ? H2_COMPRESSION_ERROR :
			    r == HPACK_BOMB ? H2_ENHANCE_YOUR_CALM : H2_INTERNAL_ERROR);
	else if (begins && r == HPACK_LARGE)
		too_large(c, block.len);
	else if (begins)
		request_came(c, &list, &strings);
	else if (st && !st->reset && r == HPACK_LARGE)
		h2_stream_fault(st, H2_ENHANCE_YOUR_CALM);
	else if (st && !st->reset && st->has_head)
		trailers_came(st, &list);
	else if (st && !st->reset)
		response_came(st, &list, &strings);
	buffer_give(&strings);
}

/* We have asked, and left: what was on its way is nobody's. */
static bool is_ours_no_more(const struct h2_conn *c, uint32_t id)
{
	return c->client && id & 1 && id < c->next_out;
}

/* 5.1, 5.1.1: may HEADERS come there? */
static bool headers_allowed(struct h2_conn *c, const struct h2_frame *f)
{
	const struct h2_stream *st = h2_stream_find(c, f->stream);

	if (st && st->in_ended && !st->reset) {
		h2_fault(c, H2_STREAM_CLOSED);
		return false;
	}
	if (st || h2_was_reset(c, f->stream) || is_ours_no_more(c, f->stream))
		return true;
	if (c->client || !(f->stream & 1)) {
		h2_fault(c, H2_PROTOCOL_ERROR);
		return false;
	}
	if (f->stream <= c->last_in)
		h2_fault(c, H2_STREAM_CLOSED);
	return f->stream > c->last_in;
}

/* The first piece of a block may be all of it: then it is not copied. */
static void fragment_came(struct h2_conn *c, const struct h2_read *r)
{
	struct span block = r->payload;

	if (r->frame.type == H2_HEADERS) {
		if (!headers_allowed(c, &r->frame))
			return;
		c->block_frame = r->frame;
		c->block_dependency = r->dependency;
		c->block_frames = 0;
	}
	if (!(r->frame.flags & H2_END_HEADERS) || c->block.len) {
		if (++c->block_frames > BLOCK_FRAMES ||
		    c->block.len + block.len > 2 * buffer_size()) {
			h2_fault(c, H2_ENHANCE_YOUR_CALM);
			return;
		}
		if (!h2_bytes_add(&c->block, block.ptr, block.len)) {
			h2_fault(c, H2_INTERNAL_ERROR);
			return;
		}
		block = (struct span){ c->block.len ? h2_bytes_first(&c->block) : block.ptr,
				       c->block.len };
	}
	if (!(r->frame.flags & H2_END_HEADERS))
		return;
	c->work -= H2_WORK_HEAD;
	block_came(c, block);
	c->block_frame.stream = 0;
	h2_bytes_free(&c->block);
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* To whoever takes it; the rest is kept. */
static void give_data(struct h2_stream *st, struct span bytes)
{
	if (st->in.len && !h2_bytes_add(&st->in, bytes.ptr, bytes.len)) {
		h2_stream_reset(st, H2_INTERNAL_ERROR);
		return;
	}
	if (!st->in.len)
		st->now = bytes;
	h2_note(st);
	end_ready(st->end); /* it may be closed behind this */
	if (st->now.len && !h2_bytes_add(&st->in, st->now.ptr, st->now.len))
		h2_stream_reset(st, H2_INTERNAL_ERROR);
	st->now.len = 0;
}

/* 5.1: DATA where none may come. */
static void data_nowhere(struct h2_conn *c, const struct h2_read *r)
{
	uint32_t id = r->frame.stream;
	bool idle = c->client ? id >= c->next_out || !(id & 1) : id > c->last_in || !(id & 1);

	h2_gave(c, NULL, r->flow);
	if (idle)
		h2_fault(c, H2_PROTOCOL_ERROR);
	else if (!h2_was_reset(c, id) && !is_ours_no_more(c, id) && h2_glitch(c))
		h2_reset_id(c, id, H2_STREAM_CLOSED);
	else if (r->frame.length < 256 && r->last)
		h2_glitch(c); /* some is on its way when we reset a stream, but in large frames */
}

/* Does DATA of the stream lie in these frames? Then it leaves together with what is at hand. */
static bool data_follows(struct span frames, uint32_t stream)
{
	uint32_t length, id;
	bool whole = true;

	while (whole && frames.len > H2_FRAME_HEADER) {
		length = h2_number(frames.ptr) >> 8;
		id = h2_number(frames.ptr + 5) & H2_STREAM_MOST;
		if (id == stream && frames.ptr[3] != H2_WINDOW_UPDATE)
			return frames.ptr[3] == H2_DATA && length && !(frames.ptr[4] & H2_PADDED);
		whole = frames.len >= H2_FRAME_HEADER + length;
		frames.ptr += H2_FRAME_HEADER + length;
		frames.len -= whole ? H2_FRAME_HEADER + length : 0;
	}
	return false;
}

static void data_came(struct h2_conn *c, const struct h2_read *r, struct span rest)
{
	struct h2_stream *st = h2_stream_find(c, r->frame.stream);
	bool ends = r->last && r->frame.flags & H2_END_STREAM;

	h2_received(c, r->flow);
	if (c->recv_window < 0) {
		h2_fault(c, H2_FLOW_CONTROL_ERROR);
		return;
	}
	if (!st || st->reset) {
		data_nowhere(c, r);
		return;
	}
	st->recv_window -= (int32_t)r->flow;
	if (st->in_ended || st->recv_window < 0 || !st->has_head ||
	    !h2_body_came(&st->left, r->payload.len, ends)) {
		h2_gave(c, NULL, r->flow);
		h2_stream_fault(st, st->in_ended	? H2_STREAM_CLOSED :
				    st->recv_window < 0 ? H2_FLOW_CONTROL_ERROR :
							  H2_PROTOCOL_ERROR);
		return;
	}
	if (r->last && !r->frame.length && !ends && !h2_glitch(c))
		return;
	st->in_ended = ends;
	if (st->lingers_ms) {
		h2_gave(c, ends ? NULL : st, r->flow);
		if (ends)
			h2_stream_free(st);
		return;
	}
	h2_gave(c, st, r->flow - r->payload.len); /* padding */
	if (!st->end)
		h2_gave(c, st, r->payload.len);
	else if (r->payload.len || ends) {
		st->follows = data_follows(rest, st->id);
		give_data(st, r->payload);
		st->follows = false;
	}
	passed += r->payload.len;
}

bool h2_is_idle(const struct h2_conn *c, uint32_t id)
{
	bool ours = (id & 1) == c->client;

	return ours ? id >= c->next_out || !c->client : c->client || id > c->last_in;
}

/* ---- the rest ---------------------------------------------------------------------------- */

/* Behind a whole response: the server does not want the rest of the request. */
static void rest_unwanted(struct h2_stream *st)
{
	st->reset = true;
	h2_stream_writable(st);
}

static void rst_came(struct h2_conn *c, const struct h2_read *r)
{
	struct h2_stream *st = h2_stream_find(c, r->frame.stream);

	if (h2_is_idle(c, r->frame.stream)) {
		h2_fault(c, H2_PROTOCOL_ERROR);
		return;
	}
	/* Opened and taken back: each costs us more than the peer. */
	if (!c->client && !h2_glitch(c))
		return;
	c->numbers.reset++;
	if (!st)
		return;
	if (c->client && !st->has_head)
		st->unprocessed = h2_number(r->payload.ptr) == H2_REFUSED_STREAM;
	if (c->client && st->in_ended)
		rest_unwanted(st);
	else
		h2_stream_broken(st);
}

/* The peer keeps to them from now on: its table is no larger than we said. */
static void settings_known(struct h2_conn *c)
{
	if (c->acknowledged) {
		h2_glitch(c);
		return;
	}
	c->acknowledged = true;
	if (!c->leaving)
		timer_cancel(&c->timer);
	c->table.most = c->limits.table;
	if (c->table.limit > c->table.most)
		hpack_table_resize(&c->table, c->table.most);
}

static void settings_came(struct h2_conn *c, const struct h2_read *r)
{
	struct h2_fault fault;
	unsigned windows = 0;
	uint32_t value;
	size_t at = 0;
	uint16_t id;
	char *p;

	if (r->frame.flags & H2_ACK) {
		settings_known(c);
		return;
	}
	if (c->greeted && !h2_glitch(c))
		return;
	c->greeted = true;
	while (h2_setting_next(r->payload, &at, &id, &value)) {
		if (!h2_setting_check(id, value, c->client, &fault)) {
			h2_fault(c, fault.code);
			return;
		}
		if (id == H2_INITIAL_WINDOW_SIZE && windows++ && !h2_glitch(c))
			return; /* each concerns all streams */
		if (id == H2_INITIAL_WINDOW_SIZE)
			h2_window_set(c, value);
		else if (id == H2_MAX_CONCURRENT_STREAMS)
			c->peer_streams = value;
		else if (id == H2_HEADER_TABLE_SIZE && value < HPACK_DEFAULT)
			c->table_shrunk = true;
	}
	p = h2_out(c, H2_FRAME_HEADER);
	if (p)
		h2_out_done(c, h2_write_header(p, H2_SETTINGS, H2_ACK, 0, 0));
	if (c->ops->room)
		c->ops->room(c->owner);
}

static void ping_came(struct h2_conn *c, const struct h2_read *r)
{
	char *p;

	if (r->frame.flags & H2_ACK && c->leaving && !c->draining &&
	    !memcmp(r->payload.ptr, h2_leave_word, sizeof(h2_leave_word))) {
		h2_conn_drain(c);
		return;
	}
	if (!h2_glitch(c) || r->frame.flags & H2_ACK)
		return;
	p = h2_out(c, H2_PING_SIZE);
	if (p)
		h2_out_done(c, h2_write_ping(p, H2_ACK, r->payload.ptr));
}

static void window_came(struct h2_conn *c, const struct h2_read *r)
{
	h2_window_came(c, r->frame.stream, h2_number(r->payload.ptr) & H2_WINDOW_MOST);
}

static void goaway_came(struct h2_conn *c, const struct h2_read *r)
{
	uint32_t last = h2_number(r->payload.ptr) & H2_STREAM_MOST;
	struct h2_stream *st, *next;

	c->refused = true;
	if (!c->client) {
		h2_conn_drain(c);
		return;
	}
	h2_over(c);
	list_for_each_safe(st, next, &c->streams, node)
		if (st->id > last) {
			st->unprocessed = true;
			h2_stream_broken(st);
		}
}

static void priority_came(struct h2_conn *c, const struct h2_read *r)
{
	if (h2_glitch(c) && r->dependency == r->frame.stream)
		h2_reset_id(c, r->frame.stream, H2_PROTOCOL_ERROR);
}

static void priority_update_came(struct h2_conn *c, const struct h2_read *r)
{
	struct h2_stream *st = h2_stream_find(c, h2_number(r->payload.ptr) & H2_STREAM_MOST);
	struct span value = { r->payload.ptr + 4, r->payload.len - 4 };

	if (!h2_glitch(c) || !st)
		return;
	st->priority = (struct h2_priority){ H2_URGENCY_USUAL, false };
	h2_priority_read(value, &st->priority);
	if (list_empty(&st->waiting))
		return;
	list_remove(&st->waiting);
	h2_stream_wait(st);
}

static void frame_came(struct h2_conn *c, const struct h2_read *r)
{
	switch (r->frame.type) {
	case H2_HEADERS:
	case H2_CONTINUATION:
		fragment_came(c, r);
		break;
	case H2_PRIORITY:
		priority_came(c, r);
		break;
	case H2_RST_STREAM:
		rst_came(c, r);
		break;
	case H2_SETTINGS:
		settings_came(c, r);
		break;
	case H2_PUSH_PROMISE:
		h2_fault(c, H2_PROTOCOL_ERROR); /* to servers nobody pushes; we have said no */
		break;
	case H2_PING:
		ping_came(c, r);
		break;
	case H2_GOAWAY:
		goaway_came(c, r);
		break;
	case H2_WINDOW_UPDATE:
		window_came(c, r);
		break;
	case H2_PRIORITY_UPDATE:
		priority_update_came(c, r);
		break;
	default:
		h2_glitch(c);
		break;
	}
}

/* A fault of one stream. */
static void stream_fault(struct h2_conn *c, const struct h2_read *r)
{
	struct h2_stream *st = h2_stream_find(c, r->frame.stream);

	if (!h2_glitch(c))
		return;
	if (st)
		h2_stream_reset(st, r->fault.code);
	else if (h2_is_idle(c, r->frame.stream) && r->frame.type != H2_PRIORITY)
		h2_fault(c, H2_PROTOCOL_ERROR);
	else
		h2_reset_id(c, r->frame.stream, r->fault.code);
}

/* 3.4, 6.10: what may come at this moment at all. */
static bool in_order(struct h2_conn *c, const struct h2_read *r)
{
	bool continues = r->frame.type == H2_CONTINUATION;

	if (c->state == H2_SETTINGS_DUE) {
		if (r->frame.type != H2_SETTINGS || r->frame.flags & H2_ACK) {
			h2_fault(c, H2_PROTOCOL_ERROR);
			return false;
		}
		c->state = H2_OPEN;
	}
	if (continues != (c->block_frame.stream != 0) ||
	    (continues && r->frame.stream != c->block_frame.stream)) {
		h2_fault(c, H2_PROTOCOL_ERROR);
		return false;
	}
	return true;
}

static bool preface_came(struct h2_conn *c, struct span *bytes)
{
	size_t n = bytes->len < H2_PREFACE_LEN ? bytes->len : H2_PREFACE_LEN;

	if (memcmp(bytes->ptr, h2_preface, n)) {
		h2_fault(c, H2_PROTOCOL_ERROR);
		return false;
	}
	if (n < H2_PREFACE_LEN)
		return false;
	bytes->ptr += n;
	bytes->len -= n;
	c->state = H2_SETTINGS_DUE;
	return true;
}

/* As many frames as there are; what is left is of the next. */
static void read_frames(struct h2_conn *c, struct span *bytes)
{
	enum h2_result result;
	struct h2_read r;

	if (c->state == H2_PREFACE && !preface_came(c, bytes))
		return;
	while (c->state < H2_CLOSING && c->work > 0 &&
	       (result = h2_read(&c->reader, bytes, &r)) != H2_MORE) {
		c->work--;
		if (c->due && (result != H2_PIECE || r.frame.stream != c->due->id))
			tell_due(c);
		if (result == H2_BAD && r.fault.connection)
			h2_fault(c, r.fault.code);
		else if (!in_order(c, &r))
			return;
		else if (result == H2_BAD)
			stream_fault(c, &r);
		else if (result == H2_PIECE)
			data_came(c, &r, *bytes);
		else
			frame_came(c, &r);
		if (c->due && result == H2_PIECE)
			tell_due(c);
	}
	if (c->due)
		tell_due(c);
}

/* Frames out of bytes; the rest of them is what is left. */
static void take(struct h2_conn *c, struct span *bytes)
{
	passed = 0;
	read_frames(c, bytes);
	if (passed)
		rest_framed(c, passed);
	c->pending = c->state < H2_CLOSING && c->work <= 0 && bytes->len;
}

/* What lies here already is looked at where it lies. */
static void take_pending(struct h2_conn *c)
{
	struct h2_bytes all = c->in;
	struct span rest = { h2_bytes_first(&all), all.len };

	c->in = (struct h2_bytes){ 0 };
	take(c, &rest);
	if (c->pending) {
		h2_bytes_skip(&all, all.len - rest.len);
		c->in = all;
		return;
	}
	if (c->state < H2_CLOSING && !h2_bytes_add(&c->in, rest.ptr, rest.len))
		h2_dead(c);
	h2_bytes_free(&all);
}

/* What is at `received', len bytes of it. */
static void take_received(struct h2_conn *c, size_t len)
{
	struct span rest = { received, len };

	take(c, &rest);
	if (c->state < H2_CLOSING && !h2_bytes_add(&c->in, rest.ptr, rest.len))
		h2_dead(c);
}

static enum io receive(struct h2_conn *c)
{
	size_t len = c->in.len, got;
	enum io r;

	if (c->pending) {
		take_pending(c);
		return IO_OK;
	}
	if (len)
		memcpy(received, h2_bytes_first(&c->in), len);
	h2_bytes_free(&c->in);
	r = conn_recv(c->conn, received + len, received_size - len, &got);
	if (r == IO_OK)
		take_received(c, len + got);
	else if (r == IO_AGAIN && len && !h2_bytes_add(&c->in, received, len))
		h2_dead(c);
	else if (r == IO_EOF || r == IO_ERR)
		h2_dead(c);
	return r;
}

/* Is there something to look at, and room for what we would say? */
static bool may_receive(const struct h2_conn *c)
{
	return c->state < H2_CLOSING && (c->pending || c->conn->flags & CONN_READABLE) &&
	       c->out.len < H2_OUT_MOST;
}

/* Only so much in one go: others wait as well. */
void h2_receive(struct h2_conn *c)
{
	unsigned turns = TURNS;

	if (at_work) {
		task_wake(&c->task);
		return;
	}
	at_work = true;
	c->work = H2_WORK;
	while (may_receive(c) && c->work > 0 && turns--)
		if (receive(c) != IO_OK)
			break;
	at_work = false;
	if (may_receive(c))
		task_wake(&c->task);
}
