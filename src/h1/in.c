/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving half of an HTTP/1 end (h1/end.h): heads and bodies as the peer sends them.
 * The pumps call recv, held and splice, the steps of an exchange heads; the codec (http/h1_parse.c)
 * knows the format, this file knows the socket.
 *
 * Invariants: never a byte beyond the message's body; in->head is behind the last byte given;
 * while the head is pinned its bytes stay where they are; CONN_HELD says that in holds bytes.
 * Where the coding of the body does not change, chunk lines pass as they are and are only
 * checked. A response's trailers are kept, though, and pass without what they must not have. */
#include "h1/in.h"

#include "base/arena.h"
#include "base/clock.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "relay/pump.h"

enum { TRAILERS_KEPT = 1024, TRAILERS_HELD = 16384 };

struct buf *h1_buffer(struct h1_end *h1)
{
	struct buf *buf = buffer_take();

	if (unlikely(!buf))
		arena_fail(h1->arena);
	return buf;
}

/* ---- what was received ------------------------------------------------------------------- */

void h1_note_held(struct end *end, struct h1_end *h1)
{
	if ((h1->in && h1->in->len) || h1->trailers_left)
		end_socket(end)->flags |= CONN_HELD;
	else
		end_socket(end)->flags &= (uint16_t)~CONN_HELD;
}

/* n bytes of it were given. The place of what was there before stays while it is pinned. */
static void h1_consume(struct end *end, struct h1_end *h1, size_t n)
{
	h1->in->head += (uint32_t)n;
	h1->in->len -= (uint32_t)n;
	if (!h1->in->len && !h1->pinned)
		buffer_give(&h1->in);
	h1_note_held(end, h1);
}

/* Bytes of the next message that came along with the last ones of this one: kept. */
static bool h1_keep(struct end *end, struct h1_end *h1, const char *bytes, size_t len)
{
	if (!h1->in)
		h1->in = h1_buffer(h1);
	if (!h1->in || buf_room(h1->in) < len)
		return false;
	memcpy(buf_tail(h1->in), bytes, len);
	h1->in->len += (uint32_t)len;
	h1_note_held(end, h1);
	return true;
}

/* ---- heads in ---------------------------------------------------------------------------- */

static void h1_body_starts(struct h1_end *h1, uint8_t body, uint64_t length)
{
	struct framing *f = &h1->framing;

	h1->body = body;
	h1->left = length;
	if (body == BODY_CHUNKED)
		h1->chunks = (struct h1_chunks){ .response = !h1->is_client,
						 .bare_lf = !h1->is_client &&
							    h1->options & H1_ACCEPT_INVALID };
	if (body == BODY_CHUNKED)
		h1->chunks.halts = !h1->is_client;
	h1->decode = h1->whole = h1->holds = false;
	h1->trailers_left = 0;
	h1->ready = 0;
	f->endless = body == BODY_CLOSE || body == BODY_TUNNEL;
	f->ended = body == BODY_NONE || (body == BODY_LENGTH && !length);
	f->raw = body == BODY_CHUNKED;
	f->passable = body == BODY_LENGTH ? length : body == BODY_CHUNKED ? 0 : UINT64_MAX;
}

COLD static void h1_tell(struct end *end, const struct message_error *error, const char *bytes, size_t len)
{
	if (message_wrong)
		message_wrong(end, error, bytes, len);
}

/* An option has let something pass. */
APART COLD static void h1_tell_odd(struct end *end, const struct h1_end *h1)
{
	struct message_error odd = { .position = h1->parser.invalid };

	h1_tell(end, &odd, buf_first(h1->in), h1->in->len);
}

void h1_refuse(struct end *end, const struct message_error *error)
{
	struct h1_end *h1 = h1_state(end);

	h1->error = *error;
	h1_tell(end, &h1->error, h1->in->data, h1->in->head + h1->in->len);
}

/* Behind 1xx. */
static void h1_next_message(const struct h1_end *h1, struct message *msg)
{
	uint16_t most = msg->most;

	message_init(msg, !h1->is_client, msg->fields, msg->max);
	msg->most = most;
}

