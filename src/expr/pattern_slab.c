/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by pattern_version.c. With sanitizers each piece is a malloc of its own, so that they see
 * what is used too late. */
#include "expr/pattern_slab.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SLAB = 256 << 10, SMALL = SLAB / 16 };

struct pattern_slab {
	size_t used, pieces; /* bytes from the begin of the slab; how many are in use */
	bool open;           /* one more may be taken */
};

#ifdef __SANITIZE_ADDRESS__
static const bool slabs = false;
#else
static const bool slabs = true;
#endif

static size_t slab_round(size_t size)
{
	const size_t align = alignof(max_align_t);

	return (size + align - 1) & ~(align - 1);
}

static void slab_free(struct pattern_slab *slab)
{
	if (!slab->open && !slab->pieces)
		munmap(slab, SLAB);
}

static struct pattern_slab *slab_new(void)
{
	void *memory = mmap(NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct pattern_slab *slab = memory;

	if (memory == MAP_FAILED)
		return NULL;
	slab->used = slab_round(sizeof(*slab));
	slab->open = true;
	return slab;
}

void *slab_take(struct pattern_slab **open, size_t size, struct pattern_slab **from)
{
	struct pattern_slab *slab = open ? *open : NULL;

	*from = NULL;
	size = slab_round(size);
	if (!slabs || !open || size > SMALL)
		return malloc(size);
	if (!slab || slab->used + size > SLAB) {
		slab_close(open);
		slab = *open = slab_new();
		if (!slab)
			return NULL;
	}
	*from = slab;
	slab->pieces++;
	slab->used += size;
	return (char *)slab + slab->used - size;
}

void slab_give(struct pattern_slab *from, void *memory)
{
	if (!from) {
		free(memory);
		return;
	}
	from->pieces--;
	slab_free(from);
}

void slab_trim(struct pattern_slab *from, const void *end)
{
	if (from)
		from->used = (size_t)((const char *)end - (const char *)from);
}

void slab_close(struct pattern_slab **open)
{
	if (!*open)
		return;
	(*open)->open = false;
	slab_free(*open);
	*open = NULL;
}
