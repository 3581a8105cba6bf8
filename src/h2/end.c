/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a stream of HTTP/2: a struct message_ops (relay/message_end.h). The pumps call recv,
 * held and send, the steps of an exchange heads. What it says goes into frames: small ones wait for
 * others in the connection's memory, large ones leave at once, from where they lie.
 *
 * Invariants: in.head is behind the last byte given, but while the body is marked; CONN_HELD says
 * that bytes are there. finish puts END_STREAM on the last frame when that has not left yet.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "http/upgrade_field.h"
#include "relay/buffer.h"
#include "relay/pump.h"

#include <string.h>
#include <sys/uio.h>

enum { SMALL = 4096, PIECES = 4 };

/* ---- heads and bodies in ------------------------------------------------------------------ */

/* All of what is kept lies in front of what is at hand: one of them at a time. */
static struct span first_bytes(const struct h2_stream *st)
{
	if (h2_has_no_body(st))
		return (struct span){ NULL, 0 };
	if (h2_kept_bytes(st))
		return (struct span){ h2_bytes_first(&st->in) + st->marked_given, h2_kept_bytes(st) };
	return st->now;
}

/* What the client's own windows let pass, where it is one of HTTP/2. */
static uint32_t sink_room(const struct h2_stream *st)
{
	const struct end *peer = st->end ? end_peer(st->end) : NULL;
	const struct h2_stream *sink;
	int64_t room;

	if (!peer || peer->ops != &h2_end_ops.end)
		return UINT32_MAX;
	sink = h2_state(peer);
	room = sink->send_window < sink->conn->send_window ? sink->send_window : sink->conn->send_window;
	return room > 0 ? (uint32_t)room : 0;
}

static void give(struct h2_stream *st, size_t n)
{
	if (st->conn->client && st->given + n >= st->window / 2)
		st->sink_room = sink_room(st);
	if (!h2_kept_bytes(st)) {
		st->now.ptr += n;
		st->now.len -= n;
	} else if (st->marked) {
		st->marked_given += (uint32_t)n;
	} else {
		h2_bytes_skip(&st->in, n);
		h2_unkept(st, n);
	}
	h2_gave(st->conn, st, n);
	h2_note(st);
}

static enum io h2_head_in(struct end *end, struct message *msg)
{
	struct h2_stream *st = h2_state(end);

	if (!st->fresh && !st->kept)
		return st->reset || st->wrong ? IO_ERR : IO_AGAIN;
	st->fresh = false;
	if (!h2_head_give(st, msg))
		return IO_ERR;
	end->in->read_ms = (uint32_t)clock_now_ms;
	h2_note(st);
	if (msg->framing == BODY_NONE && st->left != UINT64_MAX)
		st->framing.ended = true;
	return IO_OK;
}

static enum io h2_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct h2_stream *st = h2_state(end);
	struct span bytes = first_bytes(st);

	if (!bytes.len && h2_body_is_here(st))
		return IO_EOF;
	if (!bytes.len) {
		st->flags &= (uint16_t)~CONN_READABLE;
		return st->reset ? IO_ERR : IO_AGAIN;
	}
	*got = bytes.len < size ? bytes.len : size;
	memcpy(buf, bytes.ptr, *got);
	give(st, *got);
	return IO_OK;
}

static bool h2_held(struct end *end, struct span *bytes, enum held_next *next)
{
	const struct h2_stream *st = h2_state(end);

	*bytes = first_bytes(st);
	*next = st->follows ? HELD_FOLLOWS :
		st->in_ended && bytes->len == h2_bytes_at_hand(st) ? HELD_LAST : HELD_MAYBE;
	return bytes->len;
}

static void h2_give(struct end *end, size_t n)
{
	give(h2_state(end), n);
}

/* No more than a buffer: a window is larger, and filled up by what is given alone. */
static bool body_fills(const struct h2_stream *st)
{
	return h2_bytes_at_hand(st) >= buffer_size() - buffer_reserve ||
	       st->recv_window <= 0;
}

