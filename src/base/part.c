/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts get their places, and objects their parts. Called by the headers of the objects that have
 * parts, for modules; knows neither. */
#include "base/part.h"

#include "base/arena.h"
#include "base/bug.h"

#include <string.h>

void part_place(struct part_kind *kind)
{
	struct part_table *table = kind->table;

	if (kind->place)
		return;
	BUG_ON(table->used + 1 >= table->places || table->places > PART_PLACES_MOST);
	kind->place = (uint8_t)++table->used;
	kind->at = (uint32_t)(table->at + kind->place * sizeof(void *));
}

static uint32_t *part_own(void *object, const struct part_kind *kind)
{
	return (uint32_t *)(void *)((char *)object + kind->table->own);
}

void part_set(void *object, struct part_kind *kind, void *part)
{
	part_place(kind);
	*(void **)(void *)((char *)object + kind->at) = part;
	*part_own(object, kind) |= 1u << kind->place;
}

void *part_make(void *object, struct part_kind *kind, struct arena *arena)
{
	void *there = part_of(object, kind), *own;

	if (there && *part_own(object, kind) & 1u << kind->place)
		return there;
	own = arena_alloc(arena, kind->size);
	if (!own)
		return NULL;
	if (there && !kind->afresh)
		memcpy(own, there, kind->size);
	else if (kind->init)
		kind->init(own);
	part_set(object, kind, own);
	return own;
}
