/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of tables: fetches, converters, actions, commands. A table is an array of rows whose first
 * member is their name; its last row has none. A list has the tables of the program, and those that
 * a module adds before words are looked up that it brings. Rows are never copied, and tables never
 * taken out. */
#ifndef BASE_TABLES_H
#define BASE_TABLES_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct err;

enum { TABLES_MAX = 64 }; /* of a list */

struct tables {
	const char *what;               /* "fetch": what errors call a row */
	size_t row_size;                /* bytes */
	const void *table[TABLES_MAX];  /* ended by NULL */
	bool (*yields)(const void *row); /* may another one of the name be added? NULL: never */
};
/* The initializer of a list whose rows are of the type. */
#define TABLES(text, type, ...) \
	{ .what = (text), .row_size = sizeof(type), .table = { __VA_ARGS__ } }

/* Puts a table behind the others. 0; or -1 and err: one of its names is there already, or twice in
 * it, or there is no room. Nothing is added then. */
int tables_add(struct tables *tables, const void *table, struct err *err);

/* One row after the other; walk starts zeroed. NULL: that was the last. */
struct tables_walk {
	unsigned table;
	size_t row;
};
const void *tables_next(const struct tables *tables, struct tables_walk *walk);
/* The first row of the name; NULL: there is none. */
const void *tables_find(const struct tables *tables, struct span name);
/* The name that is nearest to a misspelt one, by one letter of up to three, else by two; NULL: none
 * is so near. */
const char *tables_nearest(const struct tables *tables, struct span name);

#endif