static enum io h2_body_in(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	if (h2_has_no_body(st))
		return IO_OK;
	if (!h2_keep(st, st->now))
		return IO_ERR;
	st->now.len = 0;
	if (st->in_ended || body_fills(st))
		return IO_OK;
	if (st->reset)
		return IO_ERR;
	st->flags &= (uint16_t)~CONN_READABLE;
	return IO_AGAIN;
}

static struct span h2_body(const struct end *end, bool *final)
{
	const struct h2_stream *st = h2_state(end);

	*final = h2_body_is_here(st) || body_fills(st);
	return first_bytes(st);
}

static size_t h2_received_of(const struct end *end)
{
	return h2_state(end)->unread;
}

static unsigned h2_wrong(const struct end *end)
{
	return h2_state(end)->wrong;
}

static bool h2_unprocessed(const struct end *end)
{
	return h2_state(end)->unprocessed;
}

static bool h2_ended_alone(const struct end *end)
{
	const struct h2_stream *st = h2_state(end);

	return st->reset && !st->unprocessed && st->conn->state < H2_CLOSING;
}

static bool h2_whole(const struct end *end)
{
	return h2_body_is_here(h2_state(end));
}

static uint64_t h2_left(const struct end *end)
{
	const struct h2_stream *st = h2_state(end);

	if (st->framing.ended)
		return 0;
	return st->left == UINT64_MAX && !st->in_ended ? UINT64_MAX :
	       (st->in_ended ? 0 : st->left) + h2_bytes_at_hand(st);
}

static bool h2_drain(struct end *end, size_t *most)
{
	struct h2_stream *st = h2_state(end);
	size_t n;

	while (*most && (n = first_bytes(st).len)) {
		n = n < *most ? n : *most;
		*most -= n;
		give(st, n);
	}
	return st->framing.ended;
}

static bool h2_mark(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	if (h2_body_in(end) != IO_OK || !h2_body_is_here(st))
		return false;
	st->marked = !h2_has_no_body(st);
	return true;
}

static void h2_rewind(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	st->marked_given = 0;
	h2_note(st);
}

static bool h2_unpin(struct end *end)
{
	buffer_give(&h2_state(end)->head);
	return true;
}

static void h2_drop_trailers(struct end *end)
{
	h2_bytes_free(&h2_state(end)->trailers);
}

static void h2_tunnel(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	st->left = UINT64_MAX;
	st->asks_tunnel = false;
	st->framing.endless = true;
	h2_note(st);
}

/* ---- heads out ---------------------------------------------------------------------------- */

/* Not for a client of HTTP/2 whose window is closed: it takes nothing of the body. */
static void window_begins(struct h2_stream *st)
{
	if (h2_window_is_little(st) && sink_room(st) >= H2_WINDOW_LEAST)
		h2_window_begin(st);
}

static enum io h2_head_out(struct end *end, struct message *msg)
{
	struct h2_stream *st = h2_state(end);
	struct hpack_writer w;
	char *p;

	if (st->reset || st->out_ended)
		return IO_ERR;
	if (st->conn->state >= H2_CLOSING) { /* the stream has not been told yet */
		st->flags |= CONN_HUP | CONN_ERROR | CONN_BROKEN;
		return IO_ERR;
	}
	if (st->extended && msg->status / 100 == 2) /* for the client that would be a 101 */
		return IO_ERR;
	if (end_peer(end)->framing && end_peer(end)->framing->raw)
		end_decode(end_peer(end));
	if (st->conn->client && upgrade_protocol(msg).len)
		return h2_upgrade_ask(st, msg);
	if (!st->id && !h2_stream_number(st))
		return IO_ERR;
	p = h2_block_begins(st->conn, h2_block_room(message_size(msg), msg->count), &w);
	if (!p)
		return IO_ERR;
	if (msg->is_response) {
		h2_write_response(&w, msg);
	} else {
		h2_write_request(&w, msg, span_of(st->conn->conn->layer ? "https" : "http"));
		st->request_method = msg->method;
		st->asks_tunnel = msg->method == METHOD_CONNECT;
	}
	if (w.full)
		return IO_ERR;
	h2_block_ends(st, p, &w, 0);
	window_begins(st);
	st->closes = msg->flags & MSG_CLOSES && !st->conn->client;
	return IO_OK;
}

