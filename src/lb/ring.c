/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "hash-type consistent": every server owns points on a ring of 2^32 places, as many as its
 * weight allows; a key belongs to the first point at or behind its own place. When a server
 * leaves, its points go and only its keys move. With "hash-balance-factor" a server that has
 * more than its share passes the key on to the next one on the ring.
 *
 * Places of points come from the server's id alone, so that balancers with the same ids agree,
 * whatever the order of the lines. Server of weight w: 16 w points, or as many times more as
 * give the average server of the file about 160. The place of a key is the function of hash-type
 * over the bytes of the address, always mixed by "avalanche". Own functions, not the reference's:
 * see doc/differences.md.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/hash.h"
#include "lb/balance.h"
#include "proxy/proxy.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { POINTS_WANTED = 160, SCALE = 16 };

struct ring_point {
	struct tree_node place;
	struct lb_node *owner;
};

struct ring_group {
	struct lb_group base; /* first */
	struct tree ring;
	unsigned factor;      /* points for a sixteenth of weight */
	uint32_t turn;        /* place for what has no key */
};

static struct ring_group *ring_of(const struct lb_node *node)
{
	return (struct ring_group *)node->group;
}

static struct lb_group *ring_create(struct arena *arena, const struct lb_group *like)
{
	struct ring_group *g = arena_alloc(arena, sizeof(*g));
	const struct server *s;
	size_t weight = 0, n = 0;

	for (s = like->proxy->servers; s; s = s->next, n++)
		weight += (size_t)s->set.weight * SCALE;
	g->base = *like;
	if (!weight) { /* servers come later: as for those of weight 1 */
		weight = SCALE;
		n = 1;
	}
	g->factor = (unsigned)((n * POINTS_WANTED + weight - 1) / weight);
	return &g->base;
}

static uint64_t ring_place(const struct lb_node *node, unsigned i)
{
	uint32_t words[2] = { htonl((uint32_t)node->server->puid), htonl(i) };

	return XXH32(words, sizeof(words), 0);
}

static void ring_leave(struct lb_node *node)
{
	unsigned i;

	for (i = 0; i < node->ring.count; i++)
		tree_remove(&ring_of(node)->ring, &node->ring.points[i].place);
	free(node->ring.points);
	node->ring.points = NULL;
	node->ring.count = 0;
}

/* Out of memory it keeps out of the ring: the others serve its keys, too. */
static void ring_join(struct lb_node *node)
{
	struct ring_group *g = ring_of(node);
	unsigned i, count = node->weight * g->factor;

	node->ring.points = calloc(count, sizeof(*node->ring.points));
	if (!node->ring.points)
		return;
	node->ring.count = count;
	for (i = 0; i < count; i++) {
		node->ring.points[i].owner = node;
		tree_insert(&g->ring, &node->ring.points[i].place, ring_place(node, i));
	}
}

static void ring_reweigh(struct lb_node *node, unsigned old)
{
	(void)old;
	ring_leave(node);
	ring_join(node);
}

static void ring_free(struct lb_group *group)
{
	unsigned i;

	for (i = 0; i < group->node_count; i++)
		ring_leave(group->nodes[i]);
}

/* -- the choice ------------------------------------------------------------------------------ */

static struct tree_node *ring_next(const struct ring_group *g, const struct tree_node *at)
{
	struct tree_node *next = at ? tree_next(at) : NULL;

	return next ? next : tree_first(&g->ring);
}

static struct tree_node *ring_at(const struct ring_group *g, uint32_t place)
{
	struct tree_node *at = tree_at_least(&g->ring, place);

	return at ? at : tree_first(&g->ring);
}

/* At most once around: the bound admits at least one, since not all can be above the average;
 * with none found the first point's owner stays. */
static struct lb_node *ring_bounded(const struct ring_group *g, struct tree_node *at)
{
	const struct tree_node *begin = at;
	struct lb_node *node;

	do {
		node = tree_entry(at, struct ring_point, place)->owner;
		if (lb_below_bound(node))
			return node;
		at = ring_next(g, at);
	} while (at != begin);
	return node;
}

/* Where on the ring: neighbouring addresses, and keys that differ in their last letter, must not
 * meet the same point: always mixed. Sessions without a key take one place after the other. */
static uint32_t ring_key(struct ring_group *g, const struct balance_key *key)
{
	const struct proxy *px = g->base.proxy;
	const struct addr *src = px->set.balance == BALANCE_SOURCE ? key->src : NULL;

	if (key->hashed)
		return hash_avalanche(key->hash);
	if (src && src->family == AF_INET)
		return hash_avalanche(balance_hash(px, (struct span){ (const char *)&src->v4,
								      sizeof(src->v4) }));
	if (src && src->family == AF_INET6)
		return hash_avalanche(balance_hash(px, (struct span){ (const char *)&src->v6,
								      sizeof(src->v6) }));
	return hash_avalanche(g->turn++);
}

static struct server *ring_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct ring_group *g = (struct ring_group *)group;
	struct tree_node *at = ring_at(g, ring_key(g, key));

	*full = false;
	return at ? ring_bounded(g, at)->server : NULL;
}

const struct lb_algo lb_ring = {
	.create = ring_create,
	.free = ring_free,
	.join = ring_join,
	.leave = ring_leave,
	.reweigh = ring_reweigh,
	.pick = ring_pick,
};
