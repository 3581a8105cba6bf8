/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance random(draws)": so many servers are drawn by lot, each as likely as its weight is
 * heavy, and the one with the fewest sessions in relation to its weight is taken. Drawn ones that
 * are full, or above the bound of "hash-balance-factor", do not count; when all of them are, the
 * servers are looked through from a random one on.
 */
#include "lb/lots.h"
#include "proxy/sums.h"

#include "lb/key.h"

/* Less loaded than the other, which may be NULL? */
static bool random_lighter(const struct lb_node *node, const struct lb_node *other)
{
	return !other || (uint64_t)server_sessions(node->server) * other->weight <
				 (uint64_t)server_sessions(other->server) * node->weight;
}

static struct server *random_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct lots_group *g = (struct lots_group *)group;
	struct lb_node *node, *best = NULL;
	int i;

	for (i = 0; i < group->proxy->set.balance_draws; i++) {
		node = g->lots[lots_draw(g)];
		if (lots_suits(node, key) && random_lighter(node, best))
			best = node;
	}
	if (!best)
		best = lots_look_through(g, key);
	*full = !best;
	return best ? best->server : NULL;
}

const struct lb_algo lb_random = {
	.create = lots_create,
	.free = lots_free,
	.room = lots_room,
	.join = lots_change,
	.leave = lots_change,
	.reweigh = lots_reweigh,
	.pick = random_pick,
};
