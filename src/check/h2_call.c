/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One request of a health check over HTTP/2 (RFC 9113), by the codec of http/. One stream, id 1, which
 * ends with the connection. Called by walk_run.c; it knows no socket, and no check.
 *
 * Memory is bounded: bytes of a frame that is not complete (H2_FRAME_LEAST), a block of fields
 * (tune.bufsize), what waits to be sent (OUT_ROOM), the table of HPACK (4 kB). So is work: frames that
 * bring a check no further are counted, and IDLE_MOST of them end it. A server that takes nothing is
 * answered nothing; then the time-out of the check ends it.
 */
#include "check/h2_call.h"

#include "base/buf.h"
#include "base/bug.h"
#include "base/memory.h"
#include "http/h1.h"
#include "http/h2_frame.h"
#include "http/h2_message.h"
#include "relay/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STREAM = 1,
	FIELDS_MOST = 256,
	IDLE_MOST = 1000, /* frames that bring nothing */
	GIVE_BACK = 16384, /* of a window that was used up */
	FAULT_SIZE = 96,
	/* The first words: a head that fills a frame, the body, small frames. What comes at once is
	 * answered with no more bytes than it has. */
	OUT_ROOM = H2_FRAME_LEAST + H2_CALL_BODY_MOST + 256,
	IN_ROOM = H2_FRAME_LEAST + H2_FRAME_HEADER + H2_CALL_AT_ONCE,
};

enum h2_call_state {
	CALL_BEGUN,   /* nothing came yet: SETTINGS are to be first (3.4) */
	CALL_HEAD,    /* the response is waited for */
	CALL_BODY,
	CALL_DONE,
	CALL_FAILED,
};

struct h2_call {
	enum h2_call_state state;
	uint8_t method;             /* of the request: enum method */
	struct h2_reader reader;
	struct field_table table;
	char *in;                   /* IN_ROOM bytes; NULL: no part of a frame waits */
	size_t in_len;
	struct buf *block;          /* of HEADERS that are not complete; NULL: none are under way */
	bool block_ends;            /* they end the stream */
	struct buf *trailers;       /* lines; NULL: none */
	uint64_t expected;          /* bytes of the response's body: h2_body_expected */
	unsigned idle;              /* frames that brought nothing */
	uint32_t owed;              /* what the server's windows were not given back */
	size_t out_at, out_len;
	enum h2_code code;          /* of the fault */
	char fault[FAULT_SIZE];
	char out[OUT_ROOM];
};

/* ---- faults ------------------------------------------------------------------------------ */

__attribute__((format(printf, 3, 4)))
static void fail(struct h2_call *call, enum h2_code code, const char *format, ...)
{
	va_list args;

	if (call->state >= CALL_DONE)
		return;
	call->state = CALL_FAILED;
	call->code = code;
	va_start(args, format);
	vsnprintf(call->fault, sizeof(call->fault), format, args);
	va_end(args);
}

static void fail_memory(struct h2_call *call)
{
	fail(call, H2_INTERNAL_ERROR, "out of memory");
}

bool h2_call_no_memory(const struct h2_call *call)
{
	return call->state == CALL_FAILED && call->code == H2_INTERNAL_ERROR;
}

const char *h2_call_fault(const struct h2_call *call)
{
	return call->state == CALL_FAILED ? call->fault : NULL;
}

bool h2_call_done(const struct h2_call *call)
{
	return call->state == CALL_DONE;
}

/* What is wrong with a frame. Before SETTINGS it is none, but something else. */
static void fail_frame(struct h2_call *call, enum h2_code code, const char *text)
{
	if (call->state == CALL_BEGUN)
		fail(call, code, "the server does not speak HTTP/2");
	else
		fail(call, code, "HTTP/2: %s (%s)", text, h2_code_name(code));
}

/* ---- what is sent ------------------------------------------------------------------------ */

struct span h2_call_waiting(const struct h2_call *call)
{
	return (struct span){ call->out + call->out_at, call->out_len - call->out_at };
}

void h2_call_sent(struct h2_call *call, size_t n)
{
	call->out_at += n;
	if (call->out_at == call->out_len)
		call->out_at = call->out_len = 0;
}

/* So many bytes are written there. */
static char *out_add(struct h2_call *call, size_t len)
{
	char *p = call->out + call->out_len;

	BUG_ON(len > OUT_ROOM - call->out_len);
	call->out_len += len;
	return p;
}

