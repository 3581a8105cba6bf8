/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of bandwidth (filter bwlim-in, bwlim-out): how many bytes of a direction pass in a period,
 * of each stream for which a rule has set one. */
#ifndef FILTER_LIMIT_H
#define FILTER_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct filter;
struct filter_kind;
struct filter_line;
struct filters;
struct proxy;

/* The proxy's of this name, of either direction; NULL: there is none. */
const struct filter_line *limit_find(const struct proxy *px, const char *name);
/* It holds for the stream from now on: bytes a period of so many ms; 0: the line's defaults. */
void limit_set(struct filters *set, const struct filter_line *line, size_t bytes,
	       unsigned period_ms);

extern const struct filter_kind limit_in_filter, limit_out_filter;

#endif
