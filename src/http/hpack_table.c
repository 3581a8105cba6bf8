/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dynamic table of HPACK. It holds at most its limit, and moves its bytes together at most once
 * for each time that a gap as large as all overheads has been filled.
 */
#include "http/hpack_table.h"

#include "base/bug.h"
#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_ROOM = 256, FIRST_PLACES = 8 };

const struct hpack_static hpack_statics[HPACK_STATICS + 1] = {
	{ { "", 0 }, { "", 0 }, 0 },
#define HPACK(id, name, value) { { name, sizeof(name) - 1 }, { value, sizeof(value) - 1 }, id },
#include "http/hpack_static.def"
#undef HPACK
};

void hpack_table_init(struct hpack_table *table, uint32_t most)
{
	*table = (struct hpack_table){ .limit = most, .most = most };
}

void hpack_table_free(struct hpack_table *table)
{
	uint32_t limit = table->limit;

	free(table->bytes);
	free(table->entries);
	hpack_table_init(table, table->most);
	table->limit = limit;
}

static uint32_t entry_len(const struct hpack_entry *e)
{
	return e->name_len + e->value_len;
}

bool hpack_table_get(const struct hpack_table *t, uint32_t index, struct field *f)
{
	const struct hpack_entry *e;

	*f = (struct field){ 0 };
	if (index - 1 < HPACK_STATICS) {
		f->name = hpack_statics[index].name;
		f->value = hpack_statics[index].value;
		f->id = hpack_statics[index].id;
		return true;
	}
	index -= HPACK_STATICS + 1;
	if (index >= t->count)
		return false;
	e = &t->entries[(t->first + t->count - 1 - index) & (t->places - 1)];
	f->name = (struct span){ t->bytes + (e->at - t->base), e->name_len };
	f->value = (struct span){ f->name.ptr + e->name_len, e->value_len };
	f->id = e->id;
	return true;
}

/* The oldest go until so many bytes are free. */
static void evict(struct hpack_table *t, uint32_t wanted)
{
	while (t->count && t->size + wanted > t->limit) {
		t->size -= entry_len(&t->entries[t->first]) + HPACK_OVERHEAD;
		t->first = (t->first + 1) & (t->places - 1);
		t->count--;
	}
}

static bool more_places(struct hpack_table *t)
{
	uint32_t places = t->places ? 2 * t->places : FIRST_PLACES, i;
	struct hpack_entry *entries = memory_take(places * sizeof(*entries));

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
static bool more_bytes(struct hpack_table *t, uint32_t len)
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

void hpack_table_resize(struct hpack_table *t, uint32_t limit)
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

bool hpack_table_add(struct hpack_table *t, const struct field *f)
{
	uint64_t size = (uint64_t)f->name.len + f->value.len + HPACK_OVERHEAD;
	uint32_t len = (uint32_t)size - HPACK_OVERHEAD;
	struct hpack_entry *e;

	evict(t, size > t->limit ? t->limit + 1 : (uint32_t)size);
	if (size > t->limit)
		return true;
	if (t->count == t->places && !more_places(t))
		return false;
	if ((!t->bytes || t->end - t->base + len > t->room) && !more_bytes(t, len))
		return false;
	e = &t->entries[(t->first + t->count++) & (t->places - 1)];
	*e = (struct hpack_entry){ t->end, (uint32_t)f->name.len, (uint32_t)f->value.len, f->id };
	memcpy(t->bytes + (t->end - t->base), f->name.ptr, f->name.len);
	memcpy(t->bytes + (t->end - t->base) + f->name.len, f->value.ptr, f->value.len);
	t->end += len;
	t->size += (uint32_t)size;
	return true;
}
