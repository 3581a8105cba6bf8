/* SPDX-License-Identifier: BSD-2-Clause */
/* "clear counters": in the tallies of this process. */
#include "proxy/tally.h"

static void times_clear_max(struct times *t)
{
	t->queue.max = t->connect.max = t->response.max = t->total.max = 0;
}

static void clear_side(struct proxy_tally *tally, bool all)
{
	counters_clear(&tally->counters, all);
	times_clear_max(&tally->times);
}

static void clear_proxy(const struct proxy *px, bool all)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct server *s;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (l->tally)
				counters_clear(&l->tally->counters, all);
	if (px->fe)
		clear_side(px->fe, all);
	if (px->be)
		clear_side(px->be, all);
	for (s = px->servers; s; s = s->next) {
		counters_clear(&s->tally->counters, all);
		times_clear_max(&s->tally->times);
		if (all)
			s->state->down_transitions = 0;
	}
	if (all)
		px->state->down_transitions = 0;
}

void tallies_clear(bool all)
{
	const struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		clear_proxy(px, all);
	rate_clear_max(&global_tally->conn_rate);
	rate_clear_max(&global_tally->sess_rate);
	rate_clear_max(&global_tally->tls_rate);
	rate_clear_max(&global_tally->tls_front_keys);
	rate_clear_max(&global_tally->tls_back_keys);
}
