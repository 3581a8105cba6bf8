/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance leastconn": the server with the fewest sessions, those in its queue included, in
 * relation to its weight. A tree orders them; whoever's number changes goes behind its equals, so
 * that these take turns.
 *
 * A full server is passed over, unless "maxqueue" says that some may wait for it.
 *
 * What other processes have on a server is looked up: before a choice for some of the servers, but
 * not more than once a millisecond, and for the one that would be chosen.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/clock.h"
#include "lb/balance.h"
#include "proxy/queue.h"
#include "proxy/tally.h"

enum { REFRESH_MOST = 64, FIRST_TRIES = 8 };

struct lc_group {
	struct lb_group base; /* first */
	struct tree tree;
	uint64_t refreshed_ms;
	unsigned refresh; /* index of the next node whose turn it is */
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
	unsigned tries = 0;

	lc_refresh_some(g);
	while (tries++ < FIRST_TRIES &&
	       lc_refresh(tree_entry(tree_first(&g->tree), struct lb_node, place)))
		;
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
	struct server *s, *avoided = NULL;
	struct tree_node *at;

	if (tally_shared)
		lc_look_at_others(g);
	for (at = tree_first(&g->tree); at; at = tree_next(at)) {
		s = tree_entry(at, struct lb_node, place)->server;
		if (!lc_takes(s))
			continue;
		if (s != key->avoid)
			return s;
		avoided = s;
	}
	*full = !avoided;
	return avoided;
}

const struct lb_algo lb_leastconn = {
	.create = lc_create,
	.join = lc_join,
	.leave = lc_leave,
	.reweigh = lc_reweigh,
	.load = lc_move,
	.pick = lc_pick,
};
