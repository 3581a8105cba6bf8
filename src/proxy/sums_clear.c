/* SPDX-License-Identifier: BSD-2-Clause */
/* "clear counters": in the tallies of this process. */
#include "proxy/sums.h"

static void times_clear_max(struct times *t)
{
	t->queue.max = t->connect.max = t->response.max = t->total.max = 0;
}

/* What is open stays so. */
static void h1_counts_clear(struct h1_counts *h1)
{
#define H1_COUNT(name, text) h1->name = 0;
#define H1_NOW(name, text)
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
}

static void h2_counts_clear(struct h2_counts *h2)
{
#define H2_COUNT(name, text) h2->name = 0;
#define H2_NOW(name, text)
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
}

static void clear_side(struct proxy_tally *tally, bool all)
{
	counters_clear(&tally->counters, all);
	if (all) {
		h1_counts_clear(&tally->h1);
		h2_counts_clear(&tally->h2);
	}
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