static void send_settings(struct h2_call *call)
{
	enum { COUNT = 2 };
	char *p = out_add(call, H2_FRAME_HEADER + COUNT * H2_SETTING_SIZE);

	p = h2_write_header(p, H2_SETTINGS, 0, 0, COUNT * H2_SETTING_SIZE);
	p = h2_write_setting(p, H2_ENABLE_PUSH, 0);
	h2_write_setting(p, H2_MAX_HEADER_LIST_SIZE, (uint32_t)buffer_size());
}

/* False: it does not fit into a frame, or is no request of HTTP/2. */
static bool send_head(struct h2_call *call, const struct message *request, struct span scheme, bool ends)
{
	char *head = out_add(call, H2_FRAME_HEADER), *block = head + H2_FRAME_HEADER;
	struct hpack_writer w = { .at = block, .end = block + H2_FRAME_LEAST };
	unsigned flags = H2_END_HEADERS | (ends ? H2_END_STREAM : 0);

	h2_write_request(&w, request, scheme);
	if (w.full)
		return false;
	out_add(call, (size_t)(w.at - block));
	h2_write_header(head, H2_HEADERS, flags, STREAM, (uint32_t)(w.at - block));
	return true;
}

/* At once: it is smaller than the windows and the frames of all servers are at first (6.9.2). */
static void send_body(struct h2_call *call, struct span body)
{
	char *p;

	if (!body.len)
		return;
	p = out_add(call, H2_FRAME_HEADER + body.len);
	p = h2_write_header(p, H2_DATA, H2_END_STREAM, STREAM, (uint32_t)body.len);
	memcpy(p, body.ptr, body.len);
}

struct h2_call *h2_call_new(const struct message *request, struct span scheme, struct span body,
			    const char **wrong)
{
	struct h2_call *call;

	*wrong = NULL;
	if (body.len > H2_CALL_BODY_MOST) {
		*wrong = "the request's body is too large";
		return NULL;
	}
	call = memory_take(sizeof(*call));
	if (!call)
		return NULL;
	memset(call, 0, offsetof(struct h2_call, out));
	call->method = request->method;
	call->reader.max = H2_FRAME_LEAST;
	field_table_init(&call->table, HPACK_DEFAULT);
	memcpy(out_add(call, H2_PREFACE_LEN), h2_preface, H2_PREFACE_LEN);
	send_settings(call);
	if (!send_head(call, request, scheme, !body.len)) {
		*wrong = "the request cannot leave by HTTP/2";
		h2_call_free(&call);
		return NULL;
	}
	send_body(call, body);
	return call;
}

void h2_call_free(struct h2_call **callp)
{
	struct h2_call *call = *callp;

	if (!call)
		return;
	*callp = NULL;
	field_table_free(&call->table);
	buffer_give(&call->block);
	buffer_give(&call->trailers);
	free(call->in);
	free(call);
}

void h2_call_leave(struct h2_call *call)
{
	if (OUT_ROOM - call->out_len >= H2_GOAWAY_SIZE)
		h2_write_goaway(out_add(call, H2_GOAWAY_SIZE), 0, call->code);
}

/* ---- heads ------------------------------------------------------------------------------- */

/* The response, or one in front of it: these say nothing to a check. */
static void head_came(struct h2_call *call, struct hpack_fields *list, bool ends, struct buf *to)
{
	static struct message msg;
	struct message_error error;
	size_t len;

	if (h2_response(list, ends, (enum method)call->method, &msg, &error) != H2_HEAD_GOOD) {
		fail_frame(call, H2_PROTOCOL_ERROR, error.text);
		return;
	}
	if (msg.flags & MSG_INTERIM)
		return;
	len = h1_write_head(&msg, buf_tail(to), buf_room(to));
	if (!len) {
		fail(call, H2_ENHANCE_YOUR_CALM, "the response's header fields exceed tune.bufsize");
		return;
	}
	to->len += (uint32_t)len;
	call->expected = h2_body_expected(&msg);
	call->state = ends ? CALL_DONE : CALL_BODY;
	call->idle = 0;
}

static void trailers_came(struct h2_call *call, const struct hpack_fields *list, bool ends)
{
	struct message_error error;

	if (!ends || h2_trailers(list, &error) != H2_HEAD_GOOD) {
		fail_frame(call, H2_PROTOCOL_ERROR, "malformed trailers");
		return;
	}
	if (!h2_body_came(&call->expected, 0, true)) {
		fail_frame(call, H2_PROTOCOL_ERROR, "a body that is shorter than its length");
		return;
	}
	call->trailers = buffer_take();
	if (!call->trailers) {
		fail_memory(call);
		return;
	}
	call->trailers->len = (uint32_t)h2_trailer_lines(list, call->trailers->data, call->trailers->size);
	if (call->trailers->len)
		call->state = CALL_DONE;
	else
		fail(call, H2_ENHANCE_YOUR_CALM, "the response's trailers exceed tune.bufsize");
}

