/* SPDX-License-Identifier: BSD-2-Clause */
/* A dynamic table of fields (RFC 7541 2.3.2): entries come at one end and go at the other. HPACK
 * has its own numbers for them, behind those of its static table (http/hpack_table.h); the table
 * counts by age. Pure. */
#ifndef HTTP_FIELD_TABLE_H
#define HTTP_FIELD_TABLE_H

#include "http/message.h"

#include <stdbool.h>
#include <stdint.h>

enum { FIELD_OVERHEAD = 32 }; /* that each entry is charged beside its bytes (4.1) */

struct field_entry {
	uint32_t at; /* running offset of its name; its value follows */
	uint32_t name_len, value_len;
	uint8_t id;
};

/* It takes no memory before its first entry, and at most twice its limit. */
struct field_table {
	char *bytes;                 /* of the entries, oldest first, without gaps */
	struct field_entry *entries; /* a ring */
	uint32_t room;               /* of bytes */
	uint32_t places;             /* of entries: a power of two, or 0 */
	uint32_t first, count;       /* the oldest; how many */
	uint32_t base, end;          /* running offsets: of bytes[0]; behind the youngest */
	uint32_t size;               /* as the RFC counts */
	uint32_t limit;              /* in force: at most `most' */
	uint32_t most;               /* SETTINGS_HEADER_TABLE_SIZE of who reads it */
};

/* Empty, with limits of so many bytes. */
void field_table_init(struct field_table *table, uint32_t most);
/* Gives its memory back. It is empty then, with the same limits. */
void field_table_free(struct field_table *table);
/* The entry of an age: 0 is the youngest. Its bytes are the table's, until something is added.
 * False: there is none. */
bool field_table_get(const struct field_table *table, uint32_t age, struct field *f);
/* As the youngest; the oldest go for it. What is larger than the table empties it (4.4). The
 * field's bytes are not the table's. False: no memory. */
bool field_table_add(struct field_table *table, const struct field *f);
/* Another limit, at most table->most (4.3): the oldest go. */
void field_table_resize(struct field_table *table, uint32_t limit);

#endif
