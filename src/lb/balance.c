/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Balancing: which servers of a backend are in use now, and their algorithm's choice among
 * them. Active servers form one group and backup servers another, which counts while no active
 * one is usable; without "option allbackups" only its first usable server does.
 *
 * Called by stream/ for each session and, through server_hooks, by proxy/ when a server's state,
 * weight or queue has changed. Never touches a connection, never allocates for a choice.
 */
#include "lb/balance.h"

#include "base/arena.h"
#include "base/clock.h"
#include "lb/algo.h"
#include "lb/balance_conf.h"
#include "lb/room.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "queue/queue.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <stdlib.h>
#include <string.h>

enum { ACTIVE, BACKUP, GROUPS };
enum { LOOK_ROWS = 32 }; /* of others, in a millisecond */

struct balance {
	const struct lb_algo *algo;
	struct lb_group *groups[GROUPS];
	struct server *first_backup; /* usable; NULL: none */
	unsigned divisor;            /* of weights in static algorithms */
	uint64_t turn;               /* of static-rr */
	uint32_t seen;               /* choices of all processes, of which the algorithm knows */
};

/* -- who is in which group ------------------------------------------------------------------ */

static unsigned balance_weight(const struct balance *b, const struct server *s)
{
	if (!server_usable(s))
		return 0;
	return b->algo->static_weights ? (unsigned)s->set.weight / b->divisor :
					 s->state->fine_weight;
}

static void find_first_backup(struct balance *b)
{
	const struct lb_group *group = b->groups[BACKUP];
	unsigned i = 0;

	while (i < group->node_count && !group->nodes[i]->weight)
		i++;
	b->first_backup = i < group->node_count ? group->nodes[i]->server : NULL;
}

static void balance_join_or_leave(struct lb_node *node, unsigned weight)
{
	const struct lb_algo *algo = node->group->proxy->balance->algo;
	struct lb_group *group = node->group;

	if (weight) {
		group->usable++;
		node->weight = weight;
		algo->join(node);
	} else {
		group->usable--;
		algo->leave(node);
		node->weight = 0;
	}
}

/* What it takes part with from now on; 0: not at all. */
static void balance_weigh(struct lb_node *node, unsigned weight)
{
	struct proxy *px = node->server->proxy;
	unsigned old = node->weight;

	if (weight == old && weight && px->balance->algo->moved)
		px->balance->algo->moved(node);
	if (weight == old)
		return;
	node->group->weight += weight;
	node->group->weight -= old;
	if (!old || !weight) {
		balance_join_or_leave(node, weight);
		px->usable = px->balance->groups[ACTIVE]->usable;
		px->usable_backup = px->balance->groups[BACKUP]->usable;
		if (node->group == px->balance->groups[BACKUP])
			find_first_backup(px->balance);
		return;
	}
	node->weight = weight;
	px->balance->algo->reweigh(node, old);
}

static void balance_update(struct server *s)
{
	if (s->lb)
		balance_weigh(s->lb, balance_weight(s->proxy->balance, s));
}

static void balance_load(struct server *s)
{
	const struct lb_algo *algo = s->proxy->balance ? s->proxy->balance->algo : NULL;

	if (s->lb && s->lb->weight && algo->load)
		algo->load(s->lb);
}

void balance_taken(struct server *server)
{
	balance_load(server);
}

void balance_released(struct server *server)
{
	balance_load(server);
}

/* -- the choice ------------------------------------------------------------------------------ */

static struct server *balance_backup(const struct balance *b, bool *full)
{
	struct server *s = b->first_backup;

	if (s && b->algo == &lb_static_rr && !lb_has_room(s)) {
		*full = true;
		return NULL;
	}
	return s;
}

/* A look costs a line of memory for each process that has chosen since the last one. Where many
 * choices are made in a millisecond, each process spreads them evenly by itself. */
static bool may_look(void)
{
	static uint64_t at_ms;
	static unsigned rows;

	if (at_ms != clock_now_ms)
		rows = 0;
	at_ms = clock_now_ms;
	if (rows >= LOOK_ROWS)
		return false;
	rows += segment_rows(segment);
	return true;
}

