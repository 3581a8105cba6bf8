/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run-time numbers of all proxies, servers and listeners: one segment, laid out when the
 * configuration is complete. Nothing here is a setting.
 */
#include "proxy/proxy_conf.h"

#include "base/clock.h"
#include "base/shared.h"
#include "net/listener.h"
#include "proxy/global.h"

#define SPARE_SERVERS 16 /* to be added at run time */

static struct global_state no_state; /* before any generation runs */
struct global_state *global_state = &no_state;
const char *global_node;

struct counts {
	size_t states, servers, listeners;
};

static void count_proxy(const struct proxy *px, struct counts *n)
{
	const struct bind_conf *bind;
	const struct list *l;

	n->states += !!(px->caps & PROXY_FRONTEND) + !!(px->caps & PROXY_BACKEND);
	n->servers += px->server_count;
	list_for_each(bind, &px->binds, node)
		for (l = bind->listeners.next; l != &bind->listeners; l = l->next)
			n->listeners++;
}

static struct counts count_all(const struct proxies *all)
{
	struct counts n = { 0 };
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		count_proxy(px, &n);
	list_for_each(px, &all->stats_frontends, node)
		count_proxy(px, &n);
	return n;
}

/* The checks begin with one success missing to fall, as the reference's. */
static void init_server(struct server *s)
{
	struct server_state *state = s->state;

	state->user_weight = (unsigned)s->set.weight;
	state->effective_weight = state->user_weight;
	state->fine_weight = state->user_weight * FINE_WEIGHT;
	state->maxconn = s->set.maxconn;
	state->op = SERVER_UP;
	state->health = s->set.rise;
	state->addr = s->spec.addr;
	state->check.addr = s->set.check_addr;
	state->check.port = (uint16_t)s->set.check_port;
	state->agent.addr = s->set.agent_addr;
	state->agent.port = (uint16_t)s->set.agent_port;
	state->agent.status = s->set.options.on & SRV_AGENT_CHECK ? CHECK_INIT : CHECK_UNKNOWN;
	state->check.status = s->set.options.on & SRV_CHECK ? CHECK_INIT : CHECK_UNKNOWN;
	state->changed_ms = clock_now_ms;
	if (s->set.options.on & SRV_DISABLED)
		state->admin |= ADMIN_FORCED_MAINT;
	if (s->spec.unresolved)
		state->admin |= ADMIN_RESOLUTION;
	if (state->admin & ADMIN_MAINT)
		state->op = SERVER_DOWN;
}

/* Those that track one in maintenance are in maintenance from the start. */
static void init_tracker(struct server *s)
{
	const struct server *end = s->tracked;

	while (end && end->tracked)
		end = end->tracked;
	if (!end || !(end->state->admin & ADMIN_MAINT))
		return;
	s->state->admin |= ADMIN_INHERITED_MAINT;
	s->state->op = SERVER_DOWN;
}

static void take_proxy(struct shared *shared, struct proxy *px)
{
	struct bind_conf *bind;
	struct listener *l;
	struct server *s;

	if (px->caps & PROXY_FRONTEND)
		px->fe = shared_take(shared, sizeof(*px->fe));
	if (px->caps & PROXY_BACKEND) {
		px->be = shared_take(shared, sizeof(*px->be));
		px->be->changed_ms = clock_now_ms;
	}
	for (s = px->servers; s; s = s->next) {
		s->state = shared_take(shared, sizeof(*s->state));
		init_server(s);
	}
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			l->counters = shared_take(shared, sizeof(*l->counters));
}

int states_finish(struct config *cfg, struct proxies *all)
{
	struct counts n = count_all(all);
	struct proxy *px;
	struct server *s;

	all->shared = shared_new(shared_need(sizeof(struct global_state)) +
				 n.states * shared_need(sizeof(struct proxy_state)) +
				 (n.servers + SPARE_SERVERS) *
					 shared_need(sizeof(struct server_state)) +
				 n.listeners * shared_need(sizeof(struct counters)));
	if (!all->shared)
		return config_error(cfg, NULL, "out of memory for the states of %zu servers",
				    n.servers);
	all->global_state = shared_take(all->shared, sizeof(struct global_state));
	list_for_each(px, &all->list, node)
		take_proxy(all->shared, px);
	list_for_each(px, &all->stats_frontends, node)
		take_proxy(all->shared, px);
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			init_tracker(s);
	return 0;
}
