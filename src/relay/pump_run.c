/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a pump (relay/pump.h): a row of moves, by which way they go, and what its owner is
 * told behind them. The loop calls it through the ends, the stream opens it, limits it and is told
 * by notices. It never decides what a notice means. doc/internals/datapath.md has the reasons and
 * the measurements. */
#include "relay/pump_moves.h"

#include "base/clock.h"
#include "base/result.h"
#include "event/probe.h"
#include "event/profile.h"
#include "relay/buffer.h"
#include "relay/bypass.h"
#include "relay/chain.h"
#include "relay/pump_chain.h"

#include <string.h>

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

/* Everything was passed on, and the sink does not know yet that no more comes. */
static inline bool pump_over(struct pump *pump)
{
	return pump->flags & (PUMP_EOF | PUMP_READ_ERROR) && !pump->buf && !pump->pipe &&
	       !(pump->flags & (PUMP_FINISHED | PUMP_WRITE_ERROR));
}

/* ---- a run, open ------------------------------------------------------------------------- */

/* A row of moves that are not simply from the one to the other. How many more there might have
 * been. */
COLD static unsigned pump_moves_odd(struct pump *pump, struct relay *relay)
{
	unsigned moves = relay->moves;
	enum io r;

	if (pump->odd & ODD_KERNEL)
		while ((r = relay_bypass->move(pump)) == IO_OK && pump->odd & ODD_KERNEL && --moves)
			continue;
	else if (pump->chain && pump->chain->first)
		while ((r = pump_chain_move(pump, &moves)) == IO_OK && --moves)
			continue;
	else
		while ((r = pump_move(pump)) == IO_OK && --moves)
			continue;
	if (pump->odd & ODD_WAITS)
		relay_bypass->take(relay);
	return moves;
}

/* May the sink hear of the end now? */
COLD static bool pump_ends_odd(struct pump *pump)
{
	return !(pump->odd & ODD_KERNEL && relay_bypass->waits(pump)) && pump_chain_end(pump);
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
		relay_notice(relay, pump);
}

COLD void pump_break(struct pump *pump)
{
	const unsigned over = PUMP_STOPPED | PUMP_WRITE_ERROR | PUMP_FINISHED;

	if (!(pump->flags & PUMP_OPEN) || pump->flags & over)
		return;
	DROPPED(pump_write_error(pump), "an error is a flag of the pump");
	relay_notice(pump_relay(pump), pump);
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