/* All processes together are to choose as one would. */
APART static void look_at_others(struct proxy *px, struct lb_group *group)
{
	struct balance *b = px->balance;
	uint32_t n;

	if (!b->algo->others_chose || group->usable < 2 || !may_look())
		return;
	n = gauge_sum(&px->be->chosen) - b->seen;
	b->seen += n;
	if (n)
		b->algo->others_chose(group, n);
}

static struct server *pick_of(struct proxy *px, struct lb_group *group,
			      const struct balance_key *key, bool *full)
{
	struct server *s;

	if (unlikely(tally_shared))
		look_at_others(px, group);
	s = px->balance->algo->pick(group, key, full);
	px->be->chosen += s != NULL;
	px->balance->seen += s != NULL;
	return s;
}

struct server *balance_pick(struct proxy *px, const struct balance_key *key, bool *full)
{
	struct balance *b = px->balance;
	struct lb_group *group;

	*full = false;
	if (!b)
		return NULL;
	group = b->groups[px->usable ? ACTIVE : BACKUP];
	if (!px->usable && !(px->set.options.on & OPT_ALLBACKUPS))
		return balance_backup(b, full);
	return group->usable ? pick_of(px, group, key, full) : NULL;
}

/* -- building -------------------------------------------------------------------------------- */

static const struct lb_algo *balance_algo(const struct proxy_settings *set)
{
	switch (set->balance) {
	case BALANCE_STATIC_RR:
		return &lb_static_rr;
	case BALANCE_LEASTCONN:
		return &lb_leastconn;
	case BALANCE_FIRST:
		return &lb_first;
	case BALANCE_SOURCE:
	case BALANCE_URI:
	case BALANCE_URL_PARAM:
	case BALANCE_HDR:
	case BALANCE_RDP_COOKIE:
	case BALANCE_HASH:
		return set->hash_method == HASH_CONSISTENT ? &lb_ring : &lb_map;
	case BALANCE_RANDOM:
		return &lb_random;
	case BALANCE_PEAK_EWMA:
		return &lb_peak_ewma;
	default:
		return &lb_roundrobin;
	}
}

static unsigned common_divisor(const struct proxy *px)
{
	const struct server *s;
	unsigned a = 0, b, rest;

	for (s = px->servers; s; s = s->next)
		for (b = (unsigned)s->set.weight; b; b = rest) {
			rest = a % b;
			a = b;
		}
	return a ? a : 1;
}

static unsigned group_of(const struct server *s)
{
	return s->set.options.on & SRV_BACKUP ? BACKUP : ACTIVE;
}

/* Room for one node more. */
static int group_room(const struct lb_algo *algo, struct lb_group *group)
{
	unsigned room = group->node_room ? 2 * group->node_room : 4;
	struct lb_node **more;

	if (group->node_count < group->node_room)
		return 0;
	more = realloc(group->nodes, room * sizeof(struct lb_node *));
	if (!more)
		return -1;
	group->nodes = more;
	if (algo->room && algo->room(group, room) < 0)
		return -1;
	group->node_room = room;
	return 0;
}

static struct lb_group *build_group(struct config *cfg, struct proxy *px, unsigned which)
{
	struct lb_group group = { .proxy = px, .turn = &px->balance->turn }, *made;
	struct lb_node *nodes;
	struct server *s;
	unsigned i;

	for (s = px->servers; s; s = s->next)
		group.node_count += group_of(s) == which;
	group.node_room = group.node_count + 1;
	group.nodes = malloc(group.node_room * sizeof(struct lb_node *));
	nodes = arena_alloc(cfg->arena, sizeof(*nodes) * group.node_room);
	made = group.nodes ? px->balance->algo->create(cfg->arena, &group) : NULL;
	if (!made) {
		free(group.nodes);
		return NULL;
	}
	for (s = px->servers, i = 0; s; s = s->next) {
		if (group_of(s) != which)
			continue;
		s->lb = group.nodes[i] = &nodes[i];
		*s->lb = (struct lb_node){ .server = s, .group = made, .index = i };
		i++;
	}
	return made;
}

static int build_backend(struct config *cfg, struct proxy *px)
{
	struct balance *b = px->balance = arena_alloc(cfg->arena, sizeof(*b));
	struct server *s;
	unsigned i;

	b->algo = balance_algo(&px->set);
	b->divisor = common_divisor(px);
	for (i = 0; i < GROUPS; i++) {
		b->groups[i] = build_group(cfg, px, i);
		if (!b->groups[i])
			return config_error(cfg, &px->loc, "out of memory for the balancing of '%s'",
					    px->name);
	}
	for (s = px->servers; s; s = s->next)
		balance_update(s);
	for (i = 0; i < GROUPS; i++)
		b->groups[i]->running = true;
	return 0;
}

