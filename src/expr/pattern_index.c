/* SPDX-License-Identifier: BSD-2-Clause */
/* Linear hashing: buckets are chains of nodes, and each key that is added splits at most one
 * bucket, so that the table grows with its keys and never moves all of them at once. Equal keys are
 * a ring, of which the bucket has the first. */
#include "expr/pattern_index.h"

#include "base/arena.h"
#include "base/bug.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { SEGMENT = 512, FIRST = 8 }; /* buckets of a segment; the first segment begins with fewer */

static uint64_t index_seed; /* keys may be a client's: which of them meet in a bucket is not known
			     * to it */

static uint64_t index_hash(const void *key, size_t size, size_t length)
{
	return XXH3_64bits_withSeed(key, size, index_seed ^ length);
}

static struct index_node **index_bucket(const struct pattern_index *index, uint64_t hash)
{
	size_t at = hash & index->mask;

	if (at >= index->buckets)
		at &= index->mask >> 1;
	return &index->segments[at / SEGMENT][at % SEGMENT];
}

/* -- memory ----------------------------------------------------------------------------------- */

static void *index_memory(const struct pattern_index *index, void *old, size_t had, size_t size)
{
	char *made;

	if (!index->arena) {
		made = realloc(old, size);
		if (made)
			memset(made + had, 0, size - had);
		return made;
	}
	made = arena_alloc(index->arena, size);
	if (had)
		memcpy(made, old, had);
	return made;
}

static bool index_begin(struct pattern_index *index)
{
	if (!index_seed && getrandom(&index_seed, sizeof(index_seed), GRND_NONBLOCK) < 0)
		index_seed = (uintptr_t)index; /* as good as the address space is random */
	if (!index->segments)
		index->segments = index_memory(index, NULL, 0, sizeof(*index->segments));
	if (!index->segments)
		return false;
	index->segments[0] = index_memory(index, NULL, 0, FIRST * sizeof(**index->segments));
	if (!index->segments[0])
		return false;
	index->capacity = index->buckets = FIRST;
	index->mask = FIRST - 1;
	return true;
}

/* The first segment doubles; then another comes, and the list of them doubles. */
static bool index_more_buckets(struct pattern_index *index)
{
	size_t n = index->capacity / SEGMENT, size = n * sizeof(*index->segments);
	struct index_node ***segments = index->segments, **segment;

	if (index->capacity < SEGMENT) {
		size = index->capacity * sizeof(*segment);
		segment = index_memory(index, segments[0], size, 2 * size);
		if (!segment)
			return false;
		segments[0] = segment;
		index->capacity *= 2;
		return true;
	}
	if (!(n & (n - 1))) {
		segments = index_memory(index, segments, size, 2 * size);
		if (!segments)
			return false;
		index->segments = segments;
	}
	segments[n] = index_memory(index, NULL, 0, SEGMENT * sizeof(*segment));
	if (!segments[n])
		return false;
	index->capacity += SEGMENT;
	return true;
}

/* One bucket more takes its keys from the one that had them so far. Without memory the chains get
 * longer instead. */
static void index_split(struct pattern_index *index)
{
	struct index_node **from, **to, *node;
	size_t fresh = index->buckets;

	if (fresh == index->capacity && !index_more_buckets(index))
		return;
	if (fresh > index->mask)
		index->mask = 2 * index->mask + 1;
	index->buckets++;
	from = index_bucket(index, fresh & index->mask >> 1);
	to = &index->segments[fresh / SEGMENT][fresh % SEGMENT];
	while ((node = *from)) {
		if ((node->hash & index->mask) != fresh) {
			from = &node->next;
			continue;
		}
		*from = node->next;
		node->next = *to;
		*to = node;
	}
}

/* -- lengths ---------------------------------------------------------------------------------- */

