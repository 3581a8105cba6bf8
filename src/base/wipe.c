/* SPDX-License-Identifier: BSD-2-Clause */
/* Overwrites memory before it is given back. Called by those who carry commands from the stats
 * socket to where they are carried out. */
#include "base/wipe.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void wipe_free(void *memory)
{
	if (memory)
		explicit_bzero(memory, malloc_usable_size(memory));
	free(memory);
}

void *wipe_resize(void *memory, size_t used, size_t size)
{
	void *fresh = malloc(size);

	if (!fresh)
		return NULL;
	if (used)
		memcpy(fresh, memory, used);
	wipe_free(memory);
	return fresh;
}

size_t wipe_move(char *memory, size_t gone, size_t len)
{
	size_t rest = len - gone;

	if (!gone)
		return len;
	memmove(memory, memory + gone, rest);
	explicit_bzero(memory + rest, gone);
	return rest;
}
