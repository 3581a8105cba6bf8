/* SPDX-License-Identifier: BSD-2-Clause */
/* Small pieces for the state of Lua. Lua says how large a piece is when it gives it back, so one that
 * is small needs no head: pieces of a size lie in a list, and new ones are cut from blocks. That is
 * a quarter of what malloc costs, and a script makes some dozens of objects for each request.
 *
 * Blocks are kept until the state ends: the most that scripts have had at a time. With MEMORY_APART
 * (base/memory.h) each piece is malloc's, so that tools see who touches a dead one. */
#include "lua/small.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 16, SMALL_MOST = 512, BLOCK_SIZE = 16384 };

struct piece {
	struct piece *next;
};

struct block {
	struct block *next;
	char bytes[BLOCK_SIZE - 16] __attribute__((aligned(16)));
};

static struct piece *idle[SMALL_MOST / STEP];
static struct block *blocks;
static char *left;      /* of the latest block, */
static size_t left_len; /* a multiple of STEP */

static bool is_small(size_t size)
{
	return size <= SMALL_MOST && !(memory_debug.how & MEMORY_APART);
}

static size_t kind(size_t size)
{
	return (size - 1) / STEP;
}

static void give(void *ptr, size_t which)
{
	struct piece *piece = ptr;

	piece->next = idle[which];
	idle[which] = piece;
}

static bool block_new(void)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return false;
	if (left_len)
		give(left, kind(left_len));
	block->next = blocks;
	blocks = block;
	left = block->bytes;
	left_len = sizeof(block->bytes);
	return true;
}

static void *take(size_t which)
{
	size_t size = (which + 1) * STEP;
	struct piece *piece = idle[which];
	void *cut;

	if (piece) {
		idle[which] = piece->next;
		return piece;
	}
	if (left_len < size && !block_new())
		return NULL;
	cut = left;
	left += size;
	left_len -= size;
	return cut;
}

/* From one size to another, one of which is small. */
static void *move(void *ptr, size_t old, size_t new)
{
	void *to = is_small(new) ? take(kind(new)) : malloc(new);

	if (!to)
		return NULL;
	memcpy(to, ptr, old < new ? old : new);
	small_free(ptr, old);
	return to;
}

void *small_resize(void *ptr, size_t old, size_t new)
{
	if (!ptr)
		return is_small(new) ? take(kind(new)) : malloc(new);
	if (!is_small(old) && !is_small(new))
		return realloc(ptr, new);
	if (is_small(old) && is_small(new) && kind(old) == kind(new))
		return ptr;
	return move(ptr, old, new);
}

void small_free(void *ptr, size_t size)
{
	if (!ptr)
		return;
	if (is_small(size))
		give(ptr, kind(size));
	else
		free(ptr);
}

void small_end(void)
{
	struct block *block;

	while ((block = blocks)) {
		blocks = block->next;
		free(block);
	}
	memset(idle, 0, sizeof(idle));
	left = NULL;
	left_len = 0;
}
