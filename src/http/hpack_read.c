/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads blocks of HPACK. What a peer can make this cost is bounded: the bytes of a field are copied
 * once, into memory that the caller has measured out, and once more where the table keeps them. A
 * list of fields that is too large is read to its end, for the table must follow; no field of it is
 * kept.
 */
#include "http/hpack_table.h"

#include "base/bug.h"
#include "http/huffman.h"
#include "http/prefixed.h"

struct reader {
	const uint8_t *at, *end;
	struct field_table *table;
	struct hpack_fields *to;
	size_t base; /* of what was used of the memory before */
	bool large;
};

/* HPACK_LARGE: not enough room for it. */
static enum hpack_result keep(struct reader *r, struct span from, struct span *s)
{
	struct hpack_fields *to = r->to;

	if (from.len > to->room - to->used)
		return HPACK_LARGE;
	*s = (struct span){ to->memory + to->used, from.len };
	if (from.len)
		memcpy(to->memory + to->used, from.ptr, from.len);
	to->used += from.len;
	return HPACK_OK;
}

static enum hpack_result keep_huffman(struct reader *r, struct span coded, struct span *s)
{
	struct hpack_fields *to = r->to;
	size_t room = to->room - to->used;

	if (!huffman_decode(coded, to->memory + to->used, room, &s->len))
		return room < coded.len * 8 / 5 ? HPACK_LARGE : HPACK_BAD;
	s->ptr = to->memory + to->used;
	to->used += s->len;
	return HPACK_OK;
}

static enum hpack_result read_string(struct reader *r, struct span *s)
{
	struct span coded;
	bool huffman;
	uint32_t len;

	if (r->at == r->end)
		return HPACK_BAD;
	huffman = *r->at & 0x80;
	if (!prefixed_read(&r->at, r->end, 0x7f, &len) || len > (size_t)(r->end - r->at))
		return HPACK_BAD;
	coded = (struct span){ (const char *)r->at, len };
	r->at += len;
	return huffman ? keep_huffman(r, coded, s) : keep(r, coded, s);
}

/* One from a table, whole (6.1). Constants stay where they are. */
static enum hpack_result read_indexed(struct reader *r, struct field *f)
{
	struct span both; /* the value stands behind the name */
	uint32_t index;

	if (!prefixed_read(&r->at, r->end, 0x7f, &index) || !hpack_table_get(r->table, index, f))
		return HPACK_BAD;
	if (index <= HPACK_STATICS)
		return HPACK_OK;
	both = (struct span){ f->name.ptr, f->name.len + f->value.len };
	if (keep(r, both, &both) != HPACK_OK)
		return HPACK_LARGE;
	f->name.ptr = both.ptr;
	f->value.ptr = both.ptr + f->name.len;
	return HPACK_OK;
}

/* A value, and perhaps a name, that are written out (6.2). */
static enum hpack_result read_literal(struct reader *r, uint8_t mask, struct field *f)
{
	enum hpack_result result;
	uint32_t index;

	if (!prefixed_read(&r->at, r->end, mask, &index))
		return HPACK_BAD;
	*f = (struct field){ 0 };
	if (!index) {
		result = read_string(r, &f->name);
		f->id = result == HPACK_OK ? pseudo_or_field_id(f->name) : FIELD_OTHER;
	} else if (!hpack_table_get(r->table, index, f)) {
		result = HPACK_BAD;
	} else {
		result = index > HPACK_STATICS ? keep(r, f->name, &f->name) : HPACK_OK;
	}
	return result == HPACK_OK ? read_string(r, &f->value) : result;
}

static enum hpack_result read_field(struct reader *r, struct field *f)
{
	enum hpack_result result;
	uint8_t first = *r->at;

	if (first & 0x80)
		return read_indexed(r, f);
	if (!(first & 0x40))
		return read_literal(r, 0x0f, f);
	result = read_literal(r, 0x3f, f);
	if (result == HPACK_OK && !field_table_add(r->table, f))
		return HPACK_NO_MEMORY;
	return result;
}

/* Once a list is too large, one field at a time has all of the memory. */
static void give_up(struct reader *r)
{
	r->large = true;
	r->to->count = 0;
	r->to->used = r->base;
}

/* A few bytes may name what is long, again and again: far above the limit it is not read on. */
static enum hpack_result add_field(struct reader *r, const struct field *f)
{
	struct hpack_fields *to = r->to;

	to->size += f->name.len + f->value.len + FIELD_OVERHEAD;
	if (r->large || to->count == to->max || to->size > to->limit)
		give_up(r);
	else
		to->fields[to->count++] = *f;
	return to->size / HPACK_FAR > to->limit ? HPACK_BOMB : HPACK_OK;
}

/* What does not fit behind the others is tried once more without them. */
static enum hpack_result read_next(struct reader *r)
{
	const uint8_t *at = r->at;
	enum hpack_result result;
	struct field f;

	result = read_field(r, &f);
	if (unlikely(result == HPACK_LARGE && !r->large)) {
		give_up(r);
		r->at = at;
		result = read_field(r, &f);
	}
	if (likely(result == HPACK_OK))
		return add_field(r, &f);
	return result == HPACK_LARGE ? HPACK_BAD : result;
}

/* Changes of the table's limit stand in front: the least, and the last (4.2). */
static bool read_sizes(struct reader *r)
{
	unsigned left = 2;
	uint32_t limit;

	while (r->at < r->end && (*r->at & 0xe0) == 0x20) {
		if (!left-- || !prefixed_read(&r->at, r->end, 0x1f, &limit) || limit > r->table->most)
			return false;
		field_table_resize(r->table, limit);
	}
	return true;
}

enum hpack_result hpack_read(struct field_table *table, struct span block, struct hpack_fields *to)
{
	struct reader r = { .at = (const uint8_t *)block.ptr, .table = table, .to = to,
			    .base = to->used };
	enum hpack_result result = HPACK_OK;

	r.end = r.at + block.len;
	if (!read_sizes(&r))
		return HPACK_BAD;
	while (r.at < r.end && result == HPACK_OK)
		result = (*r.at & 0xe0) == 0x20 ? HPACK_BAD : read_next(&r);
	return result == HPACK_OK && r.large ? HPACK_LARGE : result;
}
