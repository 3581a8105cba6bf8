/* SPDX-License-Identifier: BSD-2-Clause */
/* HTTP/1 over a connection (h1/end.h): the life of such an end, and its sending half; how it
 * receives is in in.c. The pumps call send and splice, the steps of an exchange heads.
 *
 * Invariants: framing.held says that out holds bytes, or that some were lent; of these two one
 * at most. Who adds to what is lent takes a copy of it first (h1_out_take). */
#include "h1/end.h"

#include "base/arena.h"
#include "base/pool.h"
#include "h1/in.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "relay/pump.h"

#include <sys/uio.h>

enum { GATHER_LEAST = 4096 };

static struct pool h1_pool = POOL_INIT("http/1 end", sizeof(struct h1_end));

/* ---- heads out --------------------------------------------------------------------------- */

static void h1_out_add(struct h1_end *h1, const char *bytes, size_t len)
{
	memcpy(buf_tail(h1->out), bytes, len);
	h1->out->len += (uint32_t)len;
	h1->framing.held = true;
}

/* The head came into a buffer of this size, so it fits into an empty one. */
COLD static void h1_lent_copy(struct h1_end *h1)
{
	h1_out_add(h1, h1->lent.ptr, h1->lent.len);
	h1->lent.len = 0;
}

static bool h1_out_take(struct h1_end *h1)
{
	if (!h1->out)
		h1->out = h1_buffer(h1);
	if (unlikely(h1->lent.len && h1->out))
		h1_lent_copy(h1);
	if (unlikely(!h1->out))
		h1->framing.no_memory = true;
	return h1->out != NULL;
}

static struct span h1_text(const char *s)
{
	return span_of(s);
}

/* RFC 9112 9.3: 1.1 keeps the connection unless told otherwise, 1.0 the other way round. */
static bool h1_frame_connection(struct h1_end *h1, struct message *msg)
{
	bool old = h1->is_client ? h1->peer_minor == 0 : msg->minor == 0 && msg->major == 1;
	const char *say = NULL;

	/* A request that asks for another protocol names that alone in Connection. */
	if (msg->flags & MSG_INTERIM || msg->framing == BODY_TUNNEL ||
	    (!h1->is_client && msg->flags & MSG_UPGRADE))
		return true;
	if (msg->flags & MSG_UPGRADE && !msg->is_response)
		return true; /* Connection names it */
	if (!h1->framing.keep && (!old || h1->is_client))
		say = "close";
	else if (h1->framing.keep && old)
		say = "keep-alive";
	return !say || message_add(msg, h1->arena, h1_text("connection"), h1_text(say));
}

/* The source may have told the end of the body in another way. */
static bool h1_says_chunked(struct h1_end *h1, struct message *msg)
{
	unsigned at = 0;

	return message_find_id(msg, FIELD_TRANSFER_ENCODING, &at) ||
	       message_add(msg, h1->arena, h1_text("transfer-encoding"), h1_text("chunked"));
}

/* The body as the peer understands it, and as the source can give it: in chunks, or to the close.
 */
APART static bool h1_frame_body(struct end *end, struct h1_end *h1, struct message *msg)
{
	bool old = h1->is_client && h1->peer_minor == 0, raw = end_peer(end)->framing &&
		   end_peer(end)->framing->raw;

	if (msg->framing == BODY_CHUNKED && old) {
		message_delete(msg, h1_text("transfer-encoding"));
		msg->framing = BODY_CLOSE;
		h1->framing.keep = false;
		if (raw)
			end_decode(end_peer(end));
	} else if (msg->framing == BODY_CHUNKED) {
		h1->encode = !raw;
		if (!raw && !h1_says_chunked(h1, msg))
			return false;
	} else if (msg->framing == BODY_CLOSE && !old) {
		h1->encode = true;
		msg->framing = BODY_CHUNKED;
		if (!message_add(msg, h1->arena, h1_text("transfer-encoding"), h1_text("chunked")))
			return false;
	} else if (msg->framing == BODY_CLOSE) {
		h1->framing.keep = false;
	}
	return true;
}

static enum io h1_head_out(struct end *end, struct message *msg)
{
	struct h1_end *h1 = h1_state(end);
	size_t len;

