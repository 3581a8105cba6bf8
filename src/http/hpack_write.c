/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes fields in HPACK: names by the static table, values as they are. Nothing enters the
 * reader's table, so nothing that one client sends can be guessed from the size of what another
 * receives (RFC 7541 7.1), and connections of many streams share no state. The Huffman code would
 * save a third of the bytes of values, and cost more than copying them.
 */
#include "http/hpack_table.h"

#include "base/bug.h"
#include "http/chars.h"
#include "http/prefixed.h"

enum { NAME_MASK = 0x0f };

/* The first entry of the static table with a name; 0: none has it. */
static uint8_t static_of[PSEUDO_OTHER + 1];
static bool ready;

static void make_table(void)
{
	unsigned i;

	for (i = HPACK_STATICS; i; i--)
		if (hpack_statics[i].id != FIELD_OTHER)
			static_of[hpack_statics[i].id] = (uint8_t)i;
	ready = true;
}

static bool has_room(struct hpack_writer *w, size_t len)
{
	if ((size_t)(w->end - w->at) < len)
		w->full = true;
	return !w->full;
}

static void write_int(struct hpack_writer *w, uint8_t pattern, uint8_t mask, size_t value)
{
	if (has_room(w, PREFIXED_LEN))
		w->at = prefixed_write(w->at, pattern, mask, value);
}

static void write_value(struct hpack_writer *w, struct span s)
{
	write_int(w, 0, 0x7f, s.len);
	if (!has_room(w, s.len) || !s.len)
		return;
	memcpy(w->at, s.ptr, s.len);
	w->at += s.len;
}

static void write_name(struct hpack_writer *w, struct span name)
{
	size_t i;

	write_int(w, 0, NAME_MASK, 0);
	write_int(w, 0, 0x7f, name.len);
	if (!has_room(w, name.len))
		return;
	for (i = 0; i < name.len; i++)
		*w->at++ = char_lower(name.ptr[i]);
}

void hpack_write_field(struct hpack_writer *w, enum field_id id, struct span name, struct span value)
{
	if (unlikely(!ready))
		make_table();
	if (id != FIELD_OTHER && static_of[id])
		write_int(w, 0, NAME_MASK, static_of[id]);
	else
		write_name(w, name);
	write_value(w, value);
}

void hpack_write_pseudo(struct hpack_writer *w, enum pseudo_id id, struct span value)
{
	unsigned i;

	if (unlikely(!ready))
		make_table();
	for (i = static_of[id]; i && hpack_statics[i].id == id; i++)
		if (span_equal(hpack_statics[i].value, value)) {
			write_int(w, 0x80, 0x7f, i);
			return;
		}
	hpack_write_field(w, (enum field_id)id, span_of(":protocol"), value);
}

void hpack_write_status(struct hpack_writer *w, unsigned status)
{
	char text[3] = { (char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10),
			 (char)('0' + status % 10) };

	hpack_write_pseudo(w, PSEUDO_STATUS, (struct span){ text, sizeof(text) });
}
