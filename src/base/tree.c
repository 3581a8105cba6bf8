/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ordered trees after Adelson-Velsky and Landis: the heights of the two sides of a node differ
 * by one at most, which rotations on the way to the root restore after each change. Never
 * allocates.
 */
#include "base/tree.h"

static unsigned height(const struct tree_node *node)
{
	return node ? node->height : 0;
}

static void update_height(struct tree_node *node)
{
	unsigned a = height(node->child[0]), b = height(node->child[1]);

	node->height = 1 + (a > b ? a : b);
}

/* Puts with (or nothing) into the place of node, below node's parent. */
static void replace(struct tree *tree, struct tree_node *node, struct tree_node *with)
{
	struct tree_node *parent = node->parent;

	if (!parent)
		tree->root = with;
	else
		parent->child[parent->child[1] == node] = with;
	if (with)
		with->parent = parent;
}

static void set_child(struct tree_node *node, int side, struct tree_node *child)
{
	node->child[side] = child;
	if (child)
		child->parent = node;
}

/* The child of the heavier side comes up, node goes down on the other; returns the new top. */
static struct tree_node *rotate(struct tree *tree, struct tree_node *node, int heavy)
{
	struct tree_node *up = node->child[heavy];

	replace(tree, node, up);
	set_child(node, heavy, up->child[!heavy]);
	set_child(up, !heavy, node);
	update_height(node);
	update_height(up);
	return up;
}

static struct tree_node *balance(struct tree *tree, struct tree_node *node)
{
	unsigned low = height(node->child[0]), high = height(node->child[1]);
	int heavy = high > low;
	struct tree_node *child = node->child[heavy];

	if (low <= high + 1 && high <= low + 1) {
		update_height(node);
		return node;
	}
	if (height(child->child[!heavy]) > height(child->child[heavy]))
		rotate(tree, child, !heavy);
	return rotate(tree, node, heavy);
}

/* From node to the root, as far as something changed. */
static void balance_up(struct tree *tree, struct tree_node *node)
{
	unsigned before;

	while (node) {
		before = node->height;
		node = balance(tree, node);
		if (node->height == before)
			return;
		node = node->parent;
	}
}

void tree_insert(struct tree *tree, struct tree_node *node, uint64_t key)
{
	struct tree_node *parent = NULL, *at = tree->root;
	int side = 0;

	BUG_ON(node->height);
	while (at) {
		parent = at;
		side = key >= at->key;
		at = at->child[side];
	}
	*node = (struct tree_node){ .parent = parent, .key = key, .height = 1 };
	if (!parent) {
		tree->root = node;
		return;
	}
	parent->child[side] = node;
	balance_up(tree, parent);
}

/* The node behind, which has no smaller child, takes the place of node. Returns from where on
 * heights have changed. */
static struct tree_node *replace_by_next(struct tree *tree, struct tree_node *node)
{
	struct tree_node *next = tree_next(node), *from = next->parent;

	if (from == node) {
		from = next;
	} else {
		replace(tree, next, next->child[1]);
		set_child(next, 1, node->child[1]);
	}
	set_child(next, 0, node->child[0]);
	next->height = node->height;
	replace(tree, node, next);
	return from;
}

void tree_remove(struct tree *tree, struct tree_node *node)
{
	struct tree_node *from = node->parent;

	if (!node->height)
		return;
	if (node->child[0] && node->child[1])
		from = replace_by_next(tree, node);
	else
		replace(tree, node, node->child[node->child[0] ? 0 : 1]);
	node->height = 0;
	balance_up(tree, from);
}

static struct tree_node *outermost(struct tree_node *node, int side)
{
	while (node && node->child[side])
		node = node->child[side];
	return node;
}

static struct tree_node *neighbour(const struct tree_node *node, int side)
{
	if (node->child[side])
		return outermost(node->child[side], !side);
	while (node->parent && node->parent->child[side] == node)
		node = node->parent;
	return node->parent;
}

struct tree_node *tree_first(const struct tree *tree)
{
	return outermost(tree->root, 0);
}

struct tree_node *tree_last(const struct tree *tree)
{
	return outermost(tree->root, 1);
}

struct tree_node *tree_next(const struct tree_node *node)
{
	return neighbour(node, 1);
}

struct tree_node *tree_prev(const struct tree_node *node)
{
	return neighbour(node, 0);
}

struct tree_node *tree_at_least(const struct tree *tree, uint64_t key)
{
	struct tree_node *at = tree->root, *found = NULL;

	while (at) {
		if (at->key >= key)
			found = at;
		at = at->child[at->key < key];
	}
	return found;
}
