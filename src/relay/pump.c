/* SPDX-License-Identifier: BSD-2-Clause */
/* The pump: moves bytes between two ends. The loop calls it through the ends, the stream opens
 * it, limits it and is told by notices. It never decides what a notice means.
 *
 * A run is a row of moves; a move first pushes out what is held, then pulls one piece in and
 * pushes it at once. Invariants: never a pull while bytes are held, except to gather segments
 * in the pipe; bytes in buf are older than those in the pipe; a pipe is held only while bytes
 * sit in it; no byte passes beyond pump->allowed. doc/internals/datapath.md has the reasons
 * and the measurements. */
#include "relay/pump.h"

#include "base/clock.h"
#include "base/result.h"
#include "event/probe.h"
#include "event/profile.h"
#include "net/window.h"
#include "relay/buffer.h"
#include "relay/chain.h"
#include "relay/pipe.h"
#include "relay/pump_chain.h"
#include "relay/rest.h"

#include <errno.h>
#include <string.h>

enum {
	LARGE_READ = 16384, /* two copies of this size in a row: go over to splice */
	LARGE_READS = 2,
	SMALL_PULL = 8192, /* four pulls below it in a row: go back to copying */
	SMALL_PULLS = 4,
	SPLICE_LEAST = 4096, /* a shorter rest of a known length is copied */
	GATHER_MOST = 16, /* segments */
};

struct relay_stats relay_stats;

/* Does this kernel give one segment a pull? Positive: it seems so; learnt from tries. */
static int gather_evidence;

size_t pump_held(const struct pump *pump)
{
	return (pump->buf ? pump->buf->len : 0) + (pump->pipe ? pump->pipe->held : 0);
}

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

COLD static enum io pump_write_error(struct pump *pump)
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
COLD static void pump_copy_only(struct pump *pump, uint64_t *cause)
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
static enum io pump_push(struct pump *pump)
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

static enum io pump_copy(struct pump *pump)
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

APART static enum io pump_splice(struct pump *pump)
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

/* ---- looking ---------------------------------------------------------------------------- */

/* Collects bytes for somebody who wants to see them before they pass. */
static enum io pump_look(struct pump *pump)
{
	size_t got;
	enum io r;

	if (!pump->buf)
		pump->buf = buffer_take();
	if (!pump->buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	if (!buffer_room(pump->buf))
		return IO_AGAIN;
	r = pump->from->ops->recv(pump->from, buf_tail(pump->buf), buffer_room(pump->buf), &got);
	pump->calls++;
	if (r == IO_OK) {
		relay_stats.reads++;
		pump->buf->len += (uint32_t)got;
		pump->read_ms = (uint32_t)clock_now_ms;
		pump->flags |= PUMP_DATA;
	} else if (!pump->buf->len) {
		buffer_give(&pump->buf);
	}
	return r;
}

/* ---- a run ------------------------------------------------------------------------------ */

/* What the sink keeps back leaves now. */
static enum io pump_flush(struct pump *pump)
{
	enum io r = IO_OK;

