/* SPDX-License-Identifier: BSD-2-Clause */
/* Ordered trees whose nodes live inside the objects. Equal keys keep the order in which they
 * came. Every operation takes O(log n) steps. */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/bug.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_node {
	struct tree_node *parent, *child[2]; /* child[0]: smaller keys */
	uint64_t key;                        /* not to be written while others are in its tree */
	unsigned height;                     /* of the subtree; 0: in no tree */
};

/* Zeroed: empty. */
struct tree {
	struct tree_node *root;
};

static inline bool tree_empty(const struct tree *tree)
{
	return !tree->root;
}

/* Is the (once zeroed) node in a tree? */
static inline bool tree_has(const struct tree_node *node)
{
	return node->height > 0;
}

/* Adds the node, behind those of the same key. It must be in no tree. */
void tree_insert(struct tree *tree, struct tree_node *node, uint64_t key);
/* Takes it out, if it is in one. */
void tree_remove(struct tree *tree, struct tree_node *node);
/* The node of the lowest key; NULL: the tree is empty. */
struct tree_node *tree_first(const struct tree *tree);
struct tree_node *tree_last(const struct tree *tree); /* the same of the highest */
/* The one behind; NULL: it is the last. */
struct tree_node *tree_next(const struct tree_node *node);
struct tree_node *tree_prev(const struct tree_node *node); /* before */
/* The first whose key is at least key; NULL: there is none. */
struct tree_node *tree_at_least(const struct tree *tree, uint64_t key);

#define tree_entry(ptr, type, member) container_of(ptr, type, member)

#endif