static bool opening_leaves(struct h2_stream *st, struct span block)
{
	struct hpack_writer w;
	char *p;

	if (!h2_stream_number(st))
		return false;
	p = h2_block_begins(st->conn, h2_block_room(block.len, 0), &w);
	if (!p)
		return false;
	memcpy(w.at, block.ptr, block.len);
	w.at += block.len;
	h2_block_ends(st, p, &w, 0);
	window_begins(st);
	return true;
}

void h2_openings_go(struct h2_conn *c)
{
	struct h2_stream *st, *next;
	struct span block;

	if (!c->greeted)
		return;
	list_for_each_safe(st, next, &c->streams, node) {
		if (!h2_upgrade_due(st, &block) || (c->takes_connect && opening_leaves(st, block)))
			continue;
		if (!c->takes_connect)
			st->wrong = 502;
		h2_stream_broken(st);
	}
}

/* ---- bodies out ---------------------------------------------------------------------------- */

/* Into the connection's memory, to leave with others. */
static void send_small(struct h2_stream *st, const char *bytes, size_t len)
{
	struct h2_conn *c = st->conn;
	char *p = h2_out(c, H2_FRAME_HEADER + len);

	if (!p)
		return;
	memcpy(h2_write_header(p, H2_DATA, 0, st->id, (uint32_t)len), bytes, len);
	c->last_frame = (uint32_t)(p - h2_bytes_first(&c->out));
	h2_out_done(c, p + H2_FRAME_HEADER + len);
	c->last_stream = st->id;
}

/* total bytes of these pieces have left, the first own bytes of which were out's. What is left of a
 * frame that was begun waits there. How many bytes of the body were taken. */
static size_t account(struct h2_stream *st, const struct iovec *pieces, unsigned count,
		      size_t total)
{
	struct h2_conn *c = st->conn;
	size_t taken = 0, size, left;
	unsigned i;
	char *p;

	for (i = 0; i + 1 < count && total; i += 2) {
		size = pieces[i].iov_len + pieces[i + 1].iov_len;
		left = total < size ? size - total : 0;
		total -= size - left;
		taken += pieces[i + 1].iov_len;
		if (!left)
			continue;
		p = h2_out(c, left);
		if (!p)
			return 0;
		if (left > pieces[i + 1].iov_len) {
			size_t header = left - pieces[i + 1].iov_len;

			memcpy(p, (char *)pieces[i].iov_base + pieces[i].iov_len - header, header);
			p += header;
			left -= header;
		}
		memcpy(p, (char *)pieces[i + 1].iov_base + pieces[i + 1].iov_len - left, left);
		h2_out_done(c, p + left);
	}
	return taken;
}

/* From where it lies, behind what waits. */
static enum io send_large(struct h2_stream *st, const char *bytes, size_t len, size_t *sent)
{
	struct h2_conn *c = st->conn;
	struct iovec pieces[1 + 2 * PIECES];
	char headers[PIECES][H2_FRAME_HEADER];
	size_t total, n, at = 0, own = c->out.len;
	unsigned i;
	enum io r;

	pieces[0] = (struct iovec){ own ? h2_bytes_first(&c->out) : NULL, own };
	for (i = 0; i < PIECES && at < len; i++, at += n) {
		n = len - at < H2_FRAME_LEAST ? len - at : H2_FRAME_LEAST;
		h2_write_header(headers[i], H2_DATA, 0, st->id, (uint32_t)n);
		pieces[1 + 2 * i] = (struct iovec){ headers[i], H2_FRAME_HEADER };
		pieces[2 + 2 * i] = (struct iovec){ (char *)bytes + at, n };
	}
	r = conn_send_pieces(c->conn, pieces + !own, 2 * i + (own > 0), false, &total);
	if (r != IO_OK) {
		if (r != IO_AGAIN)
			h2_dead(c);
		return r;
	}
	c->last_stream = 0;
	n = total < own ? total : own;
	if (n)
		h2_out_skip(c, n);
	*sent = account(st, pieces + 1, 2 * i, total - n);
	return c->state == H2_DEAD ? IO_ERR : *sent ? IO_OK : IO_AGAIN;
}

