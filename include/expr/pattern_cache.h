/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of lookups among patterns that must be walked one after the other: regular expressions,
 * parts of strings. For patterns.c, where a walk costs more than a look here. */
#ifndef EXPR_PATTERN_CACHE_H
#define EXPR_PATTERN_CACHE_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct pattern;

enum { PATTERN_CACHE_SIZE = 10000, /* entries, unless tune.pattern.cache-size says otherwise */
       PATTERN_CACHE_TEXT = 216 }; /* longer samples are not kept */

/* So many results of this process; 0: none. What was kept is forgotten; the memory is taken with
 * the first result. */
void pattern_cache_resize(unsigned entries);
/* A number that no table of patterns had before, for one that was made or changed. */
uint64_t pattern_cache_stamp(void);
/* What was found, NULL for nothing, into *found. False: it is not known. */
bool pattern_cache_find(uint64_t stamp, struct span text, const struct pattern **found);
/* Keeps it. After pattern_cache_find has said false. */
void pattern_cache_keep(uint64_t stamp, struct span text, const struct pattern *found);

#endif
