/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is given back all at once: a configuration generation, an exchange. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block {
	struct arena_block *next;
	size_t size, used;
	char *bytes;
};

struct arena {
	struct arena_block *first; /* the newest block, where taking happens */
	size_t block_size, used;
	struct arena_block own;    /* the oldest */
};

/* A new arena that grows by blocks of at least block_size bytes; NULL: out of memory. */
struct arena *arena_new(size_t block_size);
/* The same in memory of the caller's: own is its first block, of block_size bytes, aligned for any
 * type. Nothing is to be freed as long as nothing but that was used: arena_reset sees to it. */
void arena_init(struct arena *arena, void *own, size_t block_size);
/* Frees everything that was taken from it and clears the caller's pointer. */
void arena_free(struct arena **arena);
/* Everything taken becomes invalid; the first block is kept. */
void arena_reset(struct arena *arena);
/* size zeroed bytes, aligned for any type. Configuration code may not run out of memory:
 * the process ends with a message (BUG). */
void *arena_alloc(struct arena *arena, size_t size);
/* A copy with a final NUL. */
char *arena_strdup(struct arena *arena, const char *s);
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Bytes taken so far. */
size_t arena_used(const struct arena *arena);

#endif
