/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run-time side of all proxies, servers and listeners, made when the configuration is complete:
 * what is known of them in memory of the process, what is counted in slots of the segment, which
 * are found by name where an earlier image of the program has left some. Nothing here is a setting.
 */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "net/listener.h"
#include "proxy/cell.h"
#include "proxy/check_target.h"
#include "proxy/global.h"
#include "proxy/states.h"
#include "proxy/sums.h"
#include "share/segment.h"
#include "tally/tally.h"
#include "tally/top.h"

#include <stdio.h>

struct tally_room tally_room = { .rows = 1 };

void server_state_init(struct server *s)
{
	const struct check_target *target = check_target_of(s);
	struct server_state *state = s->state;

	state->user_weight = (unsigned)s->set.weight;
	state->effective_weight = state->user_weight;
	state->fine_weight = state->user_weight * FINE_WEIGHT;
	state->maxconn = s->set.maxconn;
	state->health = server_first_health(s);
	state->op = state->health < s->set.rise ? SERVER_DOWN : SERVER_UP;
	state->addr = s->spec.addr;
	state->port_follows = s->spec.has_offset;
	state->port_offset = (uint16_t)s->spec.port_offset;
	state->check.addr = target->addr;
	state->check.port = (uint16_t)target->port;
	state->agent.addr = *server_where_agent(s);
	state->agent.port = (uint16_t)server_agent_port(s);
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

/* Those that track one in maintenance are in maintenance from the start; one that is down, down. */
static void init_tracker(struct server *s)
{
	const struct server *end = s->tracked;

	while (end && end->tracked)
		end = end->tracked;
	if (!end || end->state->op != SERVER_DOWN)
		return;
	if (end->state->admin & ADMIN_MAINT)
		s->state->admin |= ADMIN_INHERITED_MAINT;
	s->state->op = SERVER_DOWN;
}

/* ---- slots ----------------------------------------------------------------------------- */

struct layout {
	struct config *cfg;
	struct segment *segment;
	bool failed;
};

/* The cell in the own row. */
static void *take(struct layout *lay, enum segment_kind kind, const char *name, unsigned *slot)
{
	struct err err;
	int n;

	if (!lay->segment)
		return arena_alloc(lay->cfg->arena, sizeof(union cell));
	n = segment_slot(lay->segment, kind, name, NULL, &err);

	*slot = n < 0 ? 0 : (unsigned)n;
	if (n < 0 && !lay->failed) {
		config_error(lay->cfg, NULL, "%s", err.text);
		lay->failed = true;
	}
	return n < 0 ? NULL : segment_cell(lay->segment, segment_own_row, *slot);
}

/* By the name of its line, if it has one, else by its address. */
static void take_listener(struct layout *lay, const struct proxy *px, struct listener *l)
{
	char addr[160], name[512];

	snprintf(name, sizeof(name), "%s/%s", px->name,
		 l->bind->name ? l->bind->name : listener_name(l, addr, sizeof(addr)));
	l->tally = take(lay, SLOT_LISTENER, name, &l->slot);
}

static void take_server(struct layout *lay, struct server *s)
{
	char name[512];

	snprintf(name, sizeof(name), "%s/%s", s->proxy->name, s->id);
	s->state = arena_alloc(lay->cfg->arena, sizeof(*s->state));
	server_state_init(s);
	s->tally = take(lay, SLOT_SERVER, name, &s->slot);
}

static void take_proxy(struct layout *lay, struct proxy *px)
{
	struct bind_conf *bind;
	struct listener *l;
	struct server *s;

	px->state = arena_alloc(lay->cfg->arena, sizeof(*px->state));
	px->state->changed_ms = clock_now_ms;
	px->state->unpublished = px->starts_unpublished;
	if (px->caps & PROXY_FRONTEND)
		px->fe = take(lay, SLOT_FRONTEND, px->name, &px->fe_slot);
	if (px->caps & PROXY_BACKEND)
		px->be = take(lay, SLOT_BACKEND, px->name, &px->be_slot);
	for (s = px->servers; s; s = s->next)
		take_server(lay, s);
	if (px->dispatch)
		take_server(lay, px->dispatch);
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			take_listener(lay, px, l);
}

static unsigned free_rows(const struct segment *s)
{
	unsigned row, n = 0;

	for (row = 1; row < segment_capacity(s); row++)
		n += !segment_row_is_taken(s, row);
	return n;
}

/* The one that is there, if it is large enough: many generations may still be about. */
static struct segment *choose_segment(struct err *err)
{
	struct segment *taken = tally_room.segment;

	tally_room.segment = NULL;
	if (taken && segment_capacity(taken) >= tally_room.rows && free_rows(taken) >= tally_room.workers)
		return taken;
	tally_room.began_anew = taken != NULL;
	segment_free(&taken);
	return segment_new(tally_room.rows, err);
}

struct segment *states_attach(int fd, struct err *err)
{
	segment_cells(sizeof(union cell), cell_layout());
	return segment_attach(fd, err);
}

int states_finish(struct config *cfg, struct proxies *all)
{
	struct layout lay = { .cfg = cfg };
	struct err err = { "" };
	unsigned slot;
	struct proxy *px;
	struct server *s;

	segment_cells(sizeof(union cell), cell_layout());
	lay.segment = all->segment = segment = choose_segment(&err);
	if (segment) {
		segment_own_set(segment_row(segment, segment_own_row));
		tally_start(segment_capacity(segment) > 1, sums_settle);
	} else { /* it will not start: what looks at states goes on to find mistakes */
		config_error(cfg, NULL, "%s", err.text);
		lay.failed = true;
	}
	all->global_state = arena_alloc(cfg->arena, sizeof(*all->global_state));
	all->global_tally = take(&lay, SLOT_GLOBAL, "", &slot);
	list_for_each(px, &all->list, node)
		take_proxy(&lay, px);
	list_for_each(px, &all->stats_frontends, node)
		take_proxy(&lay, px);
	list_for_each(px, &all->list, node)
		for (s = px->servers; s; s = s->next)
			init_tracker(s);
	return lay.failed ? -1 : 0;
}

/* ---- another process ------------------------------------------------------------------- */

static void *moved(void *tally, unsigned row)
{
	return tally ? segment_sibling(tally, segment_own_row, row) : NULL;
}

static void move_proxy(struct proxy *px, unsigned row)
{
	struct bind_conf *bind;
	struct listener *l;
	struct server *s;

	px->fe = moved(px->fe, row);
	px->be = moved(px->be, row);
	for (s = px->servers; s; s = s->next)
		s->tally = moved(s->tally, row);
	if (px->dispatch)
		px->dispatch->tally = moved(px->dispatch->tally, row);
	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			l->tally = moved(l->tally, row);
}

void states_own_row(unsigned row)
{
	struct proxies *all = proxies_running;
	struct proxy *px;

	BUG_ON(row >= segment_capacity(segment));
	all->global_tally = global_tally = moved(all->global_tally, row);
	list_for_each(px, &all->list, node)
		move_proxy(px, row);
	list_for_each(px, &all->stats_frontends, node)
		move_proxy(px, row);
	segment_own_row = row;
	segment_own_set(segment_row(segment, row));
}
