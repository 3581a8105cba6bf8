/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes on a connection of HTTP/2 (h2/stream.h): frames by the codec, their order and
 * the states of streams here (RFC 9113 5.1, 6), fields in heads.c. It is received into memory of
 * the process; DATA goes from there to whoever takes it, and only the rest is copied.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "base/memory.h"
#include "http/hpack.h"
#include "relay/pump.h"
#include "relay/rest.h"

#include <stdlib.h>
#include <string.h>

enum { RECEIVED = 262144, RECEIVED_LITTLE = 16384 };

const char h2_leave_word[8] = { 'l', 'e', 'a', 'v', 'i', 'n', 'g', '.' };

static char *received;
static size_t received_size;
static bool at_work; /* somebody's bytes lie there */
static size_t passed; /* of them to pumps */

/* Behind a frame that is not complete there is room for what comes. */
bool h2_receive_init(void)
{
	size_t frame = H2_FRAME_LEAST;

	if (received)
		return true;
	if (frame < h2_conf.clients.frame)
		frame = h2_conf.clients.frame;
	if (frame < h2_conf.servers.frame)
		frame = h2_conf.servers.frame;
	received_size = RECEIVED + frame + H2_FRAME_HEADER;
	received = memory_take(received_size);
	return received;
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* To whoever takes it; the rest is kept. */
static void give_data(struct h2_stream *st, struct span bytes)
{
	if (st->in.len && !h2_keep(st, bytes)) {
		h2_stream_reset(st, H2_INTERNAL_ERROR);
		return;
	}
	if (!st->in.len)
		st->now = bytes;
	h2_note(st);
	end_ready(st->end); /* it may be closed behind this */
	if (!h2_keep(st, st->now))
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
	else if (!h2_was_reset(c, id) && !h2_is_ours_no_more(c, id) && h2_glitch_borne(c))
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

	c->counts->data_rcvd += r->last;
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
	if (r->last && !r->frame.length && !ends && !h2_glitch_borne(c))
		return;
	if (r->payload.len >= H2_TRUST_BYTES && c->trust < H2_TRUST_MOST)
		c->trust++;
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
	c->counts->rst_stream_rcvd++;
	/* Opened and taken back: each costs us more than the peer. */
	if (!c->client && !h2_glitch_borne(c))
		return;
	c->numbers.reset++;
	c->totals->reset++;
	if (!st)
		return;
	if (c->client && !st->has_head)
		st->unprocessed = h2_number(r->payload.ptr) == H2_REFUSED_STREAM;
	if (st->unprocessed)
		h2_refused(c);
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
	if (!c->leaving) {
		h2_round_trip(c, clock_now_ms - (c->timer.when - h2_conf.settings_ms));
		timer_cancel(&c->timer);
	}
	c->table.most = c->limits.table;
	if (c->table.limit > c->table.most)
		field_table_resize(&c->table, c->table.most);
}

static void settings_came(struct h2_conn *c, const struct h2_read *r)
{
	bool first = !c->greeted;
	struct h2_fault fault;
	unsigned windows = 0;
	uint32_t value;
	size_t at = 0;
	uint16_t id;
	char *p;

	c->counts->settings_rcvd++;
	if (r->frame.flags & H2_ACK) {
		settings_known(c);
		return;
	}
	if (!first && !h2_glitch_borne(c))
		return;
	c->greeted = true;
	while (h2_setting_next(r->payload, &at, &id, &value)) {
		if (!h2_setting_check(id, value, c->client, &fault)) {
			h2_fault(c, fault.code);
			return;
		}
		if (id == H2_INITIAL_WINDOW_SIZE && windows++ && !h2_glitch_borne(c))
			return; /* each concerns all streams */
		if (id == H2_INITIAL_WINDOW_SIZE)
			h2_window_set(c, value);
		else if (id == H2_MAX_CONCURRENT_STREAMS)
			c->peer_streams = value;
		else if (id == H2_ENABLE_CONNECT_PROTOCOL)
			c->takes_connect = value;
		else if (id == H2_HEADER_TABLE_SIZE && value < HPACK_DEFAULT)
			c->table_shrunk = true;
	}
	p = h2_out(c, H2_FRAME_HEADER);
	if (p)
		h2_out_done(c, h2_write_header(p, H2_SETTINGS, H2_ACK, 0, 0));
	if (first && !c->client)
		h2_say_window(c);
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
	if (r->frame.flags & H2_ACK) {
		h2_glitch(c);
		return;
	}
	/* gRPC measures the path by one for each piece of a body that it receives. */
	if (!h2_excused(c) && !h2_glitch_borne(c))
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
	c->counts->goaway_rcvd++;
	if (!c->client) {
		h2_conn_drain(c);
		return;
	}
	h2_over(c);
	list_for_each_safe(st, next, &c->streams, node)
		if (st->id > last) {
			st->unprocessed = true;
			h2_refused(c);
			h2_stream_broken(st);
		}
}

/* What is wrong with a stream's priority. One that does not exist may have one: it is told so, and
 * is neither open nor closed by that. */
static void priority_fault(struct h2_conn *c, uint32_t id, enum h2_code code)
{
	struct h2_stream *st = h2_stream_find(c, id);

	if (st)
		h2_stream_reset(st, code);
	else
		h2_say_reset(c, id, code);
}

static void priority_came(struct h2_conn *c, const struct h2_read *r)
{
	if (h2_glitch_borne(c) && r->dependency == r->frame.stream)
		priority_fault(c, r->frame.stream, H2_PROTOCOL_ERROR);
}

static void priority_update_came(struct h2_conn *c, const struct h2_read *r)
{
	struct h2_stream *st = h2_stream_find(c, h2_number(r->payload.ptr) & H2_STREAM_MOST);
	struct span value = { r->payload.ptr + 4, r->payload.len - 4 };

	if (!h2_glitch_borne(c) || !st)
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
		h2_fragment_came(c, r);
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

	c->counts->detected_strm_protocol_errors++;
	if (!h2_glitch_borne(c))
		return;
	if (r->frame.type == H2_PRIORITY)
		priority_fault(c, r->frame.stream, r->fault.code);
	else if (st)
		h2_stream_reset(st, r->fault.code);
	else if (h2_is_idle(c, r->frame.stream))
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
			h2_tell_due(c);
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
			h2_tell_due(c);
	}
	if (c->due)
		h2_tell_due(c);
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

static void receive(struct h2_conn *c)
{
	size_t len = c->in.len, got, room = received_size - len;
	enum io r;

	if (c->pending) {
		take_pending(c);
		return;
	}
	if (len)
		memcpy(received, h2_bytes_first(&c->in), len);
	h2_bytes_free(&c->in);
	if (!c->trust && room > RECEIVED_LITTLE)
		room = RECEIVED_LITTLE;
	r = conn_recv(c->conn, received + len, room, &got);
	c->unacked |= r == IO_OK;
	if (r == IO_OK)
		take_received(c, len + got);
	else if (r == IO_AGAIN && len && !h2_bytes_add(&c->in, received, len))
		h2_dead(c);
	else if (r == IO_EOF || r == IO_ERR)
		h2_dead(c);
}

/* Is there something to look at, and room for what we would say? */
static bool may_receive(const struct h2_conn *c)
{
	return c->state < H2_CLOSING && (c->pending || c->conn->flags & CONN_READABLE) &&
	       c->out.len < H2_OUT_MOST;
}

/* Only so much in a turn of the loop: others wait as well. Who has shown nothing yet, or whose
 * streams come to nothing, begins one stream out of little. */
static void begin_turn(struct h2_conn *c)
{
	uint32_t turn = (uint32_t)loop_stats.turns;

	if (c->turn == turn)
		return;
	c->turn = turn;
	c->work = (H2_WORK_HEAD + 1) * (1 + c->trust);
	c->took = false;
}

void h2_receive(struct h2_conn *c)
{
	if (at_work) {
		task_wake(&c->task);
		return;
	}
	at_work = true;
	begin_turn(c);
	if (may_receive(c) && c->work > 0 && !c->took) {
		c->took = true;
		receive(c);
	}
	at_work = false;
	if (may_receive(c))
		task_wake(&c->task);
}
