/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds patterns by bytes and length: whole strings, prefixes, suffixes, networks. One table
 * holds keys of all lengths; a lookup asks once for each length that occurs. */
#ifndef EXPR_PATTERN_INDEX_H
#define EXPR_PATTERN_INDEX_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct pattern;

struct index_entry {
	const void *key;
	size_t size;  /* bytes of the key */
	size_t length; /* what parts keys: bytes, or bits of a network */
	const struct pattern *pattern;
};

struct pattern_index {
	struct index_entry *entries; /* open addressing, a power of two */
	size_t room, used;
	size_t *lengths, *uses;      /* that occur, longest first; how many keys have each */
	size_t length_count, length_room;
};

/* Enters the pattern; false: an equal key is there already, which stays. */
bool index_add(struct pattern_index *index, struct arena *arena, const void *key, size_t size,
	       size_t length, const struct pattern *pattern);
/* Takes the entry of this pattern out. False: the key is not there, or is another pattern's. */
bool index_remove(struct pattern_index *index, const void *key, size_t size, size_t length,
		  const struct pattern *pattern);
/* NULL: none. */
const struct pattern *index_find(const struct pattern_index *index, const void *key, size_t size,
				 size_t length);

#endif
