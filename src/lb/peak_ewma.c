/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "balance peak-ewma": two servers are drawn by lot, each as likely as its weight is heavy, and the
 * one that would cost less is taken. The cost is the moving average of the server's response times
 * (proxy/latency.h) times the requests that it has, the new one included; what it has counts for
 * less where it weighs more. Both are those of all processes together.
 *
 * The first of the two is taken unless the second costs less by a good part: servers that are about
 * as fast are chosen by their weights alone.
 */
#include "lb/lots.h"

#include "lb/balance.h"
#include "proxy/latency.h"
#include "proxy/tally.h"

/* Differences far below are noise, and a server that nobody knows has a cost, too. */
enum { FLOOR_US = 250 };

static uint64_t peak_cost(const struct lb_node *node)
{
	const struct lb_group *group = node->group;
	uint64_t us = FLOOR_US + latency_now(node->server);
	uint64_t mean = group->weight / group->usable, now = server_sessions(node->server);

	return us * (node->weight + now * mean) / node->weight;
}

/* By a fifth. */
static bool peak_cheaper(const struct lb_node *node, const struct lb_node *than)
{
	return peak_cost(node) * 5 < peak_cost(than) * 4;
}

static struct lb_node *peak_choose(struct lots_group *g, const struct balance_key *key)
{
	unsigned one = lots_draw(g);
	struct lb_node *first = g->lots[one], *second;

	if (g->base.usable < 2)
		return lots_suits(first, key) ? first : NULL;
	second = g->lots[lots_draw_another(g, one)];
	if (!lots_suits(second, key))
		return lots_suits(first, key) ? first : NULL;
	return lots_suits(first, key) && !peak_cheaper(second, first) ? first : second;
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
