/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is given back all at once: a configuration generation, an exchange. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	char *bytes;
};

struct arena {
	struct arena_block *first; /* the newest block, where taking happens */
	size_t block_size, used;
	bool may_fail;             /* memory of a request: when there is none, that one ends */
	bool failed;               /* something that was asked for is not there; until
				    * arena_reset */
	struct arena_block own;    /* the oldest */
};

/* A new arena that grows by blocks of at least block_size bytes; NULL: out of memory. It is for a
 * configuration, which may not run out of memory: the process ends with a message and 1 then. */
struct arena *arena_new(size_t block_size);
/* An arena for what serves traffic. When memory runs out, allocations return NULL, and `failed` is
 * set. One look at `failed` tells whether all that was written to the arena is there. */
struct arena *arena_new_limited(size_t block_size);
/* The same, each, in memory of the caller's: own is its first block, of block_size bytes, aligned
 * for any type. Nothing is to be freed as long as nothing but that was used: arena_reset sees to
 * it. own NULL: there is none, all blocks are allocated, until arena_lend. */
void arena_init(struct arena *arena, void *own, size_t block_size);
void arena_init_limited(struct arena *arena, void *own, size_t block_size);
/* Gives one without a first block one of block_size bytes: it is used for what is taken next or,
 * where something was taken already, from arena_reset on. */
void arena_lend(struct arena *arena, void *own);
/* Frees everything that was taken from it and clears the caller's pointer. */
void arena_free(struct arena **arena);
/* Everything taken becomes invalid; the first block is kept. */
void arena_reset(struct arena *arena);
/* size zeroed bytes, aligned for any type. NULL: see above, and so for all that follow. */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy with a final NUL; there is no memory: an empty span, which is not NULL. */
struct span arena_keep(struct arena *arena, struct span text);
char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets `failed`: what belongs to the arena's owner could not be had elsewhere. */
void arena_fail(struct arena *arena);
/* Bytes taken so far. */
size_t arena_used(const struct arena *arena);

#endif