	if (h1->is_client) {
		if (msg->flags & MSG_INTERIM && !h1->peer_minor)
			return IO_OK; /* RFC 9110 15.2: 1.0 knows none */
		msg->major = msg->minor = 1; /* RFC 9112 2.3: our version, not the server's */
	}
	if (msg->flags & MSG_HOPS)
		message_strip_hops(msg, msg->flags & MSG_UPGRADE || msg->status == 101);
	h1->encode = false;
	if ((msg->framing == BODY_CHUNKED || msg->framing == BODY_CLOSE) &&
	    !h1_frame_body(end, h1, msg))
		return IO_ERR;
	h1->framing.coded = h1->encode;
	if (!h1_frame_connection(h1, msg))
		return IO_ERR;
	if (!h1->is_client)
		h1->request_method = msg->method;
	if (msg->received && !h1->framing.held) {
		h1->lent = (struct span){ msg->received, msg->head_len };
		h1->framing.held = true;
		return IO_OK;
	}
	if (!h1_out_take(h1))
		return IO_ERR;
	len = h1_write_head(msg, buf_tail(h1->out), buf_room(h1->out));
	if (!len)
		return IO_ERR;
	h1->out->len += (uint32_t)len;
	h1->framing.held = true;
	return IO_OK;
}

/* ---- bodies out -------------------------------------------------------------------------- */

/* The last chunk, with the trailers that came behind the body before its coding was taken off.
 * False: there is no room for it until what waits has left. */
static bool h1_last_chunk(struct end *end, struct h1_end *h1)
{
	struct span trailers = end_trailers(end_peer(end));

	if (!h1_out_take(h1) || buf_room(h1->out) < 5)
		return false;
	if (trailers.len && buf_room(h1->out) >= 3u + trailers.len) {
		h1_out_add(h1, "0\r\n", 3);
		h1_out_add(h1, trailers.ptr, trailers.len);
	} else {
		h1_out_add(h1, "0\r\n\r\n", 5);
	}
	return true;
}

static enum io h1_flush(struct end *end)
{
	struct h1_end *h1 = h1_state(end);
	size_t sent;
	enum io r;

	while (h1->lent.len) {
		r = conn_send(end_socket(end), h1->lent.ptr, h1->lent.len, false, &sent);
		if (r != IO_OK)
			return r;
		h1->lent.ptr += sent;
		h1->lent.len -= sent;
	}
	while (h1->out) {
		r = conn_send(end_socket(end), buf_first(h1->out), h1->out->len, false, &sent);
		if (r != IO_OK)
			return r;
		buf_skip(h1->out, sent);
		if (!h1->out->len)
			buffer_give(&h1->out);
	}
	if (unlikely(h1->ends)) {
		h1->ends = false;
		return h1_last_chunk(end, h1) ? h1_flush(end) : IO_ERR;
	}
	h1->framing.held = false;
	if (h1->shut)
		conn_shut(end_socket(end));
	return IO_OK;
}

/* Of n bytes that left the first ones were those of out. */
static size_t h1_out_sent(struct h1_end *h1, size_t n)
{
	size_t own = h1->out ? h1->out->len : 0;

	if (own > n)
		own = n;
	if (h1->out) {
		buf_skip(h1->out, own);
		if (!h1->out->len)
			buffer_give(&h1->out);
	}
	h1->framing.held = h1->out != NULL;
	return n - own;
}

/* The line of a new chunk waits in out, before its bytes; behind a head that fills it not before
 * that has left. */
static enum io h1_chunk_starts(struct end *end, struct h1_end *h1, size_t len)
{
	char line[20];
	enum io r;

	if (unlikely(h1->out && buf_room(h1->out) < sizeof(line)) && (r = h1_flush(end)) != IO_OK)
		return r;
	if (!h1_out_take(h1))
		return IO_ERR;
	h1_out_add(h1, line, h1_chunk_line(line, len));
	h1->out_left = len;
	return IO_OK;
}

/* The body's bytes, with what was held back before them, and the end of the chunk behind. */
static enum io h1_send_pieces(struct end *end, struct h1_end *h1, const void *buf, size_t len,
			      bool more, size_t *sent)
{
	bool ends = h1->encode && len == h1->out_left;
	struct iovec pieces[3];
	unsigned n = 0;
	size_t total;
	enum io r;

	if (h1->out)
		pieces[n++] = (struct iovec){ buf_first(h1->out), h1->out->len };
	pieces[n++] = (struct iovec){ (void *)buf, len };
	if (ends)
		pieces[n++] = (struct iovec){ "\r\n", 2 };
	r = conn_send_pieces(end_socket(end), pieces, n, more, &total);
	if (r != IO_OK)
		return r;
	total = h1_out_sent(h1, total);
	*sent = total < len ? total : len;
	if (h1->encode)
		h1->out_left -= *sent;
	if (!ends || total == len + 2 || *sent < len)
		return *sent ? IO_OK : IO_AGAIN;
	if (!h1_out_take(h1))
		return IO_ERR;
	h1_out_add(h1, &"\r\n"[total - len], 2 - (total - len));
	return IO_OK;
}