static enum h1_result h1_parse(struct h1_end *h1, struct message *msg)
{
	const char *bytes = buf_first(h1->in);
	size_t len = h1->in->len;

	if (unlikely(!h1->parsing && msg->major))
		h1_next_message(h1, msg);
	h1->parsing = true;
	if (h1->is_client)
		return h1_request_head(&h1->parser, bytes, len, h1->options, msg, &h1->error);
	return h1_response_head(&h1->parser, bytes, len, h1->options, h1->request_method, msg,
				&h1->error);
}

/* The bytes of the message begin at the front of the buffer: all of it is for the head. */
static bool h1_make_room(struct h1_end *h1)
{
	if (!h1->in)
		h1->in = h1_buffer(h1);
	if (h1->in && h1->in->head) {
		memmove(h1->in->data, buf_first(h1->in), h1->in->len);
		h1->in->head = 0;
	}
	return h1->in != NULL;
}

static enum io h1_receive(struct end *end, struct h1_end *h1, size_t size)
{
	size_t got;
	enum io r = conn_recv(end_socket(end), buf_tail(h1->in), size, &got);

	if (r == IO_OK)
		h1->in->len += (uint32_t)got;
	end->in->read_ms = (uint32_t)clock_now_ms;
	return r;
}

static void h1_head_done(struct end *end, struct h1_end *h1, const struct message *msg)
{
	h1->pinned = true;
	h1->in->head += msg->head_len;
	h1->in->len -= msg->head_len;
	h1_note_held(end, h1);
	h1->parser = (struct h1_parser){ 0 };
	h1->parsing = false;
	h1_body_starts(h1, msg->framing, msg->length);
	if (h1->body == BODY_CHUNKED)
		h1->chunks.max = msg->most;
	if (h1->body == BODY_CHUNKED && h1->chunks.bare_lf)
		h1_decode(end); /* it is written anew */
	if (h1->is_client)
		h1->peer_minor = msg->major == 1 ? msg->minor : 1;
}

/* What came of the body along with the head is judged with it: a malformed one goes nowhere. */
APART static bool h1_chunks_good(struct h1_end *h1)
{
	struct h1_chunks chunks = h1->chunks;
	size_t used;

	chunks.kept_room = 0;
	chunks.halts = false;
	return h1_chunks_scan(&chunks, buf_first(h1->in), h1->in->len, &used, &h1->error) != H1_BAD;
}

/* How much is asked for: where a large body is expected behind the head little of it, for what
 * comes along with the head is copied while the rest is spliced. */
static size_t h1_first_read(const struct h1_end *h1)
{
	enum { HEAD_USUALLY = 2048 };
	size_t room = buffer_room(h1->in);

	return h1->large && !h1->in->len && room > HEAD_USUALLY ? HEAD_USUALLY : room;
}

/* No more fits behind what is there of the head. */
COLD static enum io h1_head_full(struct end *end, struct h1_end *h1, struct message *msg)
{
	if (!buffer_is_small(h1->in)) {
		h1_too_long(&h1->parser, msg, &h1->error);
		h1_tell(end, &h1->error, buf_first(h1->in), h1->in->len);
		return IO_ERR;
	}
	if (!(end_socket(end)->flags & CONN_READABLE))
		return IO_AGAIN;
	if (buffer_grow(&h1->in))
		return IO_OK;
	arena_fail(h1->arena);
	return IO_ERR;
}

/* The rest of the head may never come: few bytes wait in a small buffer. True: they were moved
 * there, so what was found of the message has to follow, by h1_parse. */
COLD static bool h1_head_waits(struct h1_end *h1)
{
	const struct buf *before = h1->in;

	if (h1->in->len)
		buffer_shrink(&h1->in);
	return h1->in != before;
}

enum io h1_head_in(struct end *end, struct message *msg)
{
	struct h1_end *h1 = h1_state(end);
	bool again = !(h1->in && h1->in->len);
	enum io r = IO_OK;

