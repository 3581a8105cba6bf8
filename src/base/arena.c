/* SPDX-License-Identifier: BSD-2-Clause */
/* An arena is a chain of blocks; taking moves a mark, freeing frees the blocks. The oldest block is
 * part of the arena: small ones, of which there are many, take up few lines of the cache. */
#include "base/arena.h"

#include "base/bug.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
	struct block *next;
	size_t size, used;
	max_align_t data[];
};

struct arena {
	struct block *first; /* the newest block, where taking happens */
	size_t block_size, used;
	struct block own;    /* the oldest; its data follow */
};

static struct block *block_new(size_t size)
{
	struct block *b = malloc(sizeof(*b) + size);

	if (!b)
		return NULL;
	b->next = NULL;
	b->size = size;
	b->used = 0;
	return b;
}

struct arena *arena_new(size_t block_size)
{
	struct arena *arena = malloc(sizeof(*arena) + block_size);

	if (!arena)
		return NULL;
	arena->own.next = NULL;
	arena->own.size = block_size;
	arena->own.used = 0;
	arena->first = &arena->own;
	arena->block_size = block_size;
	arena->used = 0;
	return arena;
}

static void arena_cut(struct arena *arena)
{
	struct block *b, *next;

	for (b = arena->first; b != &arena->own; b = next) {
		next = b->next;
		free(b);
	}
	arena->first = &arena->own;
}

void arena_free(struct arena **arena)
{
	if (!*arena)
		return;
	arena_cut(*arena);
	free(*arena);
	*arena = NULL;
}

void arena_reset(struct arena *arena)
{
	if (!arena->used)
		return;
	arena_cut(arena);
	arena->own.used = 0;
	arena->used = 0;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct block *b = arena->first;
	void *p;

	BUG_ON(size > SIZE_MAX / 2);
	size = (size + align - 1) & ~(align - 1);
	if (b->size - b->used < size) {
		b = block_new(size > arena->block_size ? size : arena->block_size);
		BUG_ON(!b);
		b->next = arena->first;
		arena->first = b;
	}
	p = (char *)b->data + b->used;
	b->used += size;
	arena->used += size;
	return memset(p, 0, size);
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *copy;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	BUG_ON(n < 0);
	copy = arena_alloc(arena, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(copy, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return copy;
}

size_t arena_used(const struct arena *arena)
{
	return arena->used;
}