	if (pump->to->framing->held) {
		r = pump->to->ops->flush(pump->to);
		pump->calls++;
	}
	return r == IO_OK || r == IO_AGAIN ? r : pump_write_error(pump);
}

static bool pump_to_layer(const struct pump *pump)
{
	const struct conn *conn = end_conn(pump->to);

	return conn && conn->layer;
}

/* Everything received has been passed on, and no more comes. A broken source is no end: what
 * the sink is told then, behind what it keeps back, is the owner's business. */
static void pump_finish(struct pump *pump)
{
	const struct framing *framing = pump->to->framing;

	if (pump->flags & PUMP_READ_ERROR) {
		if (!framing || pump_flush(pump) == IO_OK)
			pump->flags |= PUMP_FINISHED;
		return;
	}
	/* With the other direction finished too the owner closes both ends next, which says
	 * the same to the peer, unless it waits for the end of a message. A layer says less when it
	 * is closed behind the peer's end: the peer may be gone, but here it has ended its half. */
	if (!(pump->flags & PUMP_TOLD) &&
	    (framing || !(pump->to->in->flags & PUMP_FINISHED) ||
	     (pump->is_response && pump_to_layer(pump))))
		pump->to->ops->finish(pump->to);
	pump->flags |= PUMP_TOLD;
	if (!framing || pump_flush(pump) == IO_OK)
		pump->flags |= PUMP_FINISHED;
}

static void pump_note(struct pump *pump, enum io r)
{
	if (r == IO_EOF)
		pump->flags |= PUMP_EOF;
	else if (r == IO_ERR && !(pump->flags & (PUMP_WRITE_ERROR | PUMP_NO_MEMORY)))
		pump->flags |= PUMP_READ_ERROR;
}

static inline bool pump_may_pull(const struct pump *pump)
{
	return !(pump->flags & PUMP_NO_PULL) && pump->allowed &&
	       (*pump->from->flags & (CONN_READABLE | CONN_HELD)) &&
	       (*pump->to->flags & CONN_WRITABLE);
}

/* By a pipe? What the source holds already, or has to look at itself, is copied. */
static inline bool pump_by_pipe(struct pump *pump)
{
	const struct framing *framing = pump->from->framing;

	if (likely(!framing))
		return pump->flags & PUMP_SPLICING;
	if (pump->mode == PUMP_COPY || *pump->from->flags & CONN_HELD ||
	    (pump->to->framing && pump->to->framing->coded))
		return false;
	return pump->flags & PUMP_SPLICING && framing->passable >= SPLICE_LEAST;
}

/* Bytes were taken from a source that speaks messages. */
static void pump_took(struct pump *pump)
{
	const struct framing *framing = pump->from->framing;

	if (framing->ended)
		pump->flags |= PUMP_EOF;
	else if (pump->mode == PUMP_ADAPTIVE && framing->passable != UINT64_MAX &&
		 framing->passable >= ANNOUNCED_LARGE && end_can_splice(pump->from, pump->to))
		pump->flags |= PUMP_SPLICING;
}

static inline enum io pump_took_by(struct pump *pump, enum io r)
{
	if (unlikely(r == IO_EOF || r == IO_ERR))
		pump_note(pump, r);
	else if (pump->from->framing)
		pump_took(pump);
	return r;
}

/* One piece. IO_OK: there may be more. */
static inline enum io pump_move(struct pump *pump)
{
	enum io r;

	if ((pump->buf || pump->pipe) && (r = pump_push(pump)) != IO_OK)
		return r;
	if (!pump_may_pull(pump))
		return IO_AGAIN;
	if (unlikely(*pump->from->flags & CONN_URGENT) && pump->mode != PUMP_COPY)
		pump_copy_only(pump, &relay_stats.fallback_urgent);
	return pump_took_by(pump, pump_by_pipe(pump) ? pump_splice(pump) : pump_copy(pump));
}

/* Everything was passed on, and the sink does not know yet that no more comes. */
static inline bool pump_over(struct pump *pump)
{
	return pump->flags & (PUMP_EOF | PUMP_READ_ERROR) && !pump->buf && !pump->pipe &&
	       !(pump->flags & (PUMP_FINISHED | PUMP_WRITE_ERROR));
}

/* ---- for the chain of filters (pump_chain.c), and the kernel's way (kernel.c) ------------- */

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

enum io pump_moves_copy(struct pump *pump)
{
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

/* ---- a run, open ------------------------------------------------------------------------- */

/* A row of moves that are not simply from the one to the other. How many more there might have
 * been. */
COLD static unsigned pump_moves_odd(struct pump *pump, struct relay *relay)
{
	unsigned moves = relay->moves;
	enum io r;

	if (pump->odd & ODD_KERNEL)
		while ((r = kernel_move(pump)) == IO_OK && pump->odd & ODD_KERNEL && --moves)
			continue;
	else if (pump->chain && pump->chain->first)
		while ((r = pump_chain_move(pump, &moves)) == IO_OK && --moves)
			continue;
	else
		while ((r = pump_move(pump)) == IO_OK && --moves)
			continue;
	if (pump->odd & ODD_WAITS)
		kernel_take(relay);
	return moves;
}

/* May the sink hear of the end now? */
COLD static bool pump_ends_odd(struct pump *pump)
{
	return !(pump->odd & ODD_KERNEL && kernel_waits(pump)) && pump_chain_end(pump);
}

static void pump_run_open(struct pump *pump, struct relay *relay)
{
	unsigned moves = relay->moves;
	enum io r;

	/* What was pulled before the sink was full says nothing about now: bytes may have come
	 * to where splice does not see them, and the event that told of them has passed. */
	pump->flags &= (uint16_t)~PUMP_PULLED;
	if (pump->from->framing)
		pump_took(pump);
	if (unlikely(pump->odd))
		moves = pump_moves_odd(pump, relay);
	else
		do
			r = pump_move(pump);
		while (r == IO_OK && --moves);
	if (unlikely(!moves))
		task_wake(&relay->task);
	if (unlikely(!pump->allowed) && !pump->buf && !pump->pipe)
		pump->flags |= PUMP_DONE;
	if (unlikely(pump_over(pump)) && (likely(!pump->odd) || pump_ends_odd(pump)))
		pump_finish(pump);
	else if (pump->to->framing && !(pump->flags & PUMP_WRITE_ERROR) && !pump->buf &&
		 !pump->pipe)
		DROPPED(pump_flush(pump), "an error is a flag of the pump");
}

static void pump_run_looking(struct pump *pump)
{
	enum io r = IO_OK;

	if (pump->from->framing)
		pump_took(pump);
	while (r == IO_OK && !(pump->flags & PUMP_NO_PULL) &&
	       (*pump->from->flags & (CONN_READABLE | CONN_HELD)) &&
	       (!pump->buf || buffer_room(pump->buf))) {
		r = pump_look(pump);
		if (pump->from->framing)
			pump_took(pump);
	}
	pump_note(pump, r);
}

/* Notices that no move gives: the owner waits for a head, or a source whose message has ended
 * hangs up while the owner waits for the other side. */
static bool pump_event(const struct pump *pump)
{
	const unsigned gone = CONN_RDHUP | CONN_HUP | CONN_ERROR;

	if (!pump->from->ops)
		return false;
	if (pump->flags & PUMP_OPEN)
		return pump->from->framing && pump->flags & PUMP_EOF &&
		       (pump->flags & PUMP_WATCH || *pump->from->flags & gone);
	return pump->flags & PUMP_WATCH || (!(pump->flags & PUMP_LOOK) && *pump->from->flags & gone);
}

void pump_run(struct pump *pump)
{
	struct relay *relay = pump_relay(pump);
	unsigned before = pump->flags & PUMP_NOTICES;

	PROBE(relay);
	if (unlikely(pump->flags & (PUMP_STOPPED | PUMP_WRITE_ERROR)))
		return;
	if (likely(pump->flags & PUMP_OPEN))
		pump_run_open(pump, relay);
	else if (pump->flags & PUMP_LOOK)
		pump_run_looking(pump);
	else if (pump->to->framing && pump->to->framing->held)
		/* What was said before it was opened: an interim answer. */
		DROPPED(pump_flush(pump), "an error is a flag of the pump");
	PROBE(relay);
	if (unlikely((pump->flags & PUMP_NOTICES) != before || pump_event(pump)))
		relay->notice(relay, pump);
}

COLD void pump_break(struct pump *pump)
{
	const unsigned over = PUMP_STOPPED | PUMP_WRITE_ERROR | PUMP_FINISHED;

	if (!(pump->flags & PUMP_OPEN) || pump->flags & over)
		return;
	pump_write_error(pump);
	pump_relay(pump)->notice(pump_relay(pump), pump);
}

bool pump_preload(struct pump *pump, const void *bytes, size_t len)
{
	if (!pump->buf)
		pump->buf = buffer_take();
	if (!pump->buf || pump->buf->size - pump->buf->len < len)
		return false;
	memmove(pump->buf->data + len, buf_first(pump->buf), pump->buf->len);
	memcpy(pump->buf->data, bytes, len);
	pump->buf->head = 0;
	pump->buf->len += (uint32_t)len;
	if (!(pump->flags & PUMP_NO_PULL) && (*pump->from->flags & CONN_READABLE) &&
	    buf_room(pump->buf) && !(pump->chain && pump->chain->holding))
		pump_note(pump, pump_look(pump));
	return true;
}
