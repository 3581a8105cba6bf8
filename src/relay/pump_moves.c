/* SPDX-License-Identifier: BSD-2-Clause */
/* The moves of a pump (relay/pump_moves.h), by a copy or through a pipe, and which of the two.
 *
 * A move first pushes out what is held, then pulls one piece in and pushes it at once. Invariants:
 * never a pull while bytes are held, except to gather segments in the pipe; bytes in buf are older
 * than those in the pipe; a pipe is held only while bytes sit in it; no byte passes beyond
 * pump->allowed. doc/internals/datapath.md has the reasons and the measurements. */
#include "relay/pump_moves.h"

#include "base/clock.h"
#include "net/window.h"
#include "relay/buffer.h"
#include "relay/chain.h"
#include "relay/pipe.h"
#include "relay/rest.h"

#include <errno.h>

enum {
	LARGE_READ = 16384, /* two copies of this size in a row: go over to splice */
	LARGE_READS = 2,
	SMALL_PULL = 8192, /* four pulls below it in a row: go back to copying */
	SMALL_PULLS = 4,
	GATHER_MOST = 16, /* segments */
};

/* Does this kernel give one segment a pull? Positive: it seems so; learnt from tries. */
static int gather_evidence;

static inline void pump_wrote(struct pump *pump, uint64_t *way, size_t n)
{
	*way += n;
	pump->write_ms = (uint32_t)clock_now_ms;
}

/* n bytes were received; they count against what may pass. */
static inline void pump_got(struct pump *pump, size_t n)
{
	pump->read_ms = (uint32_t)clock_now_ms;
	if (pump->allowed != UINT64_MAX)
		pump->allowed -= n;
}

COLD enum io pump_write_error(struct pump *pump)
{
	const struct framing *framing = pump->to->framing;

	pump->flags |= framing && framing->no_memory ? PUMP_NO_MEMORY : PUMP_WRITE_ERROR;
	return IO_ERR;
}

/* Does errno say that this socket or kernel does not splice? */
COLD static bool pump_refused(void)
{
	return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM;
}

/* From now on this direction copies. */
COLD void pump_copy_only(struct pump *pump, uint64_t *cause)
{
	if (pump->mode != PUMP_COPY)
		++*cause;
	pump->mode = PUMP_COPY;
	pump->flags &= (uint16_t)~PUMP_SPLICING;
}

/* ---- pushing what is held -------------------------------------------------------------- */

static enum io pump_push_buf(struct pump *pump)
{
	struct buf *buf = pump->buf;
	size_t sent;
	enum io r;

	r = pump->to->ops->send(pump->to, buf_first(buf), buf->len, false, &sent);
	pump->calls++;
	if (r != IO_OK)
		return r == IO_AGAIN ? r : pump_write_error(pump);
	relay_stats.writes++;
	relay_stats.copied += sent;
	pump_wrote(pump, &pump->copied, sent);
	buf_skip(buf, sent);
	if (buf->len)
		return IO_AGAIN;
	buffer_give(&pump->buf);
	return IO_OK;
}

