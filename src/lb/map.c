/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table with as many entries as the weights of the usable servers add up to, each server in as
 * many of them as its weight, spread evenly. "balance static-rr" walks along it, and a hash that
 * is "map-based" points into it. Table and choices are those of the reference, found by observing
 * it. The table is made anew before the first choice after a change.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/hash.h"
#include "lb/key.h"
#include "lb/room.h"
#include "proxy/proxy.h"

#include <string.h>

struct map_group {
	struct lb_group base;    /* first */
	struct lb_node **slots;  /* base.weight of them are valid */
	uint32_t *due;           /* while it is filled: slot to index + 1 of a node */
	uint32_t *chain;         /* the next one that is due at the same slot; by index */
	uint32_t *given, *owed;  /* slots that a node got; that it should have by now */
	bool stale;
};

static struct lb_group *map_create(struct arena *arena, const struct lb_group *like)
{
	struct map_group *g = arena_alloc(arena, sizeof(*g));
	const struct server *s;
	size_t slots = 1, n = like->node_count + 1u;

	/* Weights are divided by what they have in common: this is the most that it can be. */
	for (s = like->proxy->servers; s; s = s->next)
		slots += (size_t)s->set.weight;
	g->base = *like;
	g->slots = arena_alloc(arena, slots * sizeof(*g->slots));
	g->due = arena_alloc(arena, (slots + 1) * sizeof(*g->due));
	g->chain = arena_alloc(arena, n * sizeof(*g->chain));
	g->given = arena_alloc(arena, n * sizeof(*g->given));
	g->owed = arena_alloc(arena, n * sizeof(*g->owed));
	return &g->base;
}

static void map_change(struct lb_node *node)
{
	((struct map_group *)node->group)->stale = true;
}

/* -- filling --------------------------------------------------------------------------------- */

/* After slot s of T, a server of weight w should have had w(s+1)/T, rounded down; each slot goes
 * to the one that lacks most, of equals to the first of the file. */

static uint64_t map_key(const struct map_group *g, const struct lb_node *node)
{
	uint32_t lacks = g->owed[node->index] - g->given[node->index];

	return (uint64_t)(0x80000000u - lacks) << 32 | node->index;
}

/* Notes at which slot the node is owed one more. */
static void map_note(struct map_group *g, const struct lb_node *node)
{
	uint64_t k = g->owed[node->index] + 1u;
	uint64_t slot = (k * g->base.weight + node->weight - 1) / node->weight - 1;

	if (k > node->weight)
		return;
	g->chain[node->index] = g->due[slot];
	g->due[slot] = node->index + 1;
}

static void map_move(struct map_group *g, struct tree *tree, struct lb_node *node)
{
	tree_remove(tree, &node->place);
	tree_insert(tree, &node->place, map_key(g, node));
}

static void map_begin(struct map_group *g, struct tree *tree)
{
	struct lb_node *node;
	unsigned i;

	memset(g->due, 0, (size_t)g->base.weight * sizeof(*g->due));
	memset(g->given, 0, g->base.node_count * sizeof(*g->given));
	memset(g->owed, 0, g->base.node_count * sizeof(*g->owed));
	for (i = 0; i < g->base.node_count; i++) {
		node = g->base.nodes[i];
		if (!node->weight)
			continue;
		node->place.height = 0;
		tree_insert(tree, &node->place, map_key(g, node));
		map_note(g, node);
	}
}

static void map_fill(struct map_group *g)
{
	struct tree tree = { NULL };
	struct lb_node *node;
	uint64_t slot;
	uint32_t i, next;

	map_begin(g, &tree);
	for (slot = 0; slot < g->base.weight; slot++) {
		for (i = g->due[slot]; i; i = next) {
			node = g->base.nodes[i - 1];
			next = g->chain[i - 1];
			g->owed[i - 1]++;
			map_note(g, node);
			map_move(g, &tree, node);
		}
		node = tree_entry(tree_first(&tree), struct lb_node, place);
		g->slots[slot] = node;
		g->given[node->index]++;
		map_move(g, &tree, node);
	}
	g->stale = false;
}

/* -- the choice ------------------------------------------------------------------------------ */

/* Those that are full, or to be avoided, are stepped over. */
static struct server *map_walk(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct map_group *g = (struct map_group *)group;
	struct server *server, *avoided = NULL;
	uint64_t n;

	if (g->stale)
		map_fill(g);
	for (n = 0; n < group->weight; n++) {
		if (*group->turn >= group->weight)
			*group->turn = 0;
		server = g->slots[(*group->turn)++]->server;
		if (!lb_has_room(server))
			continue;
		if (server != key->avoid)
			return server;
		avoided = server;
	}
	*full = !avoided;
	return avoided;
}

/* Their slots are stepped over. */
static void map_others_chose(struct lb_group *group, uint32_t n)
{
	*group->turn = (*group->turn + n) % group->weight;
}

/* From there on the first that may keep the key. There is none: the last one of the way around, as
 * on a ring. Each server is asked once. */
static struct lb_node *map_with_room(struct map_group *g, uint32_t begin)
{
	struct lb_node *node;
	unsigned asked = 0;
	uint32_t at;

	g->base.walk++;
	for (at = begin; asked < g->base.usable; at = at + 1 < g->base.weight ? at + 1 : 0) {
		node = g->slots[at];
		if (node->walk == g->base.walk)
			continue;
		if (lb_keeps_key(node))
			return node;
		node->walk = g->base.walk;
		asked++;
	}
	return g->slots[begin ? begin - 1 : g->base.weight - 1];
}

static struct server *map_look_up(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct map_group *g = (struct map_group *)group;
	uint32_t number;

	if (!lb_number(group->proxy, key, &number))
		return map_walk(group, key, full);
	if (g->stale)
		map_fill(g);
	if (group->proxy->set.hash_avalanche)
		number = hash_avalanche(number);
	number %= (uint32_t)g->base.weight;
	if (group->proxy->set.hash_affinity == HASH_AFFINITY_ALWAYS)
		return g->slots[number]->server;
	return map_with_room(g, number)->server;
}

const struct lb_algo lb_static_rr = {
	.static_weights = true,
	.create = map_create,
	.join = map_change,
	.leave = map_change,
	.others_chose = map_others_chose,
	.pick = map_walk,
};

const struct lb_algo lb_map = {
	.static_weights = true,
	.create = map_create,
	.join = map_change,
	.leave = map_change,
	.pick = map_look_up,
};