	h1->pinned = false;
	if (again && !(end_socket(end)->flags & CONN_READABLE)) {
		buffer_give(&h1->in);
		return IO_AGAIN;
	}
	if (!h1_make_room(h1))
		return IO_ERR;
	for (;;) {
		if (again) {
			if (unlikely(!buffer_room(h1->in)) &&
			    (r = h1_head_full(end, h1, msg)) != IO_OK)
				break;
			r = end_socket(end)->flags & CONN_READABLE ? h1_receive(end, h1, h1_first_read(h1)) :
							       IO_AGAIN;
			if (unlikely(r != IO_OK) && !(r == IO_AGAIN && h1_head_waits(h1)))
				break;
		}
		switch (h1_parse(h1, msg)) {
		case H1_DONE:
			if (msg->flags & MSG_INVALID)
				h1_tell_odd(end, h1);
			h1_head_done(end, h1, msg);
			if (h1->body == BODY_CHUNKED && h1->in->len && !h1_chunks_good(h1))
				return IO_ERR;
			return IO_OK;
		case H1_BAD:
			h1_tell(end, &h1->error, buf_first(h1->in), h1->in->len);
			return IO_ERR;
		case H1_FULL:
			if (!message_more_fields(msg))
				return IO_ERR;
			again = false;
			break;
		case H1_INCOMPLETE:
			again = true;
		}
	}
	if (!h1->in->len)
		buffer_give(&h1->in);
	return r;
}

/* ---- bodies in --------------------------------------------------------------------------- */

/* The peer has closed. With TLS that need not be said by close_notify, as many servers never say
 * it; who wants it of responses that the connection's end ends (RFC 9112 9.8) asks end_maybe_cut.
 * */
static enum io h1_closed(struct h1_end *h1)
{
	if (h1->body != BODY_CLOSE && h1->body != BODY_TUNNEL) {
		h1->error.text = "the connection was closed within the body";
		return IO_ERR;
	}
	h1->framing.ended = true;
	return IO_EOF;
}

/* n bytes were received of a body that has a length, or goes to the close. */
static void h1_account_plain(struct h1_end *h1, size_t n)
{
	struct framing *f = &h1->framing;

	if (h1->body != BODY_LENGTH)
		return;
	h1->left -= n;
	f->passable = h1->left;
	f->ended = !h1->left;
}

/* Fields come behind the last chunk: none of them passes as it is. */
COLD static void h1_hold_trailers(struct h1_end *h1)
{
	h1->chunks.halts = false;
	h1->chunks.kept = arena_alloc(h1->arena, TRAILERS_HELD);
	h1->chunks.kept_room = h1->chunks.kept ? TRAILERS_HELD : 0;
	h1->holds = true;
}

/* They are all here. Where they are too many to be kept, the empty line is left of them. */
COLD static void h1_trailers_due(struct h1_end *h1)
{
	static char none[] = "\r\n";

	if (!h1->chunks.kept_len) {
		h1->chunks.kept = none;
		h1->chunks.kept_len = 2;
	}
	h1->trailers_left = h1->chunks.kept_len;
}

/* Chunks that pass as they are: *got bytes of what was received do. */
static enum h1_result h1_scan(struct h1_end *h1, const char *buf, size_t len, size_t *used,
			      size_t *got)
{
	struct h1_chunks *c = &h1->chunks;
	enum h1_result r;
	size_t more = 0;

	*used = *got = 0;
	if (likely(!h1->holds)) {
		r = h1_chunks_scan(c, buf, len, used, &h1->error);
		*got = *used;
		if (likely(r != H1_INCOMPLETE || *used == len))
			return r;
		h1_hold_trailers(h1);
	}
	r = h1_chunks_scan(c, buf + *used, len - *used, &more, &h1->error);
	h1->error.position += r == H1_BAD ? (uint32_t)*used : 0;
	*used += more;
	if (r == H1_DONE)
		h1_trailers_due(h1);
	return r;
}

static enum io h1_recv_trailers(struct end *end, struct h1_end *h1, void *buf, size_t size,
				size_t *got)
{
	const struct h1_chunks *c = &h1->chunks;

	*got = h1->trailers_left < size ? h1->trailers_left : size;
	memcpy(buf, c->kept + c->kept_len - h1->trailers_left, *got);
	h1->trailers_left -= (uint16_t)*got;
	h1->framing.ended = !h1->trailers_left;
	h1_note_held(end, h1);
	return IO_OK;
}