/* How much of it may leave now; 0: none, and the stream waits. */
static size_t may_send(struct h2_stream *st, size_t len)
{
	struct h2_conn *c = st->conn;
	bool alone = c->serving != st;
	unsigned i;

	for (i = 0; alone && i <= st->priority.urgency; i++)
		alone = list_empty(&c->waiting[i]);
	if (c->serving == st && len > c->share)
		len = c->share;
	if (st->send_window <= 0 || (int64_t)len > st->send_window)
		len = st->send_window > 0 ? (size_t)st->send_window : 0;
	if ((int64_t)len > c->send_window)
		len = c->send_window > 0 ? (size_t)c->send_window : 0;
	if (!(c->conn->flags & CONN_WRITABLE) || c->out.len >= H2_OUT_ENOUGH)
		return 0;
	return c->serving == st || alone ? len : 0;
}

static enum io h2_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct h2_stream *st = h2_state(end);
	struct h2_conn *c = st->conn;
	size_t all = len;
	enum io r = IO_OK;

	(void)more;
	*sent = 0;
	if (st->reset || st->out_ended || c->state >= H2_CLOSING)
		return IO_ERR;
	if (c->client && st->asks_tunnel) /* its head may wait, without an id: not a byte yet */
		return IO_ERR;
	len = may_send(st, len);
	if (!len) {
		h2_stream_wait(st);
		return IO_AGAIN;
	}
	if (len <= SMALL) {
		send_small(st, buf, len);
		*sent = len;
	} else {
		r = send_large(st, buf, len, sent);
	}
	if (c->state == H2_DEAD)
		return IO_ERR;
	st->send_window -= (int32_t)*sent;
	c->send_window -= (int64_t)*sent;
	if (*sent)
		h2_earned(c, (uint32_t)*sent);
	if (c->serving == st)
		c->share -= (uint32_t)*sent;
	if (*sent < all) { /* whoever has more to say does not ask again */
		h2_stream_wait(st);
		task_wake(&c->task); /* the socket may have taken all: then no event comes */
	}
	return r;
}

static void end_stream(struct h2_stream *st)
{
	struct h2_conn *c = st->conn;
	char *p;

	if (c->last_stream == st->id) {
		h2_bytes_first(&c->out)[c->last_frame + 4] |= H2_END_STREAM;
		c->last_stream = 0;
		return;
	}
	p = h2_out(c, H2_FRAME_HEADER);
	if (p)
		h2_out_done(c, h2_write_header(p, H2_DATA, H2_END_STREAM, st->id, 0));
}

static void finish_stream(struct end *end)
{
	struct h2_stream *st = h2_state(end);
	struct span lines = end_trailers(end_peer(end));
	struct hpack_writer w;
	char *p;

	if (st->out_ended || st->reset)
		return;
	if (st->conn->client && st->asks_tunnel) /* then it ends with the tunnel */
		return;
	st->out_ended = true;
	if (lines.len <= 2) {
		end_stream(st);
		return;
	}
	p = h2_block_begins(st->conn, h2_block_room(lines.len, (unsigned)lines.len / 4), &w);
	if (!p)
		return;
	h2_write_trailers(&w, lines);
	h2_block_ends(st, p, &w, H2_END_STREAM);
	st->conn->last_stream = 0;
}

/* GOAWAY stands behind the stream: there are clients that take nothing after it. */
static void h2_finish(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	finish_stream(end);
	if (st->closes && st->out_ended)
		h2_conn_drain(st->conn);
}

/* ---- life ----------------------------------------------------------------------------------- */

