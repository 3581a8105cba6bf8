/* SPDX-License-Identifier: BSD-2-Clause */
/* An anonymous shared mapping, handed out from its start. */
#include "base/shared.h"

#include "base/bug.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LINE 64

struct shared {
	char *memory;
	size_t size, used;
};

size_t shared_need(size_t size)
{
	return (size + LINE - 1) & ~(size_t)(LINE - 1);
}

struct shared *shared_new(size_t size)
{
	struct shared *shared = calloc(1, sizeof(*shared));

	if (!shared)
		return NULL;
	shared->size = size ? size : LINE;
	shared->memory = mmap(NULL, shared->size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared->memory == MAP_FAILED) {
		free(shared);
		return NULL;
	}
	return shared;
}

void shared_free(struct shared **shared)
{
	if (!*shared)
		return;
	munmap((*shared)->memory, (*shared)->size);
	free(*shared);
	*shared = NULL;
}

void *shared_take(struct shared *shared, size_t size)
{
	size_t need = shared_need(size);
	char *p = shared->memory + shared->used;

	BUG_ON(need > shared->size - shared->used);
	shared->used += need;
	return p;
}
