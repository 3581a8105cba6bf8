/* SPDX-License-Identifier: BSD-2-Clause */
/* The static table of HPACK, and the numbers of entries of both tables, for the files that read and
 * write it. */
#ifndef HTTP_HPACK_TABLE_H
#define HTTP_HPACK_TABLE_H

#include "http/field_table.h"
#include "http/hpack.h"

enum { HPACK_STATICS = 61 };

/* From 1 on. */
struct hpack_static {
	struct span name, value;
	uint8_t id;
};
extern const struct hpack_static hpack_statics[HPACK_STATICS + 1];

/* The entry of an index (RFC 7541 2.3.3). Its bytes are constants, or the table's, until something
 * is added to it. False: there is none. */
bool hpack_table_get(const struct field_table *t, uint32_t index, struct field *f);

#endif
