/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dynamic table of fields. It holds at most its limit, and moves its bytes together at most once
 * for each time that a gap as large as all overheads has been filled.
 */
#include "http/field_table.h"

#include "base/bug.h"
#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256, FIRST_PLACES = 8 };

void field_table_init(struct field_table *table, uint32_t most)
{
	*table = (struct field_table){ .limit = most, .most = most };
}

void field_table_free(struct field_table *table)
{
	uint32_t limit = table->limit;

	free(table->bytes);
	free(table->entries);
	field_table_init(table, table->most);
	table->limit = limit;
}

static uint32_t entry_len(const struct field_entry *e)
{
	return e->name_len + e->value_len;
}

bool field_table_get(const struct field_table *t, uint32_t age, struct field *f)
{
	const struct field_entry *e;

	*f = (struct field){ 0 };
	if (age >= t->count)
		return false;
	e = &t->entries[(t->first + t->count - 1 - age) & (t->places - 1)];
	f->name = (struct span){ t->bytes + (e->at - t->base), e->name_len };
	f->value = (struct span){ f->name.ptr + e->name_len, e->value_len };
	f->id = e->id;
	return true;
}

/* The oldest go until so many bytes are free. */
static void evict(struct field_table *t, uint32_t wanted)
{
	while (t->count && t->size + wanted > t->limit) {
		t->size -= entry_len(&t->entries[t->first]) + FIELD_OVERHEAD;
		t->first = (t->first + 1) & (t->places - 1);
		t->count--;
	}
}

static bool more_places(struct field_table *t)
{
	uint32_t places = t->places ? 2 * t->places : FIRST_PLACES, i;
	struct field_entry *entries = memory_take(places * sizeof(*entries));

	if (!entries)
		return false;
	for (i = 0; i < t->count; i++)
		entries[i] = t->entries[(t->first + i) & (t->places - 1)];
	free(t->entries);
	t->entries = entries;
	t->places = places;
	t->first = 0;
	return true;
}

/* Room for so many bytes behind the last: those that are there move to the front, of a larger piece
 * if it takes one. */
static bool more_bytes(struct field_table *t, uint32_t len)
{
	uint32_t from = t->count ? t->entries[t->first].at : t->end, used = t->end - from;
	uint32_t room = t->room ? t->room : FIRST_ROOM;
	char *bytes = t->bytes;

	while (room < t->limit && room / 2 < used + len)
		room *= 2;
	if (room > t->limit)
		room = t->limit;
	if (room > t->room) {
		bytes = memory_take(room);
		if (!bytes)
			return false;
		t->room = room;
	}
	if (used)
		memmove(bytes, t->bytes + (from - t->base), used);
	if (bytes != t->bytes)
		free(t->bytes);
	t->bytes = bytes;
	t->base = from;
	return true;
}

void field_table_resize(struct field_table *t, uint32_t limit)
{
	t->limit = limit;
	evict(t, 0);
	if (!t->count) {
		free(t->bytes);
		free(t->entries);
		t->bytes = NULL;
		t->entries = NULL;
		t->room = t->places = t->first = 0;
		t->base = t->end;
	}
}

bool field_table_add(struct field_table *t, const struct field *f)
{
	uint64_t size = (uint64_t)f->name.len + f->value.len + FIELD_OVERHEAD;
	uint32_t len = (uint32_t)size - FIELD_OVERHEAD;
	struct field_entry *e;

	evict(t, size > t->limit ? t->limit + 1 : (uint32_t)size);
	if (size > t->limit)
		return true;
	if (t->count == t->places && !more_places(t))
		return false;
	if ((!t->bytes || t->end - t->base + len > t->room) && !more_bytes(t, len))
		return false;
	e = &t->entries[(t->first + t->count++) & (t->places - 1)];
	*e = (struct field_entry){ t->end, (uint32_t)f->name.len, (uint32_t)f->value.len, f->id };
	memcpy(t->bytes + (t->end - t->base), f->name.ptr, f->name.len);
	memcpy(t->bytes + (t->end - t->base) + f->name.len, f->value.ptr, f->value.len);
	t->end += len;
	t->size += (uint32_t)size;
	return true;
}