APART static enum io h1_account_chunks(struct end *end, struct h1_end *h1, char *buf, size_t *got,
				       size_t *rest)
{
	struct framing *f = &h1->framing;
	size_t len = *got, used = len;
	enum h1_result r;

	r = h1->decode ? h1_chunks_decode(&h1->chunks, buf, len, &used, got, &h1->error) :
			 h1_scan(h1, buf, len, &used, got);
	if (r == H1_BAD) {
		h1_tell(end, &h1->error, buf, len);
		return IO_ERR;
	}
	f->passable = h1->chunks.left;
	f->ended = r == H1_DONE && !h1->trailers_left;
	*rest = len - used;
	if (unlikely(h1->trailers_left))
		h1_note_held(end, h1);
	return IO_OK;
}

/* got bytes were received at buf: which of them belong to the body, and what is next? *rest:
 * bytes behind the body. */
static enum io h1_account(struct end *end, struct h1_end *h1, char *buf, size_t *got, size_t *rest)
{
	*rest = 0;
	if (h1->body == BODY_CHUNKED)
		return h1_account_chunks(end, h1, buf, got, rest);
	h1_account_plain(h1, *got);
	return IO_OK;
}

/* From what body_in has prepared. */
static enum io h1_recv_ready(struct end *end, struct h1_end *h1, void *buf, size_t size,
			     size_t *got)
{
	size_t len = h1->ready < size ? h1->ready : size;

	memcpy(buf, buf_first(h1->in), len);
	h1->ready -= (uint32_t)len;
	h1_consume(end, h1, len);
	h1->framing.ended = !h1->ready && h1->whole;
	*got = len;
	return IO_OK;
}

/* From what is held. */
static enum io h1_recv_held(struct end *end, struct h1_end *h1, void *buf, size_t size, size_t *got)
{
	size_t len = h1->in->len < size ? h1->in->len : size, rest;
	enum io r;

	memcpy(buf, buf_first(h1->in), len);
	*got = len;
	r = h1_account(end, h1, buf, got, &rest);
	h1_consume(end, h1, len - rest);
	return r;
}

/* What is held, where it needs no look: neither chunks nor the next message, nor what body_in has
 * prepared. */
bool h1_held(struct end *end, struct span *bytes, enum held_next *next)
{
	const struct h1_end *h1 = h1_state(end);

	if (h1->framing.ended || h1->ready || h1->body == BODY_CHUNKED || !h1->in || !h1->in->len)
		return false;
	*bytes = (struct span){ buf_first(h1->in), h1->in->len };
	*next = h1->body == BODY_LENGTH && bytes->len >= h1->left ? HELD_LAST : HELD_MAYBE;
	if (*next == HELD_LAST)
		bytes->len = (size_t)h1->left;
	return true;
}

void h1_give(struct end *end, size_t n)
{
	struct h1_end *h1 = h1_state(end);

	h1_account_plain(h1, n);
	h1_consume(end, h1, n);
}

/* As much may be received at once that what is behind the body can be kept: one byte behind a
 * chunk's never needs to be. */
static size_t h1_limit(const struct h1_end *h1, size_t size)
{
	uint64_t most = UINT64_MAX;
	size_t room;

	if (h1->body == BODY_LENGTH)
		most = h1->left;
	else if (h1->body == BODY_CHUNKED) {
		room = h1->in ? buf_room(h1->in) : buffer_size();
		most = h1->chunks.left + (room ? room : 1);
	}
	return most < size ? (size_t)most : size;
}

static enum io h1_recv_conn(struct end *end, struct h1_end *h1, void *buf, size_t size, size_t *got)
{
	enum io r = conn_recv(end_socket(end), buf, h1_limit(h1, size), got);
	size_t rest, len;

	if (r == IO_EOF)
		return h1_closed(h1);
	if (r != IO_OK)
		return r;
	len = *got;
	r = h1_account(end, h1, buf, got, &rest);
	if (rest && r == IO_OK && !h1_keep(end, h1, (char *)buf + len - rest, rest))
		return IO_ERR;
	return r;
}

