/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pump (relay/pump.h) holds, may forward, and gives back. How bytes move is in pump_moves.c,
 * when they do in pump_run.c. */
#include "relay/pump.h"

#include "relay/buffer.h"
#include "relay/bypass.h"
#include "relay/pipe.h"

struct relay_stats relay_stats;
const struct bypass_ops *relay_bypass;

size_t pump_held(const struct pump *pump)
{
	return (pump->buf ? pump->buf->len : 0) + (pump->pipe ? pump->pipe->held : 0);
}

void pump_allow(struct pump *pump, uint64_t bytes)
{
	uint64_t held = pump_held(pump);

	pump->flags &= (uint16_t)~PUMP_DONE;
	if (bytes != UINT64_MAX)
		bytes -= held < bytes ? held : bytes;
	pump->allowed = bytes;
	if (pump->mode == PUMP_SPLICE ||
	    (pump->mode == PUMP_ADAPTIVE && bytes != UINT64_MAX && bytes >= ANNOUNCED_LARGE))
		if (pump->from->ops && pump->to->ops && end_can_splice(pump->from, pump->to))
			pump->flags |= PUMP_SPLICING; /* an answer of our own has no source */
}

void pump_stop(struct pump *pump)
{
	pump->flags |= PUMP_STOPPED;
	buffer_give(&pump->buf);
	if (pump->pipe)
		pipe_give(&pump->pipe);
}
