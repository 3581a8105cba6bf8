/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a pump that has a chain of filters (relay/chain.h): what the chain says decides how
 * many bytes are received, and whether they are seen. Called by pump_run alone; what moves bytes is
 * the pump's own (relay/pump_chain.h). */
#include "relay/pump_chain.h"

#include "relay/buffer.h"
#include "relay/chain.h"
#include "relay/pump.h"

/* What has left the chain leaves for the sink. */
static enum io pump_chain_made(struct pump *pump, bool good)
{
	struct buf *buf = buffer_scratch();
	size_t made = buf->len;

	buf->len = 0;
	if (!good) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	return made ? pump_moves_out(pump, buf, made) : IO_OK;
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

/* Filters see the bytes. */
static enum io pump_chain_copy(struct pump *pump, uint64_t allowed)
{
	static char in[FILTER_MOST];
	const struct framing *framing = pump->from->framing;
	struct pump_chain *chain = pump->chain;
	struct buf *buf = buffer_scratch();
	char *to = !buf || chain->changing ? in : buf->data;
	size_t got, most = chain_most(chain);
	enum io r;

	_Static_assert((int)SCRATCH_SIZE >= 2 * (int)FILTER_MOST, "as filters are promised");
	if (!buf) {
		pump->flags |= PUMP_NO_MEMORY;
		return IO_ERR;
	}
	if (most > allowed)
		most = (size_t)allowed;
	r = pump_moves_in(pump, to, most, &got);
	if (r != IO_OK)
		return r;
	return pump_chain_made(pump, chain_give(chain, to, got, framing && framing->ended, buf));
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

static enum io pump_chain_pull(struct pump *pump)
{
	uint64_t allowed;

	if (!pump_moves_may_pull(pump))
		return IO_AGAIN;
	allowed = chain_allows(pump->chain, pump_expects(pump));
	if (!allowed)
		return IO_AGAIN;
	if (allowed > pump->allowed)
		allowed = pump->allowed;
	return pump_moves_took(pump, pump->chain->sees ? pump_chain_copy(pump, allowed) :
							 pump_chain_unseen(pump, allowed));
}

/* One piece, as pump_move. */
enum io pump_chain_move(struct pump *pump)
{
	enum io r = pump_moves_push(pump);

	if (r != IO_OK)
		return r;
	r = pump->chain->holding ? pump_chain_drain(pump) : pump_chain_pull(pump);
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
