/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance leastconn": the server with the fewest sessions, those in its queue included, in
 * relation to its weight. A tree orders them; whoever's number changes goes behind its equals, so
 * that these take turns.
 *
 * A full server is passed over, unless "maxqueue" says that some may wait for it.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "lb/balance.h"
#include "proxy/proxy.h"
#include "proxy/queue.h"

struct lc_group {
	struct lb_group base; /* first */
	struct tree tree;
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
	uint64_t load = (uint64_t)tally->current + tally->queued;

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
	const struct lc_group *g = (struct lc_group *)group;
	struct server *s, *avoided = NULL;
	struct tree_node *at;

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