/* A head with few bytes of the body behind it: copying them costs less than gathering. */
static enum io h1_send_small(struct end *end, struct h1_end *h1, const void *buf, size_t len,
			     bool more, size_t *sent)
{
	enum io r;

	memcpy(buf_tail(h1->out), buf, len);
	r = conn_send(end_socket(end), buf_first(h1->out), h1->out->len + len, more, sent);
	if (r != IO_OK)
		return r;
	*sent = h1_out_sent(h1, *sent);
	return *sent ? IO_OK : IO_AGAIN;
}

/* Body bytes that lie behind the lent head in memory, too, as they came. */
static enum io h1_send_lent(struct end *end, struct h1_end *h1, size_t len, bool more, size_t *sent)
{
	size_t own = h1->lent.len;
	enum io r = conn_send(end_socket(end), h1->lent.ptr, own + len, more, sent);

	if (r != IO_OK)
		return r;
	if (unlikely(*sent < own))
		own = *sent;
	h1->lent.ptr += own;
	h1->lent.len -= own;
	h1->framing.held = h1->lent.len;
	*sent -= own;
	return *sent ? IO_OK : IO_AGAIN;
}

/* A chunk, or the rest of one that the socket has taken in part: there may be more by now. Who sends less
 * than all has a full socket, which tells when it goes on. */
static enum io h1_send_chunks(struct end *end, struct h1_end *h1, const char *buf, size_t len,
			      bool more, size_t *sent)
{
	size_t n, part;
	enum io r;

	*sent = 0;
	do {
		if (!h1->out_left && (r = h1_chunk_starts(end, h1, len - *sent)) != IO_OK)
			break;
		n = len - *sent < h1->out_left ? len - *sent : (size_t)h1->out_left;
		r = h1_send_pieces(end, h1, buf + *sent, n, more, &part);
		if (r != IO_OK)
			break;
		*sent += part;
	} while (part == n && *sent < len);
	return r == IO_AGAIN && *sent ? IO_OK : r;
}

/* Behind what is held, or into a coding. */
APART static enum io h1_send_coded(struct end *end, struct h1_end *h1, const void *buf, size_t len,
				   bool more, size_t *sent)
{
	if (h1->lent.len && !h1_out_take(h1))
		return IO_ERR;
	if (h1->encode)
		return h1_send_chunks(end, h1, buf, len, more, sent);
	if (len <= GATHER_LEAST && buf_room(h1->out) >= len)
		return h1_send_small(end, h1, buf, len, more, sent);
	return h1_send_pieces(end, h1, buf, len, more, sent);
}

static enum io h1_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct h1_end *h1 = h1_state(end);

	if (h1->lent.len && buf == h1->lent.ptr + h1->lent.len && !h1->encode)
		return h1_send_lent(end, h1, len, more, sent);
	if (likely(!h1->framing.held && !h1->encode))
		return conn_send(end_socket(end), buf, len, more, sent);
	return h1_send_coded(end, h1, buf, len, more, sent);
}

static enum io h1_splice_out(struct end *end, struct pipe *pipe, bool more, size_t *sent)
{
	struct h1_end *h1 = h1_state(end);
	enum io r = h1->framing.held ? h1_flush(end) : IO_OK;

	return r == IO_OK ? pipe_push(pipe, end_socket(end), more, sent) : r;
}

static void h1_finish(struct end *end)
{
	struct h1_end *h1 = h1_state(end);

	if (h1->encode && !h1_last_chunk(end, h1))
		h1->ends = h1->framing.held = true;
	h1->encode = false;
	h1->shut = h1->body == BODY_TUNNEL;
	if (h1->shut && !h1->framing.held)
		conn_shut(end_socket(end));
}

/* ---- life -------------------------------------------------------------------------------- */

static void h1_forget(struct h1_end *h1)
{
	buffer_give(&h1->in);
	buffer_give(&h1->out);
	pool_put_small(&h1_pool, h1);
}

static void h1_close(struct end *end, bool reset)
{
	struct conn *conn = end_socket(end);

	h1_forget(h1_state(end));
	conn_close(&conn, reset);
}

static struct conn *h1_detach(struct end *end, struct buf **held)
{
	struct h1_end *h1 = h1_state(end);
	struct conn *conn = end_socket(end);

