/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "hash-type consistent": every server owns points on a ring of 2^32 places, as many as its
 * weight allows; a key belongs to the first point at or behind its own place. When a server
 * leaves, its points go and only its keys move. With "hash-balance-factor" a server that has
 * more than its share passes the key on to the next one on the ring.
 *
 * Places of points come from what "hash-key" says, the server's id by default, alone, so that
 * balancers with the same ids (addresses, guids) agree, whatever the order of the lines. Server of
 * weight w: 16 w points, or as many times more as give the average server of the file about 160.
 * With "hash-preserve-affinity" a server that is full passes the key on, too. The place of a key is
 * the function of hash-type over the bytes of the address, always mixed by "avalanche". Own
 * functions, not the reference's: see doc/differences.md.
 */
#include "lb/algo.h"

#include "base/arena.h"
#include "base/hash.h"
#include "lb/key.h"
#include "lb/room.h"
#include "proxy/proxy.h"

#include <stdlib.h>
#include <string.h>

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

/* -- where a server has its points ----------------------------------------------------------- */

enum { ID_BITS = 0x0fffffff, BY_ID = 0, BY_TEXT = 1 }; /* BY_*: seeds, so that they stay apart */

static void ring_key_by(struct ring_key *key, const void *bytes, size_t len)
{
	key->word = XXH32(bytes, len, BY_TEXT);
	key->seed = BY_TEXT;
}

/* An address that is none of the internet is not there. */
static bool ring_key_by_addr(struct ring_key *key, const struct addr *addr, bool port)
{
	unsigned char bytes[sizeof(addr->v6) + 2];
	size_t len = addr->family == AF_INET ? sizeof(addr->v4) : sizeof(addr->v6);

	if (addr->family != AF_INET && addr->family != AF_INET6)
		return false;
	memcpy(bytes, addr->family == AF_INET ? (const void *)&addr->v4 : (const void *)&addr->v6,
	       len);
	if (port) {
		bytes[len++] = (unsigned char)(addr->port >> 8);
		bytes[len++] = (unsigned char)addr->port;
	}
	ring_key_by(key, bytes, len);
	return true;
}

/* What hash-key asks for; the id where that is not there. */
static struct ring_key ring_key_of(const struct server *s)
{
	struct ring_key key = { htonl((uint32_t)s->puid & ID_BITS), BY_ID };

	switch ((enum hash_key)s->set.hash_key) {
	case HASH_KEY_ID:
		break;
	case HASH_KEY_ID32:
		key.word = htonl((uint32_t)s->puid);
		break;
	case HASH_KEY_GUID:
		if (s->guid)
			ring_key_by(&key, s->guid, strlen(s->guid));
		break;
	case HASH_KEY_ADDR:
	case HASH_KEY_ADDR_PORT:
		ring_key_by_addr(&key, &s->state->addr, s->set.hash_key == HASH_KEY_ADDR_PORT);
		break;
	}
	return key;
}

static uint64_t ring_place(const struct ring_key *key, unsigned i)
{
	uint32_t words[2] = { key->word, htonl(i) };

	return XXH32(words, sizeof(words), key->seed);
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
	node->ring.key = ring_key_of(node->server);
	for (i = 0; i < count; i++) {
		node->ring.points[i].owner = node;
		tree_insert(&g->ring, &node->ring.points[i].place, ring_place(&node->ring.key, i));
	}
}

static void ring_reweigh(struct lb_node *node, unsigned old)
{
	(void)old;
	ring_leave(node);
	ring_join(node);
}

static void ring_moved(struct lb_node *node)
{
	struct ring_key key = ring_key_of(node->server);

	if (key.word != node->ring.key.word || key.seed != node->ring.key.seed)
		ring_reweigh(node, node->weight);
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

static struct tree_node *ring_before(const struct ring_group *g, const struct tree_node *at)
{
	struct tree_node *before = tree_prev(at);

	return before ? before : tree_last(&g->ring);
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

/* The first that may keep the key. There is none: the last one of the way around, whose queue it
 * joins, not that of the first choice's own clients. Each server is asked once. */
static struct lb_node *ring_with_room(struct ring_group *g, struct tree_node *begin)
{
	struct tree_node *at = begin;
	struct lb_node *node;
	unsigned asked = 0;

	g->base.walk++;
	while (asked < g->base.usable) {
		node = tree_entry(at, struct ring_point, place)->owner;
		if (node->walk != g->base.walk) {
			if (lb_keeps_key(node))
				return node;
			node->walk = g->base.walk;
			asked++;
		}
		at = ring_next(g, at);
		if (at == begin) /* one had no memory for its points */
			break;
	}
	return tree_entry(ring_before(g, begin), struct ring_point, place)->owner;
}

static struct server *ring_pick(struct lb_group *group, const struct balance_key *key, bool *full)
{
	struct ring_group *g = (struct ring_group *)group;
	struct tree_node *at = ring_at(g, ring_key(g, key));

	*full = false;
	if (!at)
		return NULL;
	if (group->proxy->set.hash_affinity == HASH_AFFINITY_ALWAYS)
		return ring_bounded(g, at)->server;
	return ring_with_room(g, at)->server;
}

const struct lb_algo lb_ring = {
	.create = ring_create,
	.free = ring_free,
	.join = ring_join,
	.leave = ring_leave,
	.reweigh = ring_reweigh,
	.moved = ring_moved,
	.pick = ring_pick,
};
