/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of bandwidth (filter bwlim-in, bwlim-out): how many bytes of a direction pass in a period,
 * of each stream for which a rule has set one, or of all streams with the same key together. */
#ifndef FILTER_LIMIT_H
#define FILTER_LIMIT_H

#include "base/kind.h"
#include "base/str.h"
#include "config/config.h"

struct expr;
struct expr_arg;
struct filter_kind;
struct filter_line;
struct filters;
struct proxy;

/* The data of a line. */
struct limit_line {
	size_t bytes;            /* the limit */
	unsigned period_ms;      /* 0: shared, the table has the period */
	size_t least;            /* min-size; 0: none */
	struct expr *key;        /* NULL: each stream has a limit of its own */
	struct expr_arg *table;  /* with key */
	KIND_MEMBER
};

/* The proxy's of this name, of either direction; NULL: there is none. */
const struct filter_line *limit_find(const struct proxy *px, const char *name);
/* It holds for the stream from now on: bytes a period of so many ms; 0: the line's defaults. Not of
 * a line with a key. */
void limit_set(struct filters *set, const struct filter_line *line, size_t bytes,
	       unsigned period_ms);
/* The same of a line with a key: for all streams with that one. Without room in the table nothing
 * happens. */
void limit_set_shared(struct filters *set, const struct filter_line *line, struct span key);

/* Behind "filter bwlim-in" and "bwlim-out": limit_words.c. */
int limit_parse(struct statement *st, struct proxy *px, struct filter_line *line);

extern const struct filter_kind limit_in_filter, limit_out_filter;
extern const struct module limit_module; /* limit_words.c */

#endif
