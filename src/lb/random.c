/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance random(draws)": so many servers are drawn by lot, each as likely as its weight is
 * heavy, and the one with the fewest sessions in relation to its weight is taken. Drawn ones that
 * are full, or above the bound of "hash-balance-factor", do not count; when all of them are, the
 * servers are looked through from a random one on.
 *
 * The lot falls on a place in the sums of the weights, found by bisection: the distribution is
 * exact, where the reference's, made with a consistent hash, is about so.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/clock.h"
#include "lb/balance.h"
#include "proxy/tally.h"

#include <sys/random.h>

struct random_group {
	struct lb_group base;   /* first */
	struct lb_node **lots;  /* base.usable of them */
	uint64_t *sums;         /* of the weights up to and with that one */
	bool stale;
};

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

static struct lb_group *random_create(struct arena *arena, const struct lb_group *like)
{
	struct random_group *g = arena_alloc(arena, sizeof(*g));

	g->base = *like;
	g->lots = arena_alloc(arena, (like->node_count + 1) * sizeof(*g->lots));
	g->sums = arena_alloc(arena, (like->node_count + 1) * sizeof(*g->sums));
	return &g->base;
}

static void random_change(struct lb_node *node)
{
	((struct random_group *)node->group)->stale = true;
}

static void random_reweigh(struct lb_node *node, unsigned old)
{
	(void)old;
	random_change(node);
}

static void random_fill(struct random_group *g)
{
	uint64_t sum = 0;
	unsigned i, n = 0;

	for (i = 0; i < g->base.node_count; i++) {
		if (!g->base.nodes[i].weight)
			continue;
		sum += g->base.nodes[i].weight;
		g->lots[n] = &g->base.nodes[i];
		g->sums[n++] = sum;
	}
	g->stale = false;
}

/* -- the choice ------------------------------------------------------------------------------ */

static unsigned random_draw(const struct random_group *g)
{
	uint64_t lot = random_number() % g->base.weight;
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

static bool random_suits(const struct lb_node *node, const struct balance_key *key)
{
	return node->server != key->avoid && lb_has_room(node->server) && lb_below_bound(node);
}

/* Less loaded than the other, which may be NULL? */
static bool random_lighter(const struct lb_node *node, const struct lb_node *other)
{
	return !other || (uint64_t)server_sessions(node->server) * other->weight <
				 (uint64_t)server_sessions(other->server) * node->weight;
}

static struct lb_node *random_look_through(const struct random_group *g,
					   const struct balance_key *key)
{
	unsigned first = (unsigned)(random_number() % g->base.usable), i;
	struct lb_node *node, *spare = NULL;

	for (i = 0; i < g->base.usable; i++) {
		node = g->lots[(first + i) % g->base.usable];
		if (random_suits(node, key))
			return node;
		if (lb_has_room(node->server) && node->server != key->avoid)
			spare = node;
		else if (lb_has_room(node->server) && !spare)
			spare = node;
	}
	return spare;
}

static struct server *random_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct random_group *g = (struct random_group *)group;
	struct lb_node *node, *best = NULL;
	int i;

	if (g->stale)
		random_fill(g);
	for (i = 0; i < group->proxy->set.balance_draws; i++) {
		node = g->lots[random_draw(g)];
		if (random_suits(node, key) && random_lighter(node, best))
			best = node;
	}
	if (!best)
		best = random_look_through(g, key);
	*full = !best;
	return best ? best->server : NULL;
}

const struct lb_algo lb_random = {
	.create = random_create,
	.join = random_change,
	.leave = random_change,
	.reweigh = random_reweigh,
	.pick = random_pick,
};
