/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects by name or number: a tree whose keys are hashes of the names, or the numbers. Called
 * while a configuration is read and by whoever looks for a section by its name. */
#include "base/catalog.h"

#include "base/arena.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct catalog_entry *entry_of(struct tree_node *node)
{
	return node ? tree_entry(node, struct catalog_entry, node) : NULL;
}

static void enter(struct catalog *c, struct arena *arena, const char *name, uint64_t key,
		  void *object)
{
	struct catalog_entry *e = arena_alloc(arena, sizeof(*e));

	e->name = name;
	e->object = object;
	tree_insert(&c->tree, &e->node, key);
}

void catalog_add(struct catalog *c, struct arena *arena, const char *name, void *object)
{
	enter(c, arena, name, XXH3_64bits(name, strlen(name)), object);
}

/* The first from e on that has the key and the name. */
static const struct catalog_entry *same(const struct catalog_entry *e, uint64_t key,
					struct span name)
{
	while (e && e->node.key == key && !span_equal(span_of(e->name), name))
		e = entry_of(tree_next(&e->node));
	return e && e->node.key == key ? e : NULL;
}

const struct catalog_entry *catalog_find(const struct catalog *c, struct span name)
{
	uint64_t key = XXH3_64bits(name.ptr, name.len);

	return same(entry_of(tree_at_least(&c->tree, key)), key, name);
}

const struct catalog_entry *catalog_again(const struct catalog_entry *e)
{
	return same(entry_of(tree_next(&e->node)), e->node.key, span_of(e->name));
}

void catalog_remove(struct catalog *c, const char *name, const void *object)
{
	const struct catalog_entry *e = catalog_find(c, span_of(name));

	while (e && e->object != object)
		e = catalog_again(e);
	if (e)
		tree_remove(&c->tree, (struct tree_node *)(uintptr_t)&e->node);
}

void *catalog_number(struct catalog *c, struct arena *arena, int number, void *object)
{
	const struct catalog_entry *e = entry_of(tree_at_least(&c->tree, (uint64_t)number));

	if (e && e->node.key == (uint64_t)number)
		return e->object;
	enter(c, arena, NULL, (uint64_t)number, object);
	return NULL;
}

int catalog_free_number(const struct catalog *c, int from)
{
	const struct tree_node *node = tree_at_least(&c->tree, (uint64_t)from);

	for (; node && node->key == (uint64_t)from; from++)
		node = tree_next(node);
	return from;
}