	*held = NULL;
	if (h1->in && h1->in->len) {
		*held = h1->in;
		h1->in = NULL;
	}
	h1_forget(h1);
	conn->flags &= (uint16_t)~CONN_HELD;
	end_forget(end);
	return conn;
}

static bool h1_unpin(struct end *end)
{
	struct h1_end *h1 = h1_state(end), *sink = h1_end_of(end_peer(end));

	if (unlikely(sink && sink->lent.len) && !h1_out_take(sink))
		return false;
	h1->pinned = false;
	if (h1->in && !h1->in->len)
		buffer_give(&h1->in);
	return true;
}

static struct span h1_waiting(const struct end *end)
{
	const struct h1_end *h1 = h1_state(end);

	if (h1->lent.len)
		return h1->lent;
	return h1->out ? (struct span){ buf_first(h1->out), h1->out->len } :
			 (struct span){ NULL, 0 };
}

/* What was said before leaves first: the pump runs when the socket takes more. */
static bool h1_room(struct end *end)
{
	return !h1_state(end)->framing.held || h1_flush(end) != IO_AGAIN;
}

static void h1_sent(struct end *end, size_t n)
{
	struct h1_end *h1 = h1_state(end);

	if (!h1->lent.len) {
		h1_out_sent(h1, n);
		return;
	}
	h1->lent.ptr += n;
	h1->lent.len -= n;
	h1->framing.held = h1->lent.len;
}

const struct message_ops h1_end_ops = {
	.end = {
		.name = "h1",
		.recv = h1_recv,
		.send = h1_send,
		.held = h1_held,
		.give = h1_give,
		.splice_in = h1_splice_in,
		.splice_out = h1_splice_out,
		.finish = h1_finish,
		.flush = h1_flush,
		.close = h1_close,
		.socket = true,
	},
	.head_in = h1_head_in,
	.head_out = h1_head_out,
	.body_in = h1_body_in,
	.body = h1_body,
	.message = h1_message,
	.received = h1_received,
	.wrong = h1_wrong,
	.refuse = h1_refuse,
	.whole = h1_whole,
	.left = h1_left,
	.drain = h1_drain,
	.mark = h1_mark,
	.rewind = h1_rewind,
	.unpin = h1_unpin,
	.decode = h1_decode,
	.drop_trailers = h1_drop_trailers,
	.trailers = h1_trailers,
	.tunnel = h1_tunnel,
	.waiting = h1_waiting,
	.sent = h1_sent,
	.detach = h1_detach,
	.room = h1_room,
};

_Static_assert((int)SPEAK_LENIENT == H1_ACCEPT_INVALID && (int)SPEAK_ANY_PAYLOAD == H1_ANY_PAYLOAD &&
	       (int)SPEAK_MAYBE_HOST == H1_MAYBE_HOST, "options of the codec are told as they are");

enum { PIECE = 48 };
_Static_assert(offsetof(struct h1_end, chunks) == 3 * PIECE,
	       "all in front of the chunks is cleared");

/* In pieces for which gcc uses wide stores. */
static inline void h1_clear(char *state)
{
	memset(state, 0, PIECE);
	memset(state + PIECE, 0, PIECE);
	memset(state + 2 * PIECE, 0, PIECE);
}

static ALWAYS_INLINE bool h1_begin(struct h1_end *h1, struct end *end, unsigned how,
				   struct arena *arena, struct buf **held)
{
	h1_clear((char *)h1);
	h1->trailers_left = 0;
	h1->options = how & (H1_ACCEPT_INVALID | H1_ANY_PAYLOAD | H1_MAYBE_HOST);
	h1->is_client = how & SPEAK_TO_CLIENT;
	h1->large = how & SPEAK_LARGE;
	h1->arena = arena;
	end->ops = &h1_end_ops.end;
	end->framing = &h1->framing;
	if (held && *held) {
		h1->in = *held;
		*held = NULL;
		h1_note_held(end, h1);
	}
	return true;
}

/* No state is free. */
APART static bool h1_begin_fresh(struct end *end, unsigned how, struct arena *arena,
				 struct buf **held)
{
	struct h1_end *h1 = pool_take_raw(&h1_pool);

	return h1 && h1_begin(h1, end, how, arena, held);
}

bool h1_speak(struct end *end, unsigned how, struct arena *arena, struct buf **held)
{
	struct h1_end *h1 = pool_take_ready(&h1_pool);

	return likely(h1 != NULL) ? h1_begin(h1, end, how, arena, held) :
				    h1_begin_fresh(end, how, arena, held);
}
