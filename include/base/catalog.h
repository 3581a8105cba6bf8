/* SPDX-License-Identifier: BSD-2-Clause */
/* Catalogues: which object has this name, or this number? For what a configuration may hold by
 * the ten thousand. Zeroed: empty. Entries live in an arena. */
#ifndef BASE_CATALOG_H
#define BASE_CATALOG_H

#include "base/str.h"
#include "base/tree.h"

struct arena;

struct catalog {
	struct tree tree;
};

struct catalog_entry {
	struct tree_node node;
	const char *name; /* NULL: a number */
	void *object;
};

/* Enters an object under a name (kept, not copied), behind those that have it already. */
void catalog_add(struct catalog *c, struct arena *arena, const char *name, void *object);
/* The first entry of that name; NULL: there is none. */
const struct catalog_entry *catalog_find(const struct catalog *c, struct span name);
/* The next one that has the same name; NULL: that was the last. */
const struct catalog_entry *catalog_again(const struct catalog_entry *e);

/* Takes the object out that was entered under the name; its entry stays in the arena. */
void catalog_remove(struct catalog *c, const char *name, const void *object);

/* The same with numbers above 0; names and numbers do not share a catalogue. Returns the object
 * that had the number before, which keeps it; NULL: it was free. */
void *catalog_number(struct catalog *c, struct arena *arena, int number, void *object);
/* The lowest number from `from` on that nobody has. */
int catalog_free_number(const struct catalog *c, int from);

#endif
