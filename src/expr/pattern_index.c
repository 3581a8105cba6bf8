/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table with open addressing whose memory comes from the configuration's arena. It
 * only grows; what it leaves behind when it does is at most as large as itself. */
#include "expr/pattern_index.h"

#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct index_entry *index_slot(const struct pattern_index *index, const void *key,
				      size_t size, size_t length)
{
	size_t mask = index->room - 1, at = XXH3_64bits_withSeed(key, size, length) & mask;
	struct index_entry *e;

	for (;; at = (at + 1) & mask) {
		e = &index->entries[at];
		if (!e->pattern || (e->length == length && e->size == size &&
				    memcmp(e->key, key, size) == 0))
			return e;
	}
}

static void index_grow(struct pattern_index *index, struct arena *arena)
{
	struct pattern_index old = *index;
	size_t i;

	index->room = old.room ? old.room * 2 : 8;
	index->entries = arena_alloc(arena, index->room * sizeof(*index->entries));
	for (i = 0; i < old.room; i++) {
		const struct index_entry *e = &old.entries[i];

		if (e->pattern)
			*index_slot(index, e->key, e->size, e->length) = *e;
	}
}

static void index_note_length(struct pattern_index *index, struct arena *arena, size_t length)
{
	size_t at = 0, *grown;

	while (at < index->length_count && index->lengths[at] > length)
		at++;
	if (at < index->length_count && index->lengths[at] == length)
		return;
	if (index->length_count == index->length_room) {
		index->length_room = index->length_room ? index->length_room * 2 : 8;
		grown = arena_alloc(arena, index->length_room * sizeof(*grown));
		if (index->length_count)
			memcpy(grown, index->lengths, index->length_count * sizeof(*grown));
		index->lengths = grown;
	}
	memmove(index->lengths + at + 1, index->lengths + at,
		(index->length_count - at) * sizeof(*index->lengths));
	index->lengths[at] = length;
	index->length_count++;
}

bool index_add(struct pattern_index *index, struct arena *arena, const void *key, size_t size,
	       size_t length, const struct pattern *pattern)
{
	struct index_entry *e;

	if (index->used * 2 >= index->room)
		index_grow(index, arena);
	e = index_slot(index, key, size, length);
	if (e->pattern)
		return false;
	*e = (struct index_entry){ key, size, length, pattern };
	index->used++;
	index_note_length(index, arena, length);
	return true;
}

const struct pattern *index_find(const struct pattern_index *index, const void *key, size_t size,
				 size_t length)
{
	return index->used ? index_slot(index, key, size, length)->pattern : NULL;
}