/* Where the length stands, or would. */
static size_t index_length_at(const struct pattern_index *index, size_t length)
{
	size_t low = 0, high = index->length_count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (index->lengths[middle] > length)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool index_more_lengths(struct pattern_index *index)
{
	size_t had = index->length_room * sizeof(size_t), size = had ? 2 * had : 8 * sizeof(size_t);
	size_t *lengths = index_memory(index, index->lengths, had, size), *uses;

	if (!lengths)
		return false;
	index->lengths = lengths;
	uses = index_memory(index, index->uses, had, size);
	if (!uses)
		return false;
	index->uses = uses;
	index->length_room = size / sizeof(size_t);
	return true;
}

static bool index_note_length(struct pattern_index *index, size_t length)
{
	size_t at = index_length_at(index, length), count = index->length_count, behind = count - at;

	if (at < count && index->lengths[at] == length) {
		index->uses[at]++;
		return true;
	}
	if (count == index->length_room && !index_more_lengths(index))
		return false;
	memmove(index->lengths + at + 1, index->lengths + at, behind * sizeof(*index->lengths));
	memmove(index->uses + at + 1, index->uses + at, behind * sizeof(*index->uses));
	index->lengths[at] = length;
	index->uses[at] = 1;
	index->length_count++;
	return true;
}

static void index_forget_length(struct pattern_index *index, size_t length)
{
	size_t at = index_length_at(index, length), behind = index->length_count - at - 1;

	if (--index->uses[at])
		return;
	memmove(index->lengths + at, index->lengths + at + 1, behind * sizeof(*index->lengths));
	memmove(index->uses + at, index->uses + at + 1, behind * sizeof(*index->uses));
	index->length_count--;
}

/* -- nodes ------------------------------------------------------------------------------------ */

static inline struct index_node *index_look(const struct pattern_index *index,
					    const struct index_node *wanted)
{
	struct index_node *node = *index_bucket(index, wanted->hash);

	while (node && (node->hash != wanted->hash || node->shape != wanted->shape ||
			memcmp(node->key, wanted->key, wanted->size) != 0))
		node = node->next;
	return node;
}

struct index_node *index_find(const struct pattern_index *index, const void *key, size_t size,
			      size_t length)
{
	struct index_node wanted;

	index_set_key(&wanted, key, size, length);
	wanted.hash = index_hash(key, size, length);
	return index_look(index, &wanted);
}

/* The ring's last is in front of its first. */
static void ring_append(struct index_node *first, struct index_node *node)
{
	node->same_next = first;
	node->same_prev = first->same_prev;
	first->same_prev->same_next = node;
	first->same_prev = node;
}

bool index_add(struct pattern_index *index, struct index_node *node)
{
	struct index_node *first, **bucket;

	if ((!index->buckets && !index_begin(index)) || !index_note_length(index, node->length))
		return false;
	node->hash = index_hash(node->key, node->size, node->length);
	node->same_next = node->same_prev = node;
	index->used++;
	first = index_look(index, node);
	if (first) {
		ring_append(first, node);
		return true;
	}
	bucket = index_bucket(index, node->hash);
	node->next = *bucket;
	*bucket = node;
	if (++index->keys * 4 > index->buckets * 3)
		index_split(index);
	return true;
}

void index_remove(struct pattern_index *index, struct index_node *node)
{
	struct index_node **at = index_bucket(index, node->hash), *heir = node->same_next;

	while (*at && *at != node)
		at = &(*at)->next;
	if (*at && heir != node) {
		heir->next = node->next;
		*at = heir;
	} else if (*at) {
		*at = node->next;
		index->keys--;
	}
	node->same_prev->same_next = node->same_next;
	node->same_next->same_prev = node->same_prev;
	index->used--;
	index_forget_length(index, node->length);
}

bool index_free(struct pattern_index *index, unsigned most)
{
	size_t n = (index->capacity + SEGMENT - 1) / SEGMENT;

	for (; n && most; n--, most--) {
		if (!index->arena)
			free(index->segments[n - 1]);
		index->capacity = (n - 1) * SEGMENT;
	}
	if (n)
		return false;
	if (!index->arena) {
		free(index->segments);
		free(index->lengths);
		free(index->uses);
	}
	*index = (struct pattern_index){ .arena = index->arena };
	return true;
}
