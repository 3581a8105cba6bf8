/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heads and trailers that come on a connection of HTTP/2 (h2/stream.h), and the streams that
 * begin with them. Called by in.c, frame by frame. Fields are read as soon as they are all here,
 * whether anybody wants them or not, for the table must follow. A head lies in memory of the process
 * until the next block comes; then it is copied for whoever has not asked for it yet.
 */
#include "h2/stream.h"

#include "base/memory.h"
#include "http/hpack.h"
#include "relay/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { FIELDS_MOST = 1024, BLOCK_FRAMES = 64 };

/* The head that was read last, until somebody asks for it. */
static struct field fields[FIELDS_MOST];
static struct message fresh;
static struct h2_stream *fresh_of;

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
	st->kept = memory_take(sizeof(fresh) + size);
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
	if (c->trust)
		c->trust--;
	return st;
}

static void stream_lent(struct h2_conn *c, struct h2_stream *st)
{
	if (!c->ops->opened(c->owner, c, st)) {
		fresh_of = NULL;
		h2_refused(c);
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
	h2_refused(c);
	h2_reset_id(c, id, H2_REFUSED_STREAM);
	h2_glitch(c);
	return false;
}

/* A request that is answered with that status, whatever it asks for: none of it is kept. */
static void wrong_came(struct h2_conn *c, size_t len, unsigned status)
{
	const struct h2_frame *f = &c->block_frame;
	struct h2_stream *st = has_room(c, f->stream) && h2_glitch_borne(c) ? stream_opens(c, f->stream) : NULL;

	if (!st)
		return;
	st->wrong = (uint16_t)status;
	st->unread = (uint32_t)len;
	st->left = UINT64_MAX;
	st->in_ended = f->flags & H2_END_STREAM;
	st->flags |= CONN_READABLE;
	stream_lent(c, st);
}

static void malformed_came(struct h2_conn *c)
{
	c->counts->detected_strm_protocol_errors++;
	h2_reset_id(c, c->block_frame.stream, H2_PROTOCOL_ERROR);
	if (c->ops->bad && c->conn)
		c->ops->bad(c->owner, h2_conn_link(c));
	h2_glitch(c);
}

static void request_came(struct h2_conn *c, struct hpack_fields *list, struct buf **strings,
			 size_t len)
{
	const struct h2_frame *f = &c->block_frame;
	struct span key = { (*strings)->data + (*strings)->size - KEY_LEN, KEY_LEN };
	bool ends = f->flags & H2_END_STREAM;
	struct message_error error;
	struct h2_stream *st;
	enum h2_head r;

	if (c->limits.no_connect)
		key.ptr = NULL;
	r = c->block_dependency == f->stream ? H2_HEAD_MALFORMED :
					       h2_request(list, ends, key, &fresh, &error);
	if (r == H2_HEAD_BAD || r == H2_HEAD_LARGE) {
		wrong_came(c, len, error.status);
		return;
	}
	if (!has_room(c, f->stream))
		return;
	if (r != H2_HEAD_GOOD) {
		malformed_came(c);
		return;
	}
	st = stream_opens(c, f->stream);
	if (!st)
		return;
	st->extended = fresh.flags & MSG_UPGRADE;
	st->asks_tunnel = st->extended || fresh.method == METHOD_CONNECT;
	if (st->extended) {
		make_key((*strings)->data + (*strings)->size - KEY_LEN);
		if (!h2_upgrade_came(st, &fresh)) {
			h2_reset_id(c, f->stream, H2_REFUSED_STREAM);
			h2_stream_free(st);
			return;
		}
	}
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

/* A head came, and nobody has read the one before. That was an interim answer: it is given up for
 * this one, for whoever waits for it does not take so many. False: it was not. */
static bool interim_given_up(struct h2_stream *st)
{
	if (!st->kept || !(st->kept->flags & MSG_INTERIM) || ++st->given_up > H2_GIVEN_UP_MOST)
		return false;
	free(st->kept);
	st->kept = NULL;
	return true;
}

static void response_came(struct h2_stream *st, struct hpack_fields *list, struct buf **strings)
{
	bool ends = st->conn->block_frame.flags & H2_END_STREAM;
	struct message_error error;

	/* Two heads, and nobody has read the first. */
	if ((st->kept || st->fresh) && !interim_given_up(st)) {
		h2_stream_fault(st, H2_ENHANCE_YOUR_CALM);
		return;
	}
	if (h2_response(list, ends, st->request_method, &fresh, &error) != H2_HEAD_GOOD) {
		st->wrong = 502;
		h2_stream_fault(st, H2_PROTOCOL_ERROR);
		return;
	}
	if (!h2_upgrade_taken(st, &fresh)) {
		st->wrong = 502;
		h2_stream_fault(st, H2_ENHANCE_YOUR_CALM);
		return;
	}
	say_empty(st->request_method);
	head_came(st, strings, ends);
	st->conn->due = st;
}

void h2_tell_due(struct h2_conn *c)
{
	struct h2_stream *st = c->due;

	c->due = NULL;
	if (fresh_of == st && st->end)
		end_ready(st->end);
	keep_fresh();
}

/* What would frame or route a message is dropped of a response's trailers (RFC 9110 6.5.1); fields
 * of a connection are malformed there (RFC 9113 8.2.2). */
static void trailers_lose_framing(struct hpack_fields *list)
{
	unsigned i, kept = 0;

	for (i = 0; i < list->count; i++)
		if (list->fields[i].id != FIELD_CONTENT_LENGTH && list->fields[i].id != FIELD_HOST)
			list->fields[kept++] = list->fields[i];
	list->count = kept;
}

static void trailers_came(struct h2_stream *st, struct hpack_fields *list)
{
	struct message_error error;
	size_t room = list->used + 64 * list->count + 2, len = 0;

	if (st->conn->client)
		trailers_lose_framing(list);

	if (!(st->conn->block_frame.flags & H2_END_STREAM) ||
	    h2_trailers(list, &error) != H2_HEAD_GOOD || !h2_body_came(&st->left, 0, true)) {
		h2_stream_fault(st, H2_PROTOCOL_ERROR);
		return;
	}
	if (list->count && !h2_bytes_room(&st->trailers, room)) {
		h2_stream_reset(st, H2_INTERNAL_ERROR);
		return;
	}
	if (list->count)
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
		wrong_came(c, block.len, 431);
	else if (begins)
		request_came(c, &list, &strings, block.len);
	else if (st && !st->reset && r == HPACK_LARGE)
		h2_stream_fault(st, H2_ENHANCE_YOUR_CALM);
	else if (st && !st->reset && st->has_head)
		trailers_came(st, &list);
	else if (st && !st->reset)
		response_came(st, &list, &strings);
	buffer_give(&strings);
}

/* 5.1, 5.1.1: may HEADERS come there? */
static bool headers_allowed(struct h2_conn *c, const struct h2_frame *f)
{
	const struct h2_stream *st = h2_stream_find(c, f->stream);

	if (st && st->in_ended && !st->reset) {
		h2_fault(c, H2_STREAM_CLOSED);
		return false;
	}
	if (st || h2_is_ours_no_more(c, f->stream))
		return true;
	if (c->client || !(f->stream & 1)) {
		h2_fault(c, H2_PROTOCOL_ERROR);
		return false;
	}
	if (f->stream > c->last_in || h2_was_reset(c, f->stream))
		return true;
	h2_fault(c, H2_STREAM_CLOSED);
	return false;
}

/* The first piece of a block may be all of it: then it is not copied. */
void h2_fragment_came(struct h2_conn *c, const struct h2_read *r)
{
	struct span block = r->payload;

	if (r->frame.type == H2_HEADERS) {
		c->counts->headers_rcvd++;
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
