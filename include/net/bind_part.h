/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of bind lines: what a module of an upper folder keeps of the words of a line (base/part.h).
 * A kind is an object of the file that owns it, and stands in a list in src/modules.c. Parts are
 * made while the line is read, in the arena of the configuration, and go with it: nothing is handed
 * on, nothing freed. The rows of the words stand in a module of the same folder, with SCOPE_BIND or
 * SCOPE_DGRAM.
 */
#ifndef NET_BIND_PART_H
#define NET_BIND_PART_H

#include "base/part.h"
#include "net/listener.h"

struct arena;

struct bind_part {
	struct part_kind kind;
};

/* All of them, ended by NULL: src/modules.c. */
extern struct bind_part *const bind_part_list[];
/* Called by main, before a configuration is read: all get their places. */
void bind_parts_install(struct bind_part *const *parts);

extern struct part_table bind_table;

/* Initializer of kind. */
#define BIND_PART(name_, type_)                                                            \
	.kind.name = (name_), .kind.table = &bind_table, .kind.size = sizeof(type_),       \
	.kind.at = offsetof(struct bind_conf, parts)

/* As part_of, part_make. */
static inline void *bind_part(const struct bind_conf *bind, const struct bind_part *part)
{
	return part_of(bind, &part->kind);
}

static inline void *bind_part_make(struct bind_conf *bind, struct bind_part *part,
				   struct arena *arena)
{
	return part_make(bind, &part->kind, arena);
}

#endif
