/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers drawn by lot, each as likely as its weight is heavy. The lot falls on a place in the sums
 * of the weights, found by bisection: the distribution is exact, where the reference's, made with a
 * consistent hash, is about so. Used by random.c and peak_ewma.c.
 */
#include "lb/lots.h"

#include "base/arena.h"
#include "base/clock.h"
#include "lb/key.h"
#include "lb/room.h"

#include <stdlib.h>
#include <sys/random.h>

static uint64_t random_state;

/* Marsaglia's xorshift64*. */
static uint64_t random_number(void)
{
	while (!random_state)
		if (getrandom(&random_state, sizeof(random_state), GRND_NONBLOCK) < 0)
			random_state = clock_read_us();
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 0x2545f4914f6cdd1dull;
}

int lots_room(struct lb_group *group, unsigned nodes)
{
	struct lots_group *g = (struct lots_group *)group;
	struct lb_node **lots = realloc(g->lots, nodes * sizeof(struct lb_node *));
	uint64_t *sums = realloc(g->sums, nodes * sizeof(*sums));

	g->lots = lots ? lots : g->lots;
	g->sums = sums ? sums : g->sums;
	return lots && sums ? 0 : -1;
}

struct lb_group *lots_create(struct arena *arena, const struct lb_group *like)
{
	struct lots_group *g = arena_alloc(arena, sizeof(*g));

	g->base = *like;
	return lots_room(&g->base, like->node_room) < 0 ? NULL : &g->base;
}

void lots_free(struct lb_group *group)
{
	struct lots_group *g = (struct lots_group *)group;

	free(g->lots);
	free(g->sums);
	g->lots = NULL;
	g->sums = NULL;
}

void lots_change(struct lb_node *node)
{
	((struct lots_group *)node->group)->stale = true;
}

void lots_reweigh(struct lb_node *node, unsigned old)
{
	(void)old;
	lots_change(node);
}

static void lots_fill(struct lots_group *g)
{
	uint64_t sum = 0;
	unsigned i, n = 0;

	for (i = 0; i < g->base.node_count; i++) {
		if (!g->base.nodes[i]->weight)
			continue;
		sum += g->base.nodes[i]->weight;
		g->lots[n] = g->base.nodes[i];
		g->sums[n++] = sum;
	}
	g->stale = false;
}

/* Whose share of the sums is it? */
static unsigned lots_at(const struct lots_group *g, uint64_t lot)
{
	unsigned low = 0, high = g->base.usable - 1, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (g->sums[middle] > lot)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

unsigned lots_draw(struct lots_group *g)
{
	if (g->stale)
		lots_fill(g);
	return lots_at(g, random_number() % g->base.weight);
}

bool lots_suits(const struct lb_node *node, const struct balance_key *key)
{
	return node->server != key->avoid && lb_has_room(node->server) && lb_below_bound(node);
}

struct lb_node *lots_look_through(const struct lots_group *g,
				  const struct balance_key *key)
{
	unsigned first = (unsigned)(random_number() % g->base.usable), i;
	struct lb_node *node, *spare = NULL;

	for (i = 0; i < g->base.usable; i++) {
		node = g->lots[(first + i) % g->base.usable];
		if (lots_suits(node, key))
			return node;
		if (lb_has_room(node->server) && node->server != key->avoid)
			spare = node;
		else if (lb_has_room(node->server) && !spare)
			spare = node;
	}
	return spare;
}
