/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as blocks of HPACK, several on one table. The first byte of a block is its length, the
 * byte before that how much memory there is. The table stays within its limit and is what its
 * entries come to; a field that was read lies in the memory or is a constant; a list that was read
 * and is written reads the same.
 */
#include "http/hpack_table.h"

#include "base/bug.h"
#include "http/chars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { FIELDS = 32, ROOM = 2048 };

static struct field fields[FIELDS], again[FIELDS];
static char memory[ROOM], more[2 * ROOM], block[4 * ROOM];

static void check_table(const struct field_table *t)
{
	uint64_t size = 0;
	struct field f;
	uint32_t i;

	BUG_ON(t->limit > t->most || t->size > t->limit || t->room > t->most);
	for (i = 0; i < t->count; i++) {
		BUG_ON(!hpack_table_get(t, HPACK_STATICS + 1 + i, &f));
		BUG_ON(f.name.ptr < t->bytes);
		BUG_ON(f.value.ptr + f.value.len > t->bytes + t->room);
		size += f.name.len + f.value.len + FIELD_OVERHEAD;
	}
	BUG_ON(size != t->size);
	BUG_ON(hpack_table_get(t, HPACK_STATICS + 1 + t->count, &f));
}

static bool is_static(const struct field *f)
{
	unsigned i;

	for (i = 1; i <= HPACK_STATICS; i++)
		if (f->name.ptr == hpack_statics[i].name.ptr)
			return true;
	return false;
}

static void check_list(const struct hpack_fields *list)
{
	unsigned i;

	BUG_ON(list->used > list->room || list->count > list->max);
	for (i = 0; i < list->count; i++) {
		const struct field *f = &list->fields[i];

		BUG_ON(!is_static(f) && (f->name.ptr < memory ||
					 f->name.ptr + f->name.len > memory + list->used));
		if (f->name.len && f->name.ptr[0] != ':')
			BUG_ON(f->id != field_id(f->name));
		else
			BUG_ON(f->name.len && f->id < FIELD_IDS);
	}
}

static bool same(const struct field *a, const struct field *b)
{
	size_t i;

	if (a->name.len != b->name.len || !span_equal(a->value, b->value))
		return false;
	for (i = 0; i < a->name.len; i++)
		if (char_lower(a->name.ptr[i]) != b->name.ptr[i])
			return false;
	return true;
}

static void write_again(const struct hpack_fields *list)
{
	struct hpack_writer w = { block, block + sizeof(block), false };
	struct hpack_fields to = { .fields = again, .max = FIELDS, .memory = more,
				   .room = sizeof(more), .limit = UINT64_MAX };
	struct field_table none;
	unsigned i;

	field_table_init(&none, 0);
	for (i = 0; i < list->count; i++) {
		const struct field *f = &list->fields[i];

		if (f->id > FIELD_IDS && f->id < PSEUDO_OTHER && f->id != PSEUDO_STATUS)
			hpack_write_pseudo(&w, f->id, f->value);
		else
			hpack_write_field(&w, f->id == PSEUDO_OTHER ? FIELD_OTHER : f->id, f->name,
					  f->value);
	}
	BUG_ON(w.full);
	BUG_ON(hpack_read(&none, (struct span){ block, (size_t)(w.at - block) }, &to) != HPACK_OK);
	BUG_ON(to.count != list->count);
	for (i = 0; i < list->count; i++)
		BUG_ON(!same(&list->fields[i], &again[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct field_table table;
	enum hpack_result result = HPACK_OK;

	field_table_init(&table, 512);
	while (len >= 2 && result != HPACK_BAD) {
		struct hpack_fields list = { .fields = fields, .max = FIELDS, .memory = memory,
					     .room = data[0] * 8u, .limit = 1024 };
		size_t n = data[1] < len - 2 ? data[1] : len - 2;

		result = hpack_read(&table, (struct span){ (const char *)data + 2, n }, &list);
		check_table(&table);
		if (result == HPACK_OK) {
			check_list(&list);
			write_again(&list);
		}
		data += 2 + n;
		len -= 2 + n;
	}
	field_table_free(&table);
	return 0;
}
