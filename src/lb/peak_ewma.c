/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance peak-ewma": a server is drawn by lot, as likely as its weight is heavy, and compared
 * with the others: all of them where there are few, else some that are drawn as well. The cost of
 * one is the moving average of its response times (proxy/latency.h) times the requests that it has,
 * the new one included; what it has counts for less where it weighs more. Both are those of all
 * processes together.
 *
 * The first one is taken unless another costs less than two thirds of it: servers that are about as
 * fast are chosen by their weights alone. Two to compare would not do: of four servers of which two
 * are ill, one pair in six is ill.
 */
#include "lb/lots.h"

#include "lb/key.h"
#include "proxy/latency.h"
#include "proxy/sums.h"

/* Differences far below are noise, and a server that nobody knows has a cost, too. */
enum { FLOOR_US = 250 };
/* So many are all compared; of more, so many. */
enum { FEW = 16, DRAWS = 8 };

static uint64_t peak_cost(const struct lb_node *node)
{
	const struct lb_group *group = node->group;
	uint64_t us = FLOOR_US + latency_now(node->server);
	uint64_t mean = group->weight / group->usable, now = server_sessions(node->server);

	return us * (2 * node->weight + now * mean) / node->weight;
}

static struct lb_node *peak_choose(struct lots_group *g, const struct balance_key *key)
{
	struct lb_node *first = g->lots[lots_draw(g)], *best, *node;
	bool all = g->base.usable <= FEW;
	unsigned from = lots_draw(g), n = all ? g->base.usable : DRAWS, i;
	uint64_t least, cost;

	best = lots_suits(first, key) ? first : NULL;
	least = best ? peak_cost(first) / 3 * 2 : UINT64_MAX;
	for (i = 0; i < n; i++) {
		node = g->lots[all ? (from + i) % n : lots_draw(g)];
		if (node == first || !lots_suits(node, key))
			continue;
		cost = peak_cost(node);
		if (cost >= least)
			continue;
		least = cost;
		best = node;
	}
	return best;
}

static struct server *peak_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct lots_group *g = (struct lots_group *)group;
	struct lb_node *node = peak_choose(g, key);

	if (!node)
		node = lots_look_through(g, key);
	*full = !node;
	return node ? node->server : NULL;
}

const struct lb_algo lb_peak_ewma = {
	.create = lots_create,
	.free = lots_free,
	.room = lots_room,
	.join = lots_change,
	.leave = lots_change,
	.reweigh = lots_reweigh,
	.pick = peak_pick,
};
