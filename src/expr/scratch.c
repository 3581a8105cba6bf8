/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring of buffers that results of fetches and converters are written to. Called by all that
 * make a text. */
#include "base/bug.h"
#include "base/memory.h"
#include "expr/expr.h"

#include <stdlib.h>

enum { SCRATCH_RING = 4 };

size_t expr_scratch_size = 16384;

static char *scratch[SCRATCH_RING];

bool expr_scratch_resize(size_t size)
{
	char *fresh[SCRATCH_RING];
	unsigned i;

	for (i = 0; i < SCRATCH_RING; i++) {
		fresh[i] = malloc(size);
		if (!fresh[i])
			break;
	}
	if (i < SCRATCH_RING) {
		while (i)
			free(fresh[--i]);
		return false;
	}
	for (i = 0; i < SCRATCH_RING; i++) {
		free(scratch[i]);
		scratch[i] = fresh[i];
	}
	expr_scratch_size = size;
	return true;
}

/* The first one while a configuration is read. With MEMORY_APART the oldest one is freed each time:
 * who has kept a result for too long shows. */
COLD static char *scratch_fresh(unsigned at)
{
	unsigned oldest = (at + 1) % SCRATCH_RING;

	if (!(memory_debug.how & MEMORY_APART)) {
		BUG_ON(!expr_scratch_resize(expr_scratch_size));
		return scratch[at];
	}
	scratch[at] = malloc(expr_scratch_size);
	BUG_ON(!scratch[at]);
	free(scratch[oldest]);
	scratch[oldest] = NULL;
	return scratch[at];
}

char *expr_scratch(void)
{
	static unsigned next;

	next = (next + 1) % SCRATCH_RING;
	return likely(scratch[next]) ? scratch[next] : scratch_fresh(next);
}
