/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance leastconn": the server with the fewest sessions, those in its queue included, in
 * relation to its weight. A tree orders them; whoever's number changes goes behind its equals, so
 * that these take turns.
 *
 * A full server is passed over, unless "maxqueue" says that some may wait for it.
 *
 * What other processes have on a server is looked up: before a choice for some of the servers, but
 * not more than once a millisecond, and for the one that would be chosen. One that they have chosen
 * goes behind its equals, too, even if that session has ended already.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/clock.h"
#include "lb/key.h"
#include "lb/room.h"
#include "proxy/sums.h"
#include "queue/queue.h"
#include "tally/tally.h"

enum { REFRESH_MOST = 64, FIRST_TRIES = 8, CHOSEN_TRIES = 32 };

struct lc_group {
	struct lb_group base; /* first */
	struct tree tree;
	uint64_t refreshed_ms;
	unsigned refresh; /* index of the next node whose turn it is */
	bool others_chose; /* since the last choice here */
};

static struct tree *lc_tree(const struct lb_node *node)
{
	return &((struct lc_group *)node->group)->tree;
}

static struct lb_group *lc_create(struct arena *arena, const struct lb_group *like)
{
	struct lc_group *g = arena_alloc(arena, sizeof(*g));

	g->base = *like;
	return &g->base;
}

static void lc_join(struct lb_node *node)
{
	const struct server_tally *tally = node->server->tally;
	uint64_t load = (uint64_t)tally->current + tally->queued + node->lc.others;

	tree_insert(lc_tree(node), &node->place, (load << 24) / node->weight);
}

static void lc_leave(struct lb_node *node)
{
	tree_remove(lc_tree(node), &node->place);
}

static void lc_move(struct lb_node *node)
{
	lc_leave(node);
	lc_join(node);
}

/* Has it changed? */
static bool lc_refresh(struct lb_node *node)
{
	const struct server *s = node->server;
	unsigned others = server_sessions(s) - s->tally->current + server_queued(s) -
			  s->tally->queued;

	if (others == node->lc.others)
		return false;
	node->lc.others = others;
	lc_move(node);
	return true;
}

/* Have others chosen it since? */
static bool lc_was_chosen(struct lb_node *node)
{
	unsigned chosen = gauge_sum(&node->server->tally->chosen);

	if (chosen == node->lc.chosen)
		return false;
	node->lc.chosen = chosen;
	lc_move(node);
	return true;
}

/* What was chosen before this process has begun is no news. */
static void lc_start(struct lb_group *group)
{
	unsigned i;

	for (i = 0; i < group->node_count; i++)
		group->nodes[i]->lc.chosen = gauge_sum(&group->nodes[i]->server->tally->chosen);
}

static void lc_others_chose(struct lb_group *group, uint32_t n)
{
	(void)n;
	((struct lc_group *)group)->others_chose = true;
}

static void lc_refresh_some(struct lc_group *g)
{
	unsigned n = g->base.node_count < REFRESH_MOST ? g->base.node_count : REFRESH_MOST;
	struct lb_node *node;

	if (g->refreshed_ms == clock_now_ms)
		return;
	g->refreshed_ms = clock_now_ms;
	for (; n; n--) {
		g->refresh = (g->refresh + 1) % g->base.node_count;
		node = g->base.nodes[g->refresh];
		if (node->weight)
			lc_refresh(node);
	}
}

/* The first of the tree is what others say, too. */
static void lc_look_at_others(struct lc_group *g)
{
	unsigned tries = g->others_chose ? CHOSEN_TRIES : FIRST_TRIES;
	struct lb_node *first;

	lc_refresh_some(g);
	do
		first = tree_entry(tree_first(&g->tree), struct lb_node, place);
	while ((lc_refresh(first) || (g->others_chose && lc_was_chosen(first))) && --tries);
	g->others_chose = false;
}

/* Others see it. */
static struct server *lc_chosen(struct lb_node *node)
{
	node->lc.chosen++;
	node->server->tally->chosen++;
	return node->server;
}

static void lc_reweigh(struct lb_node *node, unsigned old)
{
	(void)old;
	lc_move(node);
}

static bool lc_takes(const struct server *s)
{
	return lb_has_room(s) || (s->set.maxqueue && !server_queue_full(s));
}

static struct server *lc_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct lc_group *g = (struct lc_group *)group;
	struct lb_node *node, *avoided = NULL;
	struct tree_node *at;

	if (tally_shared)
		lc_look_at_others(g);
	for (at = tree_first(&g->tree); at; at = tree_next(at)) {
		node = tree_entry(at, struct lb_node, place);
		if (!lc_takes(node->server))
			continue;
		if (node->server != key->avoid)
			return lc_chosen(node);
		avoided = node;
	}
	*full = !avoided;
	return avoided ? lc_chosen(avoided) : NULL;
}

const struct lb_algo lb_leastconn = {
	.create = lc_create,
	.join = lc_join,
	.leave = lc_leave,
	.reweigh = lc_reweigh,
	.load = lc_move,
	.others_chose = lc_others_chose,
	.start = lc_start,
	.pick = lc_pick,
};