static void say_left(struct h2_stream *st, bool reset)
{
	if (st->conn->client && st->asks_tunnel && st->in_ended) { /* it was refused */
		end_stream(st);
	} else if (st->conn->client) {
		if (st->id && !(st->out_ended && st->in_ended))
			h2_reset_id(st->conn, st->id, H2_CANCEL);
	} else if (!st->out_ended || reset)
		h2_reset_id(st->conn, st->id, H2_INTERNAL_ERROR);
}

static void leave(struct h2_stream *st, bool reset)
{
	bool open = st->conn->state < H2_CLOSING && !st->reset;

	st->end = NULL;
	if (open && !st->conn->client && st->out_ended && !st->in_ended && !reset) {
		h2_stream_linger(st);
		return;
	}
	if (open)
		say_left(st, reset);
	if (open && st->in_ended && st->out_ended)
		st->conn->trust = st->conn->trust < H2_TRUST_MOST - 1 ? st->conn->trust + 2 :
								       H2_TRUST_MOST;
	h2_stream_free(st);
}

static void h2_close(struct end *end, bool reset)
{
	leave(h2_state(end), reset);
}

void h2_take_back(struct end *end)
{
	struct h2_stream *st = h2_state(end);

	end_forget(end);
	leave(st, false);
}

static struct span h2_trailers_of(const struct end *end)
{
	const struct h2_stream *st = h2_state(end);

	return (struct span){ st->trailers.len ? h2_bytes_first(&st->trailers) : NULL,
			      st->trailers.len };
}

/* The head, while nothing of the body stands behind it in the connection's memory. */
static struct span h2_waiting(const struct end *end)
{
	const struct h2_stream *st = h2_state(end);
	const struct h2_conn *c = st->conn;
	const char *p;

	if (!st->id || c->last_stream != st->id)
		return (struct span){ NULL, 0 };
	p = h2_bytes_first(&c->out) + c->last_frame;
	return (struct span){ p, H2_FRAME_HEADER + (h2_number(p) >> 8) };
}

/* What others have said counts, too: it is the connection's peer that does not read. */
static bool h2_room(struct end *end)
{
	struct h2_stream *st = h2_state(end);
	const struct h2_conn *c = st->conn;

	if (c->out.len < H2_OUT_ENOUGH || c->state >= H2_CLOSING || st->reset)
		return true;
	h2_stream_talk(st);
	return false;
}

static struct link h2_end_link(const struct end *end)
{
	return h2_conn_link(h2_state(end)->conn);
}

static void h2_share(const struct end *end, struct end_share *share)
{
	const struct h2_stream *st = h2_state(end);
	const struct h2_conn *c = st->conn;

	*share = (struct end_share){ .id = st->id, .send = st->send_window, .recv = st->recv_window,
				     .conn_send = c->send_window, .conn_recv = c->recv_window,
				     .now = c->numbers.streams, .opened = c->numbers.opened,
				     .refused = c->numbers.refused, .reset = c->numbers.reset,
				     .glitches = c->numbers.glitches };
}

const struct message_ops h2_end_ops = {
	.end = {
		.name = "h2",
		.recv = h2_recv,
		.send = h2_send,
		.held = h2_held,
		.give = h2_give,
		.finish = h2_finish,
		.close = h2_close,
	},
	.head_in = h2_head_in,
	.head_out = h2_head_out,
	.body_in = h2_body_in,
	.body = h2_body,
	.received = h2_received_of,
	.wrong = h2_wrong,
	.unprocessed = h2_unprocessed,
	.ended_alone = h2_ended_alone,
	.whole = h2_whole,
	.left = h2_left,
	.drain = h2_drain,
	.mark = h2_mark,
	.rewind = h2_rewind,
	.unpin = h2_unpin,
	.drop_trailers = h2_drop_trailers,
	.tunnel = h2_tunnel,
	.trailers = h2_trailers_of,
	.waiting = h2_waiting,
	.link = h2_end_link,
	.accepts = h2_upgrade_accepts,
	.room = h2_room,
	.share = h2_share,
};

void h2_lend(struct h2_stream *st, struct end *end)
{
	st->end = end;
	end_set_applet(end, &h2_end_ops.end, st, &st->flags, &st->framing);
}
