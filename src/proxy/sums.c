/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of proxies, servers and listeners over the processes, and the maxima of all of them: tally/
 * does it for one tally, the objects are gone through here. */
#include "proxy/sums.h"

#include "tally/top.h"

void proxy_sum(const struct proxy *px, unsigned side, struct proxy_tally *out)
{
	bool front = side == PROXY_FRONTEND;

	tally_sum(front ? SLOT_FRONTEND : SLOT_BACKEND, front ? px->fe : px->be, out);
}

/* Returns whether there are idle connections, which may end without anything else moving. */
static bool note_idle(const struct server *s)
{
	struct server_tally *tally = s->tally;
	bool any = s->idle_count | tally->idle;

	tally->idle = s->idle_count;
	tally->idle_safe = s->idle_safe;
	tally->idle_need = s->idle_need;
	return any;
}

void server_sum(const struct server *s, struct server_tally *out)
{
	note_idle(s);
	tally_sum(SLOT_SERVER, s->tally, out);
}

void listener_sum(const struct listener *l, struct listener_tally *out)
{
	tally_sum(SLOT_LISTENER, l->tally, out);
}

void server_row(const struct server *s, unsigned row, struct server_tally *out)
{
	tally_row(SLOT_SERVER, s->tally, row, out);
}

static bool settle_proxy(const struct proxy *px)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct server *s;
	bool moved = false;

	if (px->fe)
		moved |= tally_settle(&px->fe->counters, px->fe->current, px->fe->queued);
	if (px->be)
		moved |= tally_settle(&px->be->counters, px->be->current, px->be->queued);
	for (s = px->servers; s; s = s->next) {
		moved |= tally_settle(&s->tally->counters, s->tally->current, s->tally->queued);
		moved |= note_idle(s);
	}
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			moved |= tally_settle(&l->tally->counters, l->tally->current, 0);
	return moved;
}

bool sums_settle(void)
{
	const struct proxy *px;
	bool moved = false;

	list_for_each(px, &proxies_running->list, node)
		moved |= settle_proxy(px);
	list_for_each(px, &proxies_running->stats_frontends, node)
		moved |= settle_proxy(px);
	return moved;
}
