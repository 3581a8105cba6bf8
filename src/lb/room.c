/* SPDX-License-Identifier: BSD-2-Clause */
#include "lb/room.h"

#include "lb/algo.h"
#include "proxy/sums.h"
#include "queue/queue.h"

bool lb_has_room(const struct server *server)
{
	if (!server->state->maxconn)
		return !server->tally->queued;
	return server_has_slot(server) && !server_queued(server);
}

bool lb_below_bound(const struct lb_node *node)
{
	const struct proxy *px = node->group->proxy;
	uint64_t share, whole = node->group->weight * 100;

	if (!px->set.hash_balance_factor)
		return true;
	share = ((uint64_t)backend_served(px) + 1) * px->set.hash_balance_factor * node->weight;
	return server_sessions(node->server) < (share + whole - 1) / whole;
}

bool lb_keeps_key(const struct lb_node *node)
{
	const struct server *s = node->server;

	if (!lb_below_bound(node))
		return false;
	if (!s->state->maxconn)
		return true;
	if (node->group->proxy->set.hash_affinity == HASH_AFFINITY_MAXQUEUE)
		return !server_queue_full(s);
	return server_has_slot(s) && !server_queued(s);
}
