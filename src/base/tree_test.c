/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree against a sorted array, and its height against the promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/tree.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 500 };

static struct tree_node nodes[NODES];
static const struct tree_node *order[NODES]; /* as the tree should have them */
static int count;

static void model_insert(const struct tree_node *node)
{
	int i = count++;

	while (i > 0 && order[i - 1]->key > node->key) {
		order[i] = order[i - 1];
		i--;
	}
	order[i] = node;
}

static void model_remove(const struct tree_node *node)
{
	int i = 0;

	while (order[i] != node)
		i++;
	memmove(order + i, order + i + 1, sizeof(*order) * (size_t)(--count - i));
}

static unsigned check_node(const struct tree_node *node)
{
	unsigned a, b;

	if (!node)
		return 0;
	assert_true(!node->child[0] || node->child[0]->parent == node);
	assert_true(!node->child[1] || node->child[1]->parent == node);
	a = check_node(node->child[0]);
	b = check_node(node->child[1]);
	assert_true(a <= b + 1 && b <= a + 1);
	assert_int_equal(node->height, 1 + (a > b ? a : b));
	return node->height;
}

static void check_tree(const struct tree *tree)
{
	const struct tree_node *node = tree_first(tree);
	int i;

	check_node(tree->root);
	for (i = 0; i < count; i++, node = tree_next(node))
		assert_ptr_equal(node, order[i]);
	assert_null(node);
}

/* Few keys, so that many are equal. */
static void random_changes_keep_the_order(void **state)
{
	struct tree tree = { NULL };
	int step, i;

	(void)state;
	srand(7);
	memset(nodes, 0, sizeof(nodes));
	count = 0;
	for (step = 0; step < 20000; step++) {
		i = rand() % NODES;
		if (tree_has(&nodes[i])) {
			model_remove(&nodes[i]);
			tree_remove(&tree, &nodes[i]);
		} else {
			tree_insert(&tree, &nodes[i], (uint64_t)(rand() % 100));
			model_insert(&nodes[i]);
		}
		if (step % 50 == 0)
			check_tree(&tree);
	}
	check_tree(&tree);
}

static void at_least_finds_the_first_of_equals(void **state)
{
	struct tree tree = { NULL };
	int i;

	(void)state;
	memset(nodes, 0, sizeof(nodes));
	for (i = 0; i < 30; i++)
		tree_insert(&tree, &nodes[i], (uint64_t)(i / 3 * 10));
	assert_ptr_equal(tree_at_least(&tree, 0), &nodes[0]);
	assert_ptr_equal(tree_at_least(&tree, 1), &nodes[3]);
	assert_ptr_equal(tree_at_least(&tree, 10), &nodes[3]);
	assert_ptr_equal(tree_at_least(&tree, 90), &nodes[27]);
	assert_null(tree_at_least(&tree, 91));
}

static void it_is_walked_both_ways(void **state)
{
	struct tree tree = { NULL };
	struct tree_node *at;
	int i;

	(void)state;
	memset(nodes, 0, sizeof(nodes));
	assert_null(tree_last(&tree));
	for (i = 0; i < 30; i++)
		tree_insert(&tree, &nodes[(i * 7) % 30], (uint64_t)((i * 7) % 30));
	for (i = 29, at = tree_last(&tree); at; at = tree_prev(at), i--)
		assert_ptr_equal(at, &nodes[i]);
	assert_int_equal(i, -1);
	for (i = 0, at = tree_first(&tree); at; at = tree_next(at), i++)
		assert_ptr_equal(at, &nodes[i]);
	assert_int_equal(i, 30);
}

static void an_empty_tree_has_nothing(void **state)
{
	struct tree tree = { NULL };

	(void)state;
	memset(nodes, 0, sizeof(nodes));
	assert_true(tree_empty(&tree));
	assert_null(tree_first(&tree));
	assert_null(tree_at_least(&tree, 0));
	tree_remove(&tree, &nodes[0]);
	tree_insert(&tree, &nodes[0], UINT64_MAX);
	assert_false(tree_empty(&tree));
	assert_ptr_equal(tree_at_least(&tree, UINT64_MAX), &nodes[0]);
	tree_remove(&tree, &nodes[0]);
	assert_true(tree_empty(&tree));
}

/* 65,535 keys in ascending order: 16 levels when full, at most 1.44 times that. */
static void ascending_keys_stay_shallow(void **state)
{
	struct tree_node *many = calloc(65535, sizeof(*many));
	struct tree tree = { NULL };
	unsigned i;

	(void)state;
	for (i = 0; i < 65535; i++)
		tree_insert(&tree, &many[i], i);
	assert_in_range(tree.root->height, 16, 23);
	for (i = 0; i < 65535; i++)
		tree_remove(&tree, tree_first(&tree));
	assert_true(tree_empty(&tree));
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes_keep_the_order),
		cmocka_unit_test(at_least_finds_the_first_of_equals),
		cmocka_unit_test(it_is_walked_both_ways),
		cmocka_unit_test(an_empty_tree_has_nothing),
		cmocka_unit_test(ascending_keys_stay_shallow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