enum io h1_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct h1_end *h1 = h1_state(end);
	enum io r;

	for (;;) {
		if (h1->framing.ended)
			return IO_EOF;
		if (unlikely(h1->trailers_left))
			return h1_recv_trailers(end, h1, buf, size, got);
		if (h1->ready)
			return h1_recv_ready(end, h1, buf, size, got);
		if (h1->body == BODY_LENGTH && h1->left < size)
			size = (size_t)h1->left;
		r = h1->in && h1->in->len ? h1_recv_held(end, h1, buf, size, got) :
					    h1_recv_conn(end, h1, buf, size, got);
		if (r != IO_OK || *got)
			return r;
		/* Nothing but lines of the coding. */
		if (!(end_socket(end)->flags & (CONN_READABLE | CONN_HELD)) && !h1->framing.ended)
			return IO_AGAIN;
	}
}

enum io h1_splice_in(struct end *end, struct pipe *pipe, size_t max, size_t *got)
{
	struct h1_end *h1 = h1_state(end);
	struct framing *f = &h1->framing;
	enum io r;

	if (f->ended)
		return IO_EOF;
	if (!f->passable)
		return IO_AGAIN;
	r = pipe_pull(pipe, end_socket(end), f->passable < max ? (size_t)f->passable : max, got);
	if (r != IO_OK)
		return r;
	h1_account_plain(h1, *got);
	if (h1->body == BODY_CHUNKED) {
		h1_chunks_skip(&h1->chunks, *got);
		f->passable = h1->chunks.left;
	}
	return IO_OK;
}

/* Takes the coding off the bytes behind those that are ready. */
static enum io h1_decode_held(struct h1_end *h1)
{
	char *bytes = buf_first(h1->in) + h1->ready;
	size_t len = h1->in->len - h1->ready, used = 0, got = 0;
	enum h1_result r = h1_chunks_decode(&h1->chunks, bytes, len, &used, &got, &h1->error);

	if (r == H1_BAD)
		return IO_ERR;
	memmove(bytes + got, bytes + used, len - used);
	h1->in->len -= (uint32_t)(used - got);
	h1->ready += (uint32_t)got;
	h1->framing.passable = h1->chunks.left;
	h1->whole = r == H1_DONE;
	return IO_OK;
}

static bool h1_body_whole(const struct h1_end *h1)
{
	size_t len = h1->in ? h1->in->len : 0;

	return h1->framing.ended || h1->whole || (h1->body == BODY_LENGTH && len >= h1->left);
}

static enum io h1_body_more(struct end *end, struct h1_end *h1)
{
	enum io r = end_socket(end)->flags & CONN_READABLE ? h1_receive(end, h1, buffer_room(h1->in)) :
						  IO_AGAIN;

	if (r == IO_EOF && h1_closed(h1) != IO_EOF)
		return IO_ERR;
	if (r == IO_EOF) {
		h1->framing.ended = false; /* what is here is still to be given */
		h1->whole = true;
		h1->ready = h1->in->len;
		return IO_OK;
	}
	if (r != IO_OK)
		return r;
	return h1->body == BODY_CHUNKED ? h1_decode_held(h1) : IO_OK;
}

enum io h1_body_in(struct end *end)
{
	struct h1_end *h1 = h1_state(end);
	enum io r = IO_OK;

	if (h1->body == BODY_TUNNEL)
		return IO_OK; /* no body: what comes is another protocol's, its end included */
	if (h1->body == BODY_CHUNKED && !h1->decode && !h1->framing.ended) {
		h1_decode(end);
		if (h1->in && h1->in->len)
			r = h1_decode_held(h1);
	}
	if (!h1->in)
		h1->in = h1_buffer(h1);
	if (!h1->in)
		return IO_ERR;
	while (r == IO_OK && !h1_body_whole(h1) && buffer_room(h1->in))
		r = h1_body_more(end, h1);
	if (h1->whole && !h1->ready)
		h1->framing.ended = true;
	h1_note_held(end, h1);
	return r;
}

struct span h1_body(const struct end *end, bool *final)
{
	const struct h1_end *h1 = h1_state(end);
	size_t len;

