/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a pump that has a chain of filters (relay/chain.h): what the chain says decides how
 * many bytes are received, and whether they are seen. Called by pump_run alone; what moves bytes is
 * the pump's own (relay/pump_moves.h). */
#include "relay/pump_chain.h"

#include "relay/buffer.h"
#include "relay/chain.h"
#include "relay/pump_moves.h"

/* What has left the chain leaves for the sink, also when a filter has failed behind it. */
static enum io pump_chain_made(struct pump *pump, bool good)
{
	struct buf *buf = buffer_scratch();
	size_t made = buf->len;
	enum io r;

	buf->len = 0;
	r = made ? pump_moves_out(pump, buf, made) : IO_OK;
	if (good)
		return r;
	pump->flags |= PUMP_NO_MEMORY;
	return IO_ERR;
}

/* What filters hold. IO_OK: some of it has gone on. */
static enum io pump_chain_drain(struct pump *pump)
{
	struct pump_chain *chain = pump->chain;
	struct buf *buf = buffer_scratch();
	unsigned held = chain->holding;
	bool good = buf && chain_drain(chain, buf);
	enum io r;

	if (!buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	held = held == chain->holding && !buf->len;
	r = pump_chain_made(pump, good);
	return r == IO_OK && held ? IO_AGAIN : r;
}

/* Has the source more, which filters may be given at once? */
static bool pump_chain_goes_on(struct pump *pump)
{
	const struct framing *framing = pump->from->framing;
	const struct pump_chain *chain = pump->chain;

	return !chain->holding && !chain->ended && !(framing && framing->ended) && pump_moves_may_pull(pump);
}

/* A run ends behind so many pieces, however they come. */
static void pump_chain_spend(unsigned *moves, size_t pieces)
{
	*moves -= pieces < *moves ? (unsigned)pieces : *moves - 1;
}

/* Filters see the bytes: as many as are there, and as leave in one piece. */
static enum io pump_chain_copy(struct pump *pump, uint64_t allowed, unsigned *moves)
{
	static char in[SCRATCH_SIZE];
	const struct framing *framing = pump->from->framing;
	struct pump_chain *chain = pump->chain;
	struct buf *buf = buffer_scratch();
	size_t got, most;
	bool good = true;
	enum io r, left;
	char *to;

	if (!buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	do {
		to = chain->changing ? in : buf_tail(buf);
		most = chain_room(chain, buf);
		r = pump_moves_in(pump, to, most < allowed ? most : (size_t)allowed, &got);
		if (r != IO_OK)
			break;
		good = chain_give(chain, to, got, framing && framing->ended, buf);
		allowed -= got;
		pump_chain_spend(moves, got / chain_most(chain));
	} while (good && allowed && *moves > 1 && pump_chain_goes_on(pump) && chain_room(chain, buf));
	if (r == IO_AGAIN && !buf->len)
		return r;
	left = pump_chain_made(pump, good);
	/* An end is kept: it is told behind what waits, and a reset is read once. */
	return left == IO_ERR || (left == IO_AGAIN && r == IO_OK) ? left : r;
}

/* No filter asks for the bytes: they pass as without a chain, so many at most. */
static enum io pump_chain_unseen(struct pump *pump, uint64_t allowed)
{
	uint64_t before = pump->allowed, passed;
	enum io r;

	pump->allowed = allowed;
	r = pump_moves_unseen(pump);
	passed = allowed - pump->allowed;
	pump->allowed = before == UINT64_MAX ? before : before - passed;
	chain_passed(pump->chain, passed);
	return r;
}

/* Held up, for a peer that has gone meanwhile? Nothing is sent that would tell. */
static bool pump_chain_in_vain(const struct pump *pump)
{
	return (pump->chain->blocked || pump->chain->holding) &&
	       *pump->to->flags & (CONN_HUP | CONN_ERROR);
}

/* Of what is to come, as far as that is known. */
static uint64_t pump_expects(const struct pump *pump)
{
	const struct framing *framing = pump->from->framing;

	return framing && !framing->raw && framing->passable ? framing->passable : UINT64_MAX;
}

COLD static enum io pump_chain_lost(struct pump *pump)
{
	pump->flags |= PUMP_WRITE_ERROR;
	return IO_ERR;
}

static enum io pump_chain_pull(struct pump *pump, unsigned *moves)
{
	uint64_t allowed;

	if (!pump_moves_may_pull(pump))
		return IO_AGAIN;
	allowed = chain_allows(pump->chain, pump_expects(pump));
	if (!allowed)
		return IO_AGAIN;
	if (allowed > pump->allowed)
		allowed = pump->allowed;
	return pump_moves_took(pump, pump->chain->sees ? pump_chain_copy(pump, allowed, moves) :
							 pump_chain_unseen(pump, allowed));
}

/* One piece, as pump_move. */
enum io pump_chain_move(struct pump *pump, unsigned *moves)
{
	enum io r = pump_moves_push(pump);

	if (r != IO_OK)
		return r;
	r = pump->chain->holding ? pump_chain_drain(pump) : pump_chain_pull(pump, moves);
	return r == IO_AGAIN && pump_chain_in_vain(pump) ? pump_chain_lost(pump) : r;
}

/* The source has ended: what filters have to say to that. True: nothing is held. */
bool pump_chain_end(struct pump *pump)
{
	struct pump_chain *chain = pump->chain;
	struct buf *buf;

	if (!chain)
		return true;
	if (chain->holding || pump->flags & PUMP_NO_MEMORY)
		return false;
	if (!chain->sees || chain->ended || pump->flags & PUMP_READ_ERROR)
		return true;
	buf = buffer_scratch();
	if (!buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return false;
	}
	return pump_chain_made(pump, chain_give(chain, NULL, 0, true, buf)) == IO_OK &&
	       chain->ended;
}