/* What only requests of HTTP have: round robin, as the reference. */
static void balance_check_mode(struct config *cfg, struct proxy *px)
{
	struct proxy_settings *set = &px->set;

	if (set->mode == MODE_HTTP || set->balance < BALANCE_URI || set->balance > BALANCE_HDR ||
	    proxy_is_udp(px)) /* which has an error of its own */
		return;
	config_warning(cfg, &px->loc, "'%s' balances by something of HTTP requests, but is in mode tcp: "
		       "it takes roundrobin", px->name);
	set->balance = BALANCE_ROUNDROBIN;
}

static int balance_make_backend(struct config *cfg, struct proxy *px)
{
	balance_check_mode(cfg, px);
	return build_backend(cfg, px);
}

static int balance_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;

	*(struct proxies **)data = all;
	list_for_each(px, &all->list, node)
		if (px->caps & PROXY_BACKEND && balance_make_backend(cfg, px) < 0)
			return -1;
	return 0;
}

static int balance_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	server_hooks.lb_changed = balance_update;
	server_hooks.load_changed = balance_load;
	return 0;
}

static void start_backend(struct proxy *px)
{
	const struct balance *b = px->balance;
	unsigned i;

	for (i = 0; b && b->algo->start && i < GROUPS; i++)
		b->algo->start(b->groups[i]);
}

static int balance_start(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = *(struct proxies **)data;
	struct proxy *px;

	(void)cfg;
	(void)err;
	list_for_each(px, &all->list, node)
		start_backend(px);
	return 0;
}

/* What the algorithms hold outside the arena. */
static void balance_free_backend(struct proxy *px)
{
	const struct lb_algo *algo = px->balance ? px->balance->algo : NULL;
	unsigned i;

	for (i = 0; i < GROUPS && algo && px->balance->groups[i]; i++) {
		if (algo->free)
			algo->free(px->balance->groups[i]);
		free(px->balance->groups[i]->nodes);
	}
	px->balance = NULL;
}

static void balance_release(void *data)
{
	const struct proxies *all = *(struct proxies **)data;
	struct proxy *px;

	if (!all)
		return;
	list_for_each(px, &all->list, node)
		balance_free_backend(px);
}

struct proxy_part lb_proxy_part = { .make = balance_make_backend,
					      .free = balance_free_backend };

/* -- servers that come and go ---------------------------------------------------------------- */

/* Behind the others: it stands last among the lines. */
static int balance_make(struct config *cfg, struct server *s)
{
	struct balance *b = s->proxy->balance;
	struct lb_group *group = b->groups[group_of(s)];

	if (b->algo->static_weights)
		return config_error(cfg, &s->loc, "Backend must use a dynamic load balancing to "
				    "support dynamic servers.");
	if (group_room(b->algo, group) < 0)
		return config_error(cfg, &s->loc, "out of memory for the balancing of '%s'",
				    s->proxy->name);
	s->lb = arena_alloc(cfg->arena, sizeof(*s->lb));
	*s->lb = (struct lb_node){ .server = s, .group = group, .index = group->node_count };
	group->nodes[group->node_count++] = s->lb;
	return 0;
}

static void balance_leave(struct server *s)
{
	struct lb_group *group = s->lb ? s->lb->group : NULL;
	unsigned i;

	if (!group)
		return;
	balance_weigh(s->lb, 0); /* a kept one that does not fit is left out as it is */
	for (i = s->lb->index; i + 1 < group->node_count; i++) {
		group->nodes[i] = group->nodes[i + 1];
		group->nodes[i]->index = i;
	}
	group->node_count--;
	s->lb = NULL;
}

struct server_part lb_server_part = { .make = balance_make, .leave = balance_leave };

const struct module lb_module = {
	.name = "lb",
	.keywords = balance_keywords,
	.data_size = sizeof(struct proxies *), /* those that were built */
	.finish = balance_finish,
	.prepare = balance_prepare,
	.start = balance_start,
	.release = balance_release,
};
