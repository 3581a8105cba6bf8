/* SPDX-License-Identifier: BSD-2-Clause */
/* The moves of a pump, for those alone of which a run is made: pump_run.c, pump_chain.c and the
 * kernel's way. What a run does for each piece is inline. */
#ifndef RELAY_PUMP_MOVES_H
#define RELAY_PUMP_MOVES_H

#include "base/io.h"
#include "base/result.h"
#include "relay/pump.h"

#include <stdbool.h>
#include <stddef.h>

enum { SPLICE_LEAST = 4096 }; /* a shorter rest of a known length is copied */

/* The sink is broken, or what it says needs memory: a flag. IO_ERR. */
MUST_USE COLD enum io pump_write_error(struct pump *pump);
/* From now on this direction copies; counted by *cause. */
COLD void pump_copy_only(struct pump *pump, uint64_t *cause);
/* Sends what is held. IO_OK: nothing is any more. */
MUST_USE enum io pump_push(struct pump *pump);
/* Receives pump->allowed bytes at most and sends them, by a copy, or through a pipe. */
MUST_USE enum io pump_copy(struct pump *pump);
MUST_USE APART enum io pump_splice(struct pump *pump);
/* Flags for what a move has met. */
void pump_note(struct pump *pump, enum io r);
/* Bytes were taken from a source that speaks messages. */
void pump_took(struct pump *pump);

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

/* ---- for the chain of filters, and the kernel's way ---- */

/* May bytes be received now? */
MUST_USE bool pump_moves_may_pull(struct pump *pump);
/* Sends what the pump holds. IO_OK: it holds nothing. */
MUST_USE enum io pump_moves_push(struct pump *pump);
/* Receives pump->allowed bytes at most and sends them, by whichever way is best. */
MUST_USE enum io pump_moves_unseen(struct pump *pump);
/* Receives. */
MUST_USE enum io pump_moves_in(struct pump *pump, char *bytes, size_t most, size_t *got);
/* Sends what begins the scratch buffer, or keeps it. */
MUST_USE enum io pump_moves_out(struct pump *pump, struct buf *scratch, size_t len);
/* Notes what came of it; returns r. */
MUST_USE enum io pump_moves_took(struct pump *pump, enum io r);

#endif
