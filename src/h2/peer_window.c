/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a peer of HTTP/2 lets us send (h2/stream.h; RFC 9113 6.9): what its SETTINGS and
 * WINDOW_UPDATE say. Called by in.c. Whoever makes windows larger and uses none of it is borne
 * as long as a glitch is. */
#include "h2/stream.h"

static void may_go_on(struct h2_stream *st)
{
	if (st->send_window > 0 && !(st->flags & CONN_WRITABLE))
		h2_stream_wait(st); /* its turn comes */
}

/* 6.9.2: what streams may send changes with it, below 0 too. */
void h2_window_set(struct h2_conn *c, uint32_t value)
{
	int64_t by = (int64_t)value - c->peer_window;
	struct h2_stream *st;

	c->peer_window = (int32_t)value;
	list_for_each(st, &c->streams, node) {
		if (st->send_window + by > H2_WINDOW_MOST) {
			h2_fault(c, H2_FLOW_CONTROL_ERROR);
			return;
		}
		st->send_window += (int32_t)by;
	}
	if (by > 0)
		list_for_each(st, &c->streams, node)
			may_go_on(st);
}

/* Who makes windows larger again and again, and uses none of it, costs us more than itself. By a
 * few bytes: who holds us back by that is an attacker; gRPC says it beside a PING, in wide windows.
 */
static bool is_sensible(struct h2_conn *c, int64_t window, uint32_t by)
{
	enum { FEW = 256, WIDE = 16384 };

	return ((by >= FEW || window >= WIDE) && h2_excused(c)) || h2_glitch_borne(c);
}

void h2_window_came(struct h2_conn *c, uint32_t id, uint32_t by)
{
	struct h2_stream *st = h2_stream_find(c, id);

	if (!is_sensible(c, !id ? c->send_window : st ? st->send_window : 0, by))
		return;
	if (!id) {
		c->send_window += by;
		if (c->send_window > H2_WINDOW_MOST)
			h2_fault(c, H2_FLOW_CONTROL_ERROR);
		return; /* the task lets the streams go on */
	}
	if (!st || st->reset) {
		if (h2_is_idle(c, id))
			h2_fault(c, H2_PROTOCOL_ERROR);
		return;
	}
	if (st->send_window > (int64_t)H2_WINDOW_MOST - by) {
		h2_stream_fault(st, H2_FLOW_CONTROL_ERROR);
		return;
	}
	st->send_window += (int32_t)by;
	may_go_on(st);
}
