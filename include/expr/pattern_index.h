/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds patterns by bytes and length: whole strings, prefixes, suffixes, networks. One table holds
 * keys of all lengths; a lookup asks once for each length that occurs. Nodes lie in what is found:
 * adding takes memory only now and then, never much at once, and no single step is long. */
#ifndef EXPR_PATTERN_INDEX_H
#define EXPR_PATTERN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct index_node {
	struct index_node *next;                   /* of its bucket */
	struct index_node *same_next, *same_prev;  /* a ring of those with an equal key, in order */
	uint64_t hash;
	const void *key;
	union {
		struct {
			uint32_t size;   /* bytes of the key */
			uint32_t length; /* what parts keys: bytes, or bits of a network */
		};
		uint64_t shape;          /* both at once */
	};
};

struct pattern_index {
	struct index_node ***segments; /* of buckets; all but the first have the same size */
	size_t used, keys;             /* nodes; different keys among them */
	size_t buckets, mask;          /* in use; all bits of the next power of two */
	size_t capacity;               /* buckets that the segments have */
	size_t *lengths, *uses;        /* that occur, longest first; how many nodes have each */
	size_t length_count, length_room;
	struct arena *arena;           /* where its memory comes from; NULL: malloc */
};

static inline void index_set_key(struct index_node *node, const void *key, size_t size,
				 size_t length)
{
	node->key = key;
	node->size = (uint32_t)size;
	node->length = (uint32_t)length;
}
/* Enters the node (its key is set) behind those with an equal key. False: out of memory,
 * nothing was changed. */
bool index_add(struct pattern_index *index, struct index_node *node);
/* Takes a node out that is in it. */
void index_remove(struct pattern_index *index, struct index_node *node);
/* The first with this key; NULL: none. The index has nodes: used is not 0. */
struct index_node *index_find(const struct pattern_index *index, const void *key, size_t size,
			      size_t length);
/* Frees what it has itself, at most so many pieces: a wiped index. True: that was all. */
bool index_free(struct pattern_index *index, unsigned most);

#endif
