/* SPDX-License-Identifier: BSD-2-Clause */
/* An arena is a chain of blocks; taking moves a mark, freeing frees the blocks. The oldest block
 * lies with the arena, or with its owner. */
#include "base/arena.h"

#include "base/bug.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena_block *block_new(size_t size, bool may_fail)
{
	const size_t align = _Alignof(max_align_t);
	const size_t head = (sizeof(struct arena_block) + align - 1) & ~(align - 1);
	struct arena_block *b = may_fail ? memory_take(head + size) : malloc(head + size);

	if (!b)
		return NULL;
	b->next = NULL;
	b->size = size;
	b->used = 0;
	b->bytes = (char *)b + head;
	return b;
}

void arena_init(struct arena *arena, void *own, size_t block_size)
{
	arena->own = (struct arena_block){ .size = own ? block_size : 0, .bytes = own };
	arena->first = &arena->own;
	arena->block_size = block_size;
	arena->used = 0;
	arena->may_fail = arena->failed = false;
}

void arena_init_limited(struct arena *arena, void *own, size_t block_size)
{
	arena_init(arena, own, memory_debug.how & MEMORY_APART ? 0 : block_size);
	arena->may_fail = true;
}

void arena_lend(struct arena *arena, void *own)
{
	BUG_ON(arena->own.size);
	arena->own.bytes = own;
	arena->own.size = arena->block_size;
}

struct arena *arena_new(size_t block_size)
{
	const size_t align = _Alignof(max_align_t);
	const size_t head = (sizeof(struct arena) + align - 1) & ~(align - 1);
	struct arena *arena = memory_take(head + block_size);

	if (arena)
		arena_init(arena, (char *)arena + head, block_size);
	return arena;
}

struct arena *arena_new_limited(size_t block_size)
{
	struct arena *arena = arena_new(block_size);

	if (arena)
		arena_init_limited(arena, arena->own.bytes, block_size);
	return arena;
}

static void arena_cut(struct arena *arena)
{
	struct arena_block *b, *next;

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
	arena->failed = false;
}

/* Something counts as used: arena_reset has something to do. */
COLD void arena_fail(struct arena *arena)
{
	if (!arena->may_fail)
		memory_exhausted();
	arena->failed = true;
	arena->used++;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct arena_block *b = arena->first;
	void *p;

	BUG_ON(size > SIZE_MAX / 2);
	size = (size + align - 1) & ~(align - 1);
	if (b->size - b->used < size) {
		b = block_new(size > arena->block_size ? size : arena->block_size,
			      arena->may_fail);
		if (unlikely(!b)) {
			arena_fail(arena);
			return NULL;
		}
		b->next = arena->first;
		arena->first = b;
	}
	p = b->bytes + b->used;
	b->used += size;
	arena->used += size;
	return memset(p, 0, size);
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy && len) /* s may be NULL then */
		memcpy(copy, s, len);
	return copy;
}

struct span arena_keep(struct arena *arena, struct span text)
{
	const char *copy = arena_strndup(arena, text.ptr, text.len);

	return copy ? (struct span){ copy, text.len } : (struct span){ "", 0 };
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
	if (!copy)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(copy, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return copy;
}

size_t arena_used(const struct arena *arena)
{
	return arena->used;
}
