/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is given back all at once: a configuration generation, an exchange. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena;

/* A new arena that grows by blocks of at least block_size bytes; NULL: out of memory. */
struct arena *arena_new(size_t block_size);
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