struct span h2_call_trailers(const struct h2_call *call)
{
	return call->trailers ? (struct span){ call->trailers->data, call->trailers->len } :
				(struct span){ "", 0 };
}

/* All fields of a block are here. */
static void block_came(struct h2_call *call, struct span block, bool ends, struct buf *to)
{
	static struct field fields[FIELDS_MOST];
	struct hpack_fields list = { .fields = fields, .max = FIELDS_MOST };
	struct buf *strings = buffer_take();

	if (!strings) {
		fail_memory(call);
		return;
	}
	list.memory = strings->data;
	list.room = list.limit = strings->size;
	switch (hpack_read(&call->table, block, &list)) {
	case HPACK_OK:
		if (call->state == CALL_BODY)
			trailers_came(call, &list, ends);
		else
			head_came(call, &list, ends, to);
		break;
	case HPACK_LARGE:
	case HPACK_BOMB:
		fail(call, H2_ENHANCE_YOUR_CALM, "the response's header fields exceed tune.bufsize");
		break;
	case HPACK_BAD:
		fail_frame(call, H2_COMPRESSION_ERROR, "fields that cannot be read");
		break;
	case HPACK_NO_MEMORY:
		fail_memory(call);
		break;
	}
	buffer_give(&strings);
}

/* A part of a block: it goes behind what is there. */
static void block_part(struct h2_call *call, const struct h2_read *r, struct buf *to)
{
	if (!call->block)
		call->block = buffer_take();
	if (!call->block) {
		fail_memory(call);
		return;
	}
	if (r->payload.len > buf_room(call->block)) {
		fail(call, H2_ENHANCE_YOUR_CALM, "the response's header fields exceed tune.bufsize");
		return;
	}
	memcpy(buf_tail(call->block), r->payload.ptr, r->payload.len);
	call->block->len += (uint32_t)r->payload.len;
	if (!(r->frame.flags & H2_END_HEADERS))
		return;
	block_came(call, (struct span){ call->block->data, call->block->len }, call->block_ends, to);
	buffer_give(&call->block);
}

static void headers_came(struct h2_call *call, const struct h2_read *r, struct buf *to)
{
	bool ends = r->frame.flags & H2_END_STREAM;

	if (r->dependency == STREAM) {
		fail_frame(call, H2_PROTOCOL_ERROR, "a stream that depends on itself");
		return;
	}
	call->block_ends = ends;
	if (r->frame.flags & H2_END_HEADERS)
		block_came(call, r->payload, ends, to);
	else
		block_part(call, r, to);
}

/* ---- other frames ------------------------------------------------------------------------ */

/* What was used up of the windows is given back, whether anybody wants what has come or not. */
static void give_back(struct h2_call *call, uint32_t flow)
{
	char *p;

	call->owed += flow;
	if (call->owed < GIVE_BACK)
		return;
	p = out_add(call, 2 * H2_WINDOW_SIZE);
	p = h2_write_window(p, 0, call->owed);
	h2_write_window(p, STREAM, call->owed);
	call->owed = 0;
}

static void data_came(struct h2_call *call, const struct h2_read *r, struct buf *to)
{
	bool ends = r->last && r->frame.flags & H2_END_STREAM;
	size_t room = buf_room(to), len = r->payload.len < room ? r->payload.len : room;

	if (call->state != CALL_BODY) {
		fail_frame(call, H2_PROTOCOL_ERROR, "DATA in front of HEADERS");
		return;
	}
	if (!h2_body_came(&call->expected, r->payload.len, ends)) {
		fail_frame(call, H2_PROTOCOL_ERROR, "a body that is not as long as its length");
		return;
	}
	if (len) {
		memcpy(buf_tail(to), r->payload.ptr, len);
		to->len += (uint32_t)len;
		call->idle = 0;
	}
	give_back(call, r->flow);
	if (ends)
		call->state = CALL_DONE;
}

static void settings_came(struct h2_call *call, const struct h2_read *r)
{
	struct h2_fault fault;
	uint32_t value;
	uint16_t id;
	size_t at = 0;

	if (r->frame.flags & H2_ACK)
		return;
	if (call->state == CALL_BEGUN)
		call->state = CALL_HEAD;
	while (h2_setting_next(r->payload, &at, &id, &value)) {
		if (!h2_setting_check(id, value, true, &fault)) {
			fail_frame(call, (enum h2_code)fault.code, fault.text);
			return;
		}
	}
	h2_write_header(out_add(call, H2_FRAME_HEADER), H2_SETTINGS, H2_ACK, 0, 0);
}

