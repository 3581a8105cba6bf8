/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance first": the usable server of the lowest id that has a free slot, so that as few
 * servers as possible are in use. Weights do not matter.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "lb/key.h"
#include "lb/room.h"
#include "proxy/proxy.h"

struct first_group {
	struct lb_group base; /* first */
	struct tree tree;     /* usable ones, by id */
};

static struct lb_group *first_create(struct arena *arena, const struct lb_group *like)
{
	struct first_group *g = arena_alloc(arena, sizeof(*g));

	g->base = *like;
	return &g->base;
}

static void first_join(struct lb_node *node)
{
	struct first_group *g = (struct first_group *)node->group;

	tree_insert(&g->tree, &node->place, (uint64_t)node->server->puid);
}

static void first_leave(struct lb_node *node)
{
	struct first_group *g = (struct first_group *)node->group;

	tree_remove(&g->tree, &node->place);
}

static void first_reweigh(struct lb_node *node, unsigned old)
{
	(void)node;
	(void)old;
}

static struct server *first_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	const struct first_group *g = (struct first_group *)group;
	struct server *s, *avoided = NULL;
	struct tree_node *at;

	for (at = tree_first(&g->tree); at; at = tree_next(at)) {
		s = tree_entry(at, struct lb_node, place)->server;
		if (!lb_has_room(s))
			continue;
		if (s != key->avoid)
			return s;
		avoided = s;
	}
	*full = !avoided;
	return avoided;
}

const struct lb_algo lb_first = {
	.create = first_create,
	.join = first_join,
	.leave = first_leave,
	.reweigh = first_reweigh,
	.pick = first_pick,
};
