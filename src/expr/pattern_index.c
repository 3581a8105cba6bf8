/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table with open addressing whose memory comes from the configuration's arena. Its room
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

static size_t *grow_sizes(const size_t *old, size_t count, size_t room, struct arena *arena)
{
	size_t *grown = arena_alloc(arena, room * sizeof(*grown));

	if (count)
		memcpy(grown, old, count * sizeof(*grown));
	return grown;
}

/* Where the length stands, or would. */
static size_t index_length_at(const struct pattern_index *index, size_t length)
{
	size_t at = 0;

	while (at < index->length_count && index->lengths[at] > length)
		at++;
	return at;
}

static void index_note_length(struct pattern_index *index, struct arena *arena, size_t length)
{
	size_t at = index_length_at(index, length), count = index->length_count, behind = count - at;

	if (at < count && index->lengths[at] == length) {
		index->uses[at]++;
		return;
	}
	if (count == index->length_room) {
		index->length_room = index->length_room ? index->length_room * 2 : 8;
		index->lengths = grow_sizes(index->lengths, count, index->length_room, arena);
		index->uses = grow_sizes(index->uses, count, index->length_room, arena);
	}
	memmove(index->lengths + at + 1, index->lengths + at, behind * sizeof(*index->lengths));
	memmove(index->uses + at + 1, index->uses + at, behind * sizeof(*index->uses));
	index->lengths[at] = length;
	index->uses[at] = 1;
	index->length_count++;
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

/* The entries behind a hole move up, those that a lookup would miss beyond it. */
static void index_close_hole(struct pattern_index *index, size_t hole)
{
	size_t mask = index->room - 1, at, home;
	struct index_entry *e;

	for (at = (hole + 1) & mask; (e = &index->entries[at])->pattern; at = (at + 1) & mask) {
		home = XXH3_64bits_withSeed(e->key, e->size, e->length) & mask;
		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		index->entries[hole] = *e;
		hole = at;
	}
	index->entries[hole] = (struct index_entry){ 0 };
}

bool index_remove(struct pattern_index *index, const void *key, size_t size, size_t length,
		  const struct pattern *pattern)
{
	struct index_entry *e;

	if (!index->used)
		return false;
	e = index_slot(index, key, size, length);
	if (e->pattern != pattern)
		return false;
	index_close_hole(index, (size_t)(e - index->entries));
	index->used--;
	index_forget_length(index, length);
	return true;
}

const struct pattern *index_find(const struct pattern_index *index, const void *key, size_t size,
				 size_t length)
{
	return index->used ? index_slot(index, key, size, length)->pattern : NULL;
}