/* The sink refuses to splice: the bytes in the pipe go on by copying. */
COLD static enum io pump_unsplice(struct pump *pump)
{
	struct buf *buf = buffer_scratch();
	size_t got;

	if (!buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	if (pipe_read(pump->pipe, buf->data, buf->size, &got) != IO_OK)
		return pump_write_error(pump);
	buf->head = 0;
	buf->len = (uint32_t)got;
	pump->buf = buffer_take_scratch();
	if (!pump->pipe->held)
		pipe_give(&pump->pipe);
	return pump_push_buf(pump);
}

static enum io pump_push_pipe(struct pump *pump, bool more)
{
	size_t sent;
	enum io r;

	r = pump->to->ops->splice_out(pump->to, pump->pipe, more, &sent);
	pump->calls++;
	if (likely(r == IO_OK)) {
		relay_stats.pushes++;
		relay_stats.spliced += sent;
		pump_wrote(pump, &pump->spliced, sent);
		if (likely(!pump->pipe->held)) {
			pipe_give(&pump->pipe);
			return IO_OK;
		}
		r = IO_AGAIN; /* it took less than there was: it is full */
	}
	if (r == IO_AGAIN) {
		*pump->to->flags &= (uint16_t)~CONN_WRITABLE;
		return IO_AGAIN;
	}
	if (pump_refused()) {
		pump_copy_only(pump, &relay_stats.fallback_refused);
		pump->flags |= PUMP_UNSPLICE;
		return IO_OK;
	}
	conn_fail(end_socket(pump->to), CONN_WRITABLE, errno);
	return pump_write_error(pump);
}

/* IO_OK: nothing is held any more. */
enum io pump_push(struct pump *pump)
{
	enum io r = IO_OK;

	while (r == IO_OK && (pump->buf || pump->pipe)) {
		if (pump->buf)
			r = pump_push_buf(pump);
		else if (pump->flags & PUMP_UNSPLICE)
			r = pump_unsplice(pump);
		else
			r = pump_push_pipe(pump, false);
	}
	return r;
}

/* ---- copying ---------------------------------------------------------------------------- */

/* The sink took sent of the bytes in the scratch buffer: the rest stays, in our hands. */
static enum io pump_keep(struct pump *pump, struct buf *buf, size_t got, size_t sent)
{
	buf->head = (uint32_t)sent;
	buf->len = (uint32_t)(got - sent);
	pump->buf = buffer_take_scratch();
	return IO_AGAIN;
}

/* Are these the last bytes before the sink's FIN? Then both leave in one segment. */
static inline bool pump_closes(const struct pump *pump)
{
	return pump->to->framing && pump->to->framing->closes && pump->from->framing &&
	       pump->from->framing->ended && !(pump->chain && pump->chain->holding);
}

/* Passes on what was just received into the scratch buffer. */
static enum io pump_pass(struct pump *pump, struct buf *buf, size_t got)
{
	size_t sent = 0;
	enum io r;

	r = pump->to->ops->send(pump->to, buf->data, got, pump_closes(pump), &sent);
	pump->calls++;
	if (unlikely(r == IO_ERR || r == IO_EOF))
		return pump_write_error(pump);
	if (likely(r == IO_OK)) {
		relay_stats.writes++;
		relay_stats.copied += sent;
		pump_wrote(pump, &pump->copied, sent);
		if (likely(sent == got))
			return IO_OK;
	}
	return pump_keep(pump, buf, got, sent);
}

static void pump_adapt_copy(struct pump *pump, size_t got)
{
	if (got < LARGE_READ)
		pump->streak = 0;
	else if (++pump->streak >= LARGE_READS && end_can_splice(pump->from, pump->to)) {
		pump->flags |= PUMP_SPLICING;
		pump->streak = 0;
	}
}

/* Receives into the scratch buffer, which is the caller's until it is passed on. */
static inline enum io pump_recv(struct pump *pump, struct buf **scratch, size_t *got)
{
	struct buf *buf = *scratch = buffer_scratch();
	size_t size;
	enum io r;

	if (unlikely(!buf)) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	size = pump->allowed < buf->size ? (size_t)pump->allowed : buf->size;
	r = pump->from->ops->recv(pump->from, buf->data, size, got);
	pump->calls++;
	if (unlikely(r != IO_OK))
		return r;
	relay_stats.reads++;
	pump_got(pump, *got);
	return IO_OK;
}

/* Passes on what lies in the source's memory; what the sink does not take stays there. */
static enum io pump_pass_held(struct pump *pump, struct span bytes, enum held_next next)
{
	const struct framing *framing = pump->to->framing;
	bool more = next && framing && framing->closes;
	size_t sent;
	enum io r;

	if (unlikely(bytes.len > pump->allowed)) {
		bytes.len = (size_t)pump->allowed;
		more = false;
	} else if (unlikely(next == HELD_FOLLOWS)) {
		more = true;
	}
	r = pump->to->ops->send(pump->to, bytes.ptr, bytes.len, more, &sent);
	pump->calls++;
	if (unlikely(r != IO_OK))
		return r == IO_AGAIN ? r : pump_write_error(pump);
	relay_stats.writes++;
	relay_stats.copied += sent;
	pump_got(pump, sent);
	pump_wrote(pump, &pump->copied, sent);
	pump->from->ops->give(pump->from, sent);
	return sent == bytes.len ? IO_OK : IO_AGAIN;
}

enum io pump_copy(struct pump *pump)
{
	struct span held;
	struct buf *buf;
	size_t got;
	enum held_next next;
	enum io r;

	if (*pump->from->flags & CONN_HELD && pump->from->ops->held(pump->from, &held, &next))
		return pump_pass_held(pump, held, next);
	r = pump_recv(pump, &buf, &got);
	if (unlikely(r != IO_OK))
		return r;
	if (pump->mode == PUMP_ADAPTIVE)
		pump_adapt_copy(pump, got);
	return pump_pass(pump, buf, got);
}

/* ---- splicing --------------------------------------------------------------------------- */

/* Nothing came out of splice: recv tells whether that is the truth. hidden: bytes were there when
 * it was asked. */
static enum io pump_ask_recv(struct pump *pump, enum io spliced, bool hidden)
{
	struct buf *buf;
	size_t got;
	enum io r = pump_recv(pump, &buf, &got);

	if (r == IO_AGAIN && spliced == IO_AGAIN && (pump->flags & PUMP_PULLED))
		pump->flags |= PUMP_TRUSTED;
	if (r != IO_OK)
		return r;
	if (*pump->from->flags & CONN_URGENT) {
		pump_copy_only(pump, &relay_stats.fallback_urgent);
	} else if (hidden || spliced == IO_EOF) {
		pump_copy_only(pump, &relay_stats.fallback_hidden);
		*pump->from->flags |= CONN_READABLE; /* a short recv proves nothing here */
	}
	return pump_pass(pump, buf, got);
}

/* A pull into an empty pipe found nothing. EAGAIN right behind bytes is the usual end of what
 * there was. Everything else is believed only when recv says the same: behind an urgent mark,
 * or in a sockmap, splice sees nothing though bytes are there. */
static enum io pump_pulled_nothing(struct pump *pump, enum io r, bool hidden)
{
	const unsigned expected = PUMP_PULLED | PUMP_TRUSTED;

	pipe_give(&pump->pipe);
	if (r == IO_ERR && pump_refused()) {
		pump_copy_only(pump, &relay_stats.fallback_refused);
		return IO_OK;
	}
	if (r == IO_ERR) {
		conn_fail(end_socket(pump->from), CONN_READABLE, errno);
		return IO_ERR;
	}
	if (likely(r == IO_AGAIN && (pump->flags & expected) == expected)) {
		conn_drained(end_socket(pump->from));
		pump->flags &= (uint16_t)~PUMP_PULLED;
		return IO_AGAIN;
	}
	r = pump_ask_recv(pump, r, hidden);
	pump->flags &= (uint16_t)~PUMP_PULLED;
	return r;
}

/* After a small pull: on kernels that give one segment a call others can be had at once, and
 * pushing them one by one would double the calls. Whether this is such a kernel is learnt. */
static void pump_gather(struct pump *pump, size_t got, size_t room)
{
	enum io r = IO_OK;
	size_t more;
	int n;

	if (gather_evidence < -8 && (relay_stats.pulls & 1023))
		return;
	for (n = 1; n < GATHER_MOST && room > got; n++) {
		room -= got;
		pump->calls++;
		r = pump->from->ops->splice_in(pump->from, pump->pipe, room, &more);
		if (r != IO_OK)
			break;
		relay_stats.gathered++;
		pump_got(pump, more);
		got = more;
	}
	if (unlikely(r == IO_ERR && !pump_refused())) {
		/* The call took the socket's error along; recv would now report an end. It is
		 * to be asked all the same, behind what is held. */
		conn_fail(end_socket(pump->from), CONN_READABLE, errno);
		*pump->from->flags |= CONN_READABLE;
	}
	if (n > 1 && gather_evidence < 8)
		gather_evidence++;
	else if (n == 1 && gather_evidence > -16)
		gather_evidence--;
}

static void pump_adapt_splice(struct pump *pump, size_t got)
{
	if (got >= SMALL_PULL)
		pump->streak = 0;
	else if (++pump->streak >= SMALL_PULLS) {
		pump->flags &= (uint16_t)~PUMP_SPLICING;
		pump->streak = 0;
	}
}

/* EAGAIN where bytes were announced. They may have come since; but what is there before another
 * pull and does not come out of it is hidden from splice. */
static enum io pump_pull_again(struct pump *pump, size_t room, size_t *got, bool *there)
{
	size_t n;
	char c;

	pump->calls++;
	*there = conn_peek(end_socket(pump->from), &c, 1, &n) == IO_OK;
	return *there ? pump->from->ops->splice_in(pump->from, pump->pipe, room, got) : IO_AGAIN;
}

/* Here and now copies are faster: it stays one that splices. */
static enum io pump_copy_large(struct pump *pump)
{
	struct buf *buf;
	size_t got;
	enum io r = pump_recv(pump, &buf, &got);

	if (unlikely(r != IO_OK))
		return r;
	rest_moved(pump, got);
	pump_adapt_splice(pump, got);
	return pump_pass(pump, buf, got);
}

/* Before the kernel lets the source send far ahead. */
static void pump_bound_window(struct pump *pump)
{
	const struct framing *framing = pump->from->framing;

	if (!framing || framing->passable >= WINDOW_LARGE_TRANSFER)
		window_bound(end_socket(pump->from));
}

APART enum io pump_splice(struct pump *pump)
{
	bool there = false;
	size_t got, room;
	enum io r;

	if (unlikely(!(*pump->from->flags & CONN_BOUNDED)))
		pump_bound_window(pump);
	if (unlikely(rest_copies) && pump->mode == PUMP_ADAPTIVE)
		return pump_copy_large(pump);
	pump->pipe = pipe_take();
	if (unlikely(!pump->pipe)) {
		relay_stats.fallback_no_pipe++;
		return pump_copy(pump);
	}
	room = pump->allowed < pump->pipe->size ? (size_t)pump->allowed : pump->pipe->size;
	r = pump->from->ops->splice_in(pump->from, pump->pipe, room, &got);
	pump->calls++;
	if (unlikely(r == IO_AGAIN && !(pump->flags & PUMP_PULLED)))
		r = pump_pull_again(pump, room, &got, &there);
	if (unlikely(r != IO_OK))
		return pump_pulled_nothing(pump, r, there);
	relay_stats.pulls++;
	pump->flags |= PUMP_PULLED;
	pump_got(pump, got);
	if (got < SMALL_PULL)
		pump_gather(pump, got, room);
	rest_moved(pump, pump->pipe->held);
	if (pump->mode == PUMP_ADAPTIVE)
		pump_adapt_splice(pump, pump->pipe->held);
	return pump_push_pipe(pump, false);
}

/* ---- what came of a move ------------------------------------------------------------------ */

void pump_note(struct pump *pump, enum io r)
{
	if (r == IO_EOF)
		pump->flags |= PUMP_EOF;
	else if (r == IO_ERR && !(pump->flags & (PUMP_WRITE_ERROR | PUMP_NO_MEMORY)))
		pump->flags |= PUMP_READ_ERROR;
}

/* Bytes were taken from a source that speaks messages. */
void pump_took(struct pump *pump)
{
	const struct framing *framing = pump->from->framing;

	if (framing->ended)
		pump->flags |= PUMP_EOF;
	else if (pump->mode == PUMP_ADAPTIVE && framing->passable != UINT64_MAX &&
		 framing->passable >= ANNOUNCED_LARGE && end_can_splice(pump->from, pump->to))
		pump->flags |= PUMP_SPLICING;
}

/* ---- for the chain of filters (pump_chain.c), and the kernel's way (kernel/move.c) -------- */

bool pump_moves_may_pull(struct pump *pump)
{
	if (!pump_may_pull(pump))
		return false;
	if (*pump->from->flags & CONN_URGENT && pump->mode != PUMP_COPY)
		pump_copy_only(pump, &relay_stats.fallback_urgent);
	return true;
}

enum io pump_moves_push(struct pump *pump)
{
	return pump->buf || pump->pipe ? pump_push(pump) : IO_OK;
}

enum io pump_moves_unseen(struct pump *pump)
{
	if (pump_by_pipe(pump) && pump->allowed >= SPLICE_LEAST)
		return pump_splice(pump);
	return pump_copy(pump);
}

enum io pump_moves_in(struct pump *pump, char *bytes, size_t most, size_t *got)
{
	enum io r = pump->from->ops->recv(pump->from, bytes, most, got);

	pump->calls++;
	if (r != IO_OK)
		return r;
	relay_stats.reads++;
	pump_got(pump, *got);
	return IO_OK;
}

enum io pump_moves_out(struct pump *pump, struct buf *scratch, size_t len)
{
	return pump_pass(pump, scratch, len);
}

enum io pump_moves_took(struct pump *pump, enum io r)
{
	return pump_took_by(pump, r);
}
