/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of HPACK, for the files that read and write it. */
#ifndef HTTP_HPACK_TABLE_H
#define HTTP_HPACK_TABLE_H

#include "http/hpack.h"

enum { HPACK_STATICS = 61 };

/* From 1 on. */
struct hpack_static {
	struct span name, value;
	uint8_t id;
};
extern const struct hpack_static hpack_statics[HPACK_STATICS + 1];

struct hpack_entry {
	uint32_t at; /* running offset of its name; its value follows */
	uint32_t name_len, value_len;
	uint8_t id;
};

/* The entry of an index (RFC 7541 2.3.3). Its bytes are the table's, until something is added.
 * False: there is none. */
bool hpack_table_get(const struct hpack_table *t, uint32_t index, struct field *f);
/* As the youngest; the oldest go for it. What is larger than the table empties it (4.4). The
 * field's bytes are not the table's. False: no memory. */
bool hpack_table_add(struct hpack_table *t, const struct field *f);
/* Another limit, at most t->most (4.3). */
void hpack_table_resize(struct hpack_table *t, uint32_t limit);

#endif