	*final = true;
	if (h1->framing.ended || h1->body == BODY_TUNNEL)
		return (struct span){ NULL, 0 };
	*final = h1_body_whole(h1) || (h1->in && !buffer_room(h1->in));
	if (!h1->in || (h1->body == BODY_CHUNKED && !h1->decode))
		return (struct span){ NULL, 0 };
	len = h1->body == BODY_CHUNKED ? h1->ready : h1->in->len;
	if (h1->body == BODY_LENGTH && len > h1->left)
		len = (size_t)h1->left;
	return (struct span){ buf_first(h1->in), len };
}

struct span h1_message(const struct end *end, struct span body)
{
	const struct h1_end *h1 = h1_state(end);

	if (!h1->pinned || !h1->in)
		return (struct span){ NULL, 0 };
	return (struct span){ h1->in->data, h1->in->head + body.len };
}

size_t h1_received(const struct end *end)
{
	const struct h1_end *h1 = h1_state(end);

	return h1->in ? h1->in->len : 0;
}

unsigned h1_wrong(const struct end *end)
{
	return h1_state(end)->error.status;
}

uint64_t h1_left(const struct end *end)
{
	const struct h1_end *h1 = h1_state(end);

	if (h1->framing.ended)
		return 0;
	return h1->body == BODY_LENGTH ? h1->left : UINT64_MAX;
}

bool h1_drain(struct end *end, size_t *most)
{
	struct h1_end *h1 = h1_state(end);
	struct buf *scratch = buffer_scratch();
	size_t got;

	while (!h1->framing.ended && scratch && *most &&
	       end_socket(end)->flags & (CONN_READABLE | CONN_HELD)) {
		if (h1_recv(end, scratch->data, *most < scratch->size ? *most : scratch->size,
			    &got) != IO_OK)
			break;
		*most -= got;
		end->in->read_ms = (uint32_t)clock_now_ms;
	}
	return h1->framing.ended;
}

bool h1_whole(const struct end *end)
{
	return h1_body_whole(h1_state(end));
}

bool h1_mark(struct end *end)
{
	struct h1_end *h1 = h1_state(end);

	if (h1_body_in(end) != IO_OK || !h1_body_whole(h1))
		return false;
	if (!h1->mark)
		h1->mark = arena_alloc(h1->arena, sizeof(*h1->mark));
	if (!h1->mark)
		return false;
	*h1->mark = (struct h1_mark){ h1->in->head, h1->in->len, h1->ready, h1->left, h1->framing };
	return true;
}

void h1_rewind(struct end *end)
{
	struct h1_end *h1 = h1_state(end);
	const struct h1_mark *mark = h1->mark;

	h1->in->head = mark->head;
	h1->in->len = mark->len;
	h1->ready = mark->ready;
	h1->left = mark->left;
	h1->framing.passable = mark->framing.passable;
	h1->framing.ended = mark->framing.ended;
	h1->framing.raw = mark->framing.raw;
	h1_note_held(end, h1);
}

void h1_tunnel(struct end *end)
{
	h1_body_starts(h1_state(end), BODY_TUNNEL, 0);
}

void h1_decode(struct end *end)
{
	struct h1_end *h1 = h1_state(end);

	if (h1->body != BODY_CHUNKED || h1->decode)
		return;
	h1->chunks.kept = arena_alloc(h1->arena, TRAILERS_KEPT);
	h1->chunks.kept_room = h1->chunks.kept ? TRAILERS_KEPT : 0;
	h1->chunks.halts = false;
	h1->decode = true;
	h1->framing.raw = false;
}

struct span h1_trailers(const struct end *end)
{
	const struct h1_end *h1 = h1_state(end);

	if (!h1->decode || h1->chunks.kept_len < 2)
		return (struct span){ NULL, 0 };
	return (struct span){ h1->chunks.kept, h1->chunks.kept_len };
}

void h1_drop_trailers(struct end *end)
{
	struct h1_end *h1 = h1_state(end);

	if (h1->body != BODY_CHUNKED)
		return;
	h1_decode(end);
	h1->chunks.kept = NULL;
	h1->chunks.kept_room = h1->chunks.kept_len = 0;
}