/* 6.8: a last stream that is not ours says that nobody will answer. */
static void goaway_came(struct h2_call *call, const struct h2_read *r)
{
	uint32_t last = h2_number(r->payload.ptr) & H2_STREAM_MOST;

	if (last < STREAM)
		fail(call, H2_NO_ERROR, "the server has sent GOAWAY (%s)",
		     h2_code_name(h2_number(r->payload.ptr + 4)));
}

/* Only one stream was opened, and nobody may push. */
static bool stream_is_ours(struct h2_call *call, const struct h2_read *r)
{
	bool ours = r->frame.stream == STREAM;

	if (!ours)
		fail_frame(call, H2_PROTOCOL_ERROR, "a stream that nobody opened");
	return ours;
}

static void frame_came(struct h2_call *call, const struct h2_read *r, struct buf *to)
{
	uint8_t type = r->frame.type;

	if (call->state == CALL_BEGUN && (type != H2_SETTINGS || r->frame.flags & H2_ACK)) {
		fail_frame(call, H2_PROTOCOL_ERROR, "");
		return;
	}
	if (type == H2_CONTINUATION ? !call->block : call->block != NULL) {
		fail_frame(call, H2_PROTOCOL_ERROR, "CONTINUATION out of its place");
		return;
	}
	switch (type) {
	case H2_DATA:
		if (stream_is_ours(call, r))
			data_came(call, r, to);
		break;
	case H2_HEADERS:
		if (stream_is_ours(call, r))
			headers_came(call, r, to);
		break;
	case H2_CONTINUATION:
		if (stream_is_ours(call, r))
			block_part(call, r, to);
		break;
	case H2_RST_STREAM:
		if (stream_is_ours(call, r))
			fail(call, H2_NO_ERROR, "the server has reset the stream (%s)",
			     h2_code_name(h2_number(r->payload.ptr)));
		break;
	case H2_SETTINGS:
		settings_came(call, r);
		break;
	case H2_PING:
		if (!(r->frame.flags & H2_ACK))
			h2_write_ping(out_add(call, H2_PING_SIZE), H2_ACK, r->payload.ptr);
		break;
	case H2_GOAWAY:
		goaway_came(call, r);
		break;
	case H2_PUSH_PROMISE:
		fail_frame(call, H2_PROTOCOL_ERROR, "PUSH_PROMISE");
		break;
	default: /* priorities, windows (all was sent), what is not known (5.5) */
		break;
	}
}

/* One frame, or a piece of one. False: there is none, or nothing more is wanted. */
static bool take_frame(struct h2_call *call, struct span *bytes, struct buf *to)
{
	struct h2_read r;

	if (call->state >= CALL_DONE)
		return false;
	switch (h2_read(&call->reader, bytes, &r)) {
	case H2_MORE:
		return false;
	case H2_WHOLE:
	case H2_PIECE:
		call->idle += r.frame.type != H2_DATA || r.last;
		if (call->idle > IDLE_MOST)
			fail_frame(call, H2_ENHANCE_YOUR_CALM, "too many frames that bring nothing");
		else
			frame_came(call, &r, to);
		return true;
	case H2_BAD:
		break;
	}
	fail_frame(call, (enum h2_code)r.fault.code, r.fault.text);
	return false;
}

void h2_call_take(struct h2_call *call, struct span bytes, struct buf *to)
{
	BUG_ON(bytes.len > H2_CALL_AT_ONCE || call->out_len);
	if (call->in_len) {
		memcpy(call->in + call->in_len, bytes.ptr, bytes.len);
		bytes.ptr = call->in;
		bytes.len += call->in_len;
	}
	while (take_frame(call, &bytes, to))
		;
	call->in_len = 0;
	if (!bytes.len || call->state >= CALL_DONE)
		return;
	if (!call->in)
		call->in = memory_take(IN_ROOM);
	if (!call->in) {
		fail_memory(call);
		return;
	}
	memmove(call->in, bytes.ptr, bytes.len);
	call->in_len = bytes.len;
}

void h2_call_closed(struct h2_call *call, int error)
{
	bool begun = call->state != CALL_BEGUN;

	if (error)
		fail(call, H2_NO_ERROR, "%s", strerror(error));
	else if (call->state == CALL_BODY)
		fail(call, H2_NO_ERROR, "the server closed the connection within the response");
	else
		fail(call, H2_NO_ERROR, "the server closed the connection %s",
		     begun ? "without a response" : "without a word of HTTP/2");
}
