/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance roundrobin": servers in turns, as evenly as their weights allow, with weights that may
 * change at any time. The choices are those of the reference, found by observing it.
 *
 * Time is counted in choices. In a cycle of as many choices as the weights add up to, a server of
 * weight w of all weights T gets a turn every T/w: its position, the time from which on it is due,
 * grows by that with each turn, exactly, since the remainder of the division is kept. Three trees
 * hold the servers:
 *
 *   current  those with a position in this cycle; the least position first, of equal ones the
 *            one whose exact place is earlier, then the one that has waited longer
 *   waiting  those without: they fill the moments at which nobody is due, heavy ones first, and
 *            get their first position so. All are here when the program starts.
 *   next     those that are done with this cycle; they wait in the next one
 *
 * Whoever is due is taken from current, else from waiting; else the first of current goes ahead
 * of its time; when current is empty, the next cycle begins. A server that comes up during a
 * cycle is given a position between now and its end.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "lb/key.h"
#include "lb/room.h"

struct rr_group {
	struct lb_group base; /* first */
	struct tree current, others[2];
	struct tree *waiting, *next; /* the two others */
	uint32_t now;                /* choices made in this cycle */
	uint32_t cycle;              /* weights in force when it began */
};

static struct rr_group *rr_of(const struct lb_node *node)
{
	return (struct rr_group *)node->group;
}

static struct lb_group *rr_create(struct arena *arena, const struct lb_group *like)
{
	struct rr_group *g = arena_alloc(arena, sizeof(*g));

	g->base = *like;
	g->waiting = &g->others[0];
	g->next = &g->others[1];
	return &g->base;
}

/* -- places ---------------------------------------------------------------------------------- */

static void rr_remove(struct lb_node *node)
{
	tree_remove(node->rr.tree, &node->place);
}

/* Among those without a position: by weight. */
static void rr_wait(struct lb_node *node, struct tree *tree)
{
	node->rr.tree = tree;
	tree_insert(tree, &node->place, UINT32_MAX - node->weight);
}

/* Where its position belongs: in this cycle, or the next one. The remainder minus the weight,
 * always the less the earlier, orders equal positions. */
static void rr_place(struct lb_node *node)
{
	struct rr_group *g = rr_of(node);
	uint32_t end = g->cycle < g->base.weight ? g->cycle : (uint32_t)g->base.weight;
	uint32_t within = 0x80000000u + node->rr.remainder - node->weight;

	if (node->rr.position >= end) {
		rr_wait(node, g->next);
		return;
	}
	node->rr.tree = &g->current;
	tree_insert(&g->current, &node->place, (uint64_t)node->rr.position << 32 | within);
}

/* One turn later. */
static void rr_advance(struct lb_node *node)
{
	uint32_t total = (uint32_t)node->group->weight;

	node->rr.last = node->rr.position;
	node->rr.position += total / node->weight;
	node->rr.remainder += total % node->weight;
	if (node->rr.remainder >= node->weight) {
		node->rr.remainder -= node->weight;
		node->rr.position++;
	}
	rr_place(node);
}

static void rr_join(struct lb_node *node)
{
	struct rr_group *g = rr_of(node);
	uint32_t total = (uint32_t)g->base.weight;

	if (!g->base.running) {
		g->cycle = total;
		rr_wait(node, g->waiting);
		return;
	}
	node->rr.position = g->now;
	if (total > g->now)
		node->rr.position += (total - g->now) / node->weight;
	rr_place(node);
}

/* A turn that it waits for does not move further away, unless it is so near that it would be
 * had twice. */
static void rr_reweigh(struct lb_node *node, unsigned old)
{
	struct rr_group *g = rr_of(node);
	uint32_t step = (uint32_t)g->base.weight / node->weight;

	(void)old;
	rr_remove(node);
	if (node->rr.tree != &g->current) {
		rr_wait(node, node->rr.tree);
		return;
	}
	if (node->rr.last + step < node->rr.position)
		node->rr.position = node->rr.last + step;
	if (node->rr.position < g->now + 2)
		node->rr.position = g->now + step;
	node->rr.remainder = 0;
	rr_place(node);
}

/* -- the choice ------------------------------------------------------------------------------ */

static struct lb_node *rr_first(const struct tree *tree)
{
	struct tree_node *first = tree_first(tree);

	return first ? tree_entry(first, struct lb_node, place) : NULL;
}

/* Takes the one whose turn it is out of its tree; NULL: all are out. */
static struct lb_node *rr_turn(struct rr_group *g)
{
	struct lb_node *node = rr_first(&g->current), *waiting = rr_first(g->waiting);
	struct tree *swap;

	if (!node && !waiting && !tree_empty(g->next)) {
		swap = g->waiting;
		g->waiting = g->next;
		g->next = swap;
		g->now = 0;
		g->cycle = (uint32_t)g->base.weight;
		waiting = rr_first(g->waiting);
	}
	if (waiting && (!node || node->rr.position > g->now)) {
		node = waiting;
		node->rr.position = g->now;
		node->rr.remainder = 0;
	}
	if (node)
		rr_remove(node);
	return node;
}

static bool rr_suits(const struct lb_node *node, const struct balance_key *key)
{
	return node->server != key->avoid && lb_has_room(node->server);
}

/* One that is alone has every turn, each one choice later: in the middle of a cycle it stays the
 * only one of its tree, whose order needs no care. NULL: it is not so. */
static struct server *rr_alone(struct rr_group *g, const struct balance_key *key)
{
	uint32_t end = g->cycle < g->base.weight ? g->cycle : (uint32_t)g->base.weight;
	struct lb_node *node = rr_first(&g->current);

	if (g->base.usable != 1 || !node || node->rr.position + 1 >= end || !rr_suits(node, key))
		return NULL;
	node->rr.last = node->rr.position++;
	node->place.key += (uint64_t)1 << 32;
	g->now++;
	return node->server;
}

/* Those that are full, or to be avoided, lose this turn. */
APART static struct server *rr_pick_of(struct rr_group *g, const struct balance_key *key, bool *full)
{
	struct lb_node *node, *skipped = NULL, **tail = &skipped, *avoided = NULL;

	while ((node = rr_turn(g)) && !rr_suits(node, key)) {
		if (node->server == key->avoid && lb_has_room(node->server))
			avoided = node;
		node->rr.skipped = NULL;
		*tail = node;
		tail = &node->rr.skipped;
		g->now++;
	}
	if (node) {
		rr_advance(node);
		g->now++;
	}
	for (; skipped; skipped = skipped->rr.skipped)
		rr_advance(skipped);
	if (!node)
		node = avoided;
	*full = !node;
	return node ? node->server : NULL;
}

/* Their turns pass. More than one a server are left out: with equal weights they come to the same,
 * with others to the same shares. */
static void rr_others_chose(struct lb_group *group, uint32_t n)
{
	struct rr_group *g = (struct rr_group *)group;
	struct lb_node *node;

	for (n %= group->usable; n; n--) {
		node = rr_turn(g);
		rr_advance(node);
		g->now++;
	}
}

static struct server *rr_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct rr_group *g = (struct rr_group *)group;
	struct server *alone = rr_alone(g, key);

	*full = false;
	return alone ? alone : rr_pick_of(g, key, full);
}

const struct lb_algo lb_roundrobin = {
	.create = rr_create,
	.join = rr_join,
	.leave = rr_remove,
	.reweigh = rr_reweigh,
	.others_chose = rr_others_chose,
	.pick = rr_pick,
};
