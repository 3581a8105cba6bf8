/* SPDX-License-Identifier: BSD-2-Clause */
/* Between pump.c, pump_chain.c and kernel.c alone: a run with filters, and the moves that it is
 * made of. */
#ifndef RELAY_PUMP_CHAIN_H
#define RELAY_PUMP_CHAIN_H

#include "base/io.h"
#include "base/result.h"

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct pump;

/* One piece, as pump_move, or several that leave as one: all but one are taken off *moves, which
 * stays above 0. IO_OK: there may be more. */
MUST_USE enum io pump_chain_move(struct pump *pump, unsigned *moves);
/* The source has ended: filters have their last word. True: nothing is held. */
MUST_USE bool pump_chain_end(struct pump *pump);

/* May bytes be received now? */
MUST_USE bool pump_moves_may_pull(struct pump *pump);
/* Sends what the pump holds. IO_OK: it holds nothing. */
MUST_USE enum io pump_moves_push(struct pump *pump);
/* Receives pump->allowed bytes at most and sends them, by whichever way is best. */
MUST_USE enum io pump_moves_unseen(struct pump *pump);
/* The same by a copy. */
MUST_USE enum io pump_moves_copy(struct pump *pump);
/* Receives. */
MUST_USE enum io pump_moves_in(struct pump *pump, char *bytes, size_t most, size_t *got);
/* Sends what begins the scratch buffer, or keeps it. */
MUST_USE enum io pump_moves_out(struct pump *pump, struct buf *scratch, size_t len);
/* Notes what came of it; returns r. */
MUST_USE enum io pump_moves_took(struct pump *pump, enum io r);

#endif
