/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of exchanges: what a feature keeps of a request and its response (base/part.h). A kind is
 * an object of the file that owns it, and stands in a list in src/modules.c. An exchange has one
 * pointer for all of them, which is NULL until the first part is asked for. What is made lies in the
 * memory of the exchange and goes with it: the next exchange has none. Nothing is handed on, nothing
 * freed.
 */
#ifndef EXCHANGE_EXCHANGE_PART_H
#define EXCHANGE_EXCHANGE_PART_H

#include "base/part.h"
#include "exchange/exchange.h"

/* How many kinds there may be, and one more. */
enum { EXCHANGE_PARTS_PLACES = 8 };

struct exchange_parts {
	void *places[EXCHANGE_PARTS_PLACES];
	uint32_t own;
};

struct exchange_part {
	struct part_kind kind;
};

/* All of them, ended by NULL: src/modules.c. */
extern struct exchange_part *const exchange_part_list[];
/* Called by main, before a configuration is read: all get their places. */
void exchange_parts_install(struct exchange_part *const *parts);

extern struct part_table exchange_table;

/* Initializer of kind. */
#define EXCHANGE_PART(name_, type_)                                                        \
	.kind.name = (name_), .kind.table = &exchange_table, .kind.size = sizeof(type_),   \
	.kind.at = offsetof(struct exchange_parts, places)

/* NULL: the exchange has none, as nearly all. */
static inline void *exchange_part(const struct exchange *x, const struct exchange_part *part)
{
	return unlikely(x->parts != NULL) ? part_of(x->parts, &part->kind) : NULL;
}

/* The exchange's, made if it has none: zeroed. NULL: no memory, which the exchange's arena
 * remembers (base/arena.h). */
void *exchange_part_make(struct exchange *x, struct exchange_part *part);

#endif
