/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools: slabs of about 64 kB cut into objects, chained when free. Large objects (a page
 * and more) are allocated one by one so that they can be returned to the system. */
#include "base/pool.h"

#include "base/bug.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_SIZE = 65536, SLAB_HEAD = 16, LARGE = 4096 };

static struct pool *pools;
void (*pool_freed)(size_t size);

struct pool *pool_first(void)
{
	return pools;
}

static void pool_enter(struct pool *pool)
{
	pool->size = (pool->size + 15) & ~(size_t)15;
	pool->next = pools;
	pool->listed = true;
	pool->single = pool->size >= LARGE || memory_debug.how & MEMORY_APART;
	pools = pool;
}

static void *pool_single(struct pool *pool)
{
	void *p = malloc(pool->size);

	if (p)
		pool->allocated++;
	return p;
}

/* How many in a slab. What malloc writes in front of the next one has room behind them: it would
 * take a page more for each slab. */
static size_t pool_per_slab(const struct pool *pool)
{
	return (SLAB_SIZE - SLAB_HEAD) / pool->size;
}

static void *pool_slab(struct pool *pool)
{
	size_t n = pool_per_slab(pool), i;
	char *slab;

	if (pool->limit && pool->limit - pool->allocated < n)
		n = (size_t)(pool->limit - pool->allocated);
	/* Where a slab begins follows from the address of an object: pool_trim. */
	if (posix_memalign((void **)&slab, SLAB_SIZE, n * pool->size) != 0)
		return NULL;
	for (i = 1; i < n; i++) {
		void **object = (void **)(slab + i * pool->size);

		*object = pool->free;
		pool->free = object;
	}
	pool->allocated += n;
	return slab;
}

COLD static void *pool_grow(struct pool *pool)
{
	if (!pool->listed)
		pool_enter(pool);
	if (pool->limit && pool->allocated >= pool->limit)
		return NULL;
	return pool->single ? pool_single(pool) : pool_slab(pool);
}

void *pool_take_fresh(struct pool *pool)
{
	void **object = pool->free;

	if (unlikely(memory_debug.how & MEMORY_FAILS) && memory_denied()) {
		pool->failed++;
		return NULL;
	}
	if (object) {
		pool->free = *object;
	} else {
		object = pool_grow(pool);
		if (!object) {
			pool->failed++;
			return NULL;
		}
	}
	pool->used++;
	if (unlikely(memory_debug.how & MEMORY_POISON))
		memset(object, memory_debug.poison, pool->size);
	return object;
}

void *pool_take(struct pool *pool)
{
	void *object = pool_take_raw(pool);

	if (likely(object != NULL))
		memset(object, 0, pool->size);
	return object;
}

void pool_put(struct pool *pool, void *given)
{
	void **object = given;

	if (!object)
		return;
	BUG_ON(pool->used == 0);
	pool->used--;
	if (pool->single && (pool->allocated - pool->used > POOL_LARGE_SPARE + pool->spare ||
			     (memory_debug.how & MEMORY_APART && !pool->spare))) {
		pool->allocated--;
		free(object);
		if (pool_freed)
			pool_freed(pool->size);
		return;
	}
#ifdef PENSTOCK_DEBUG
	memset(object, 0xa5, pool->size);
#endif
	*object = pool->free;
	pool->free = object;
}

/* -- giving back ------------------------------------------------------------------------ */

static uintptr_t slab_of(const void *object)
{
	return (uintptr_t)object & ~(uintptr_t)(SLAB_SIZE - 1);
}

static int slab_compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* Of the sorted slabs of free objects, one for each object, those that are there n times: all of
 * such a slab is free. They come to the front; how many? */
static size_t slabs_whole(uintptr_t *slabs, size_t count, size_t n)
{
	size_t i, from = 0, whole = 0;

	for (i = 1; i <= count; i++) {
		if (i < count && slabs[i] == slabs[from])
			continue;
		if (i - from == n)
			slabs[whole++] = slabs[from];
		from = i;
	}
	return whole;
}

static void pool_free_slabs(struct pool *pool, const uintptr_t *slabs, size_t whole, size_t n)
{
	void **at = &pool->free, *object;
	uintptr_t slab;
	size_t i;

	while ((object = *at)) {
		slab = slab_of(object);
		if (bsearch(&slab, slabs, whole, sizeof(*slabs), slab_compare))
			*at = *(void **)object;
		else
			at = object;
	}
	for (i = 0; i < whole; i++)
		free((void *)slabs[i]);
	pool->allocated -= whole * n;
}

static void pool_trim(struct pool *pool)
{
	size_t n = pool_per_slab(pool), count = 0, whole;
	uintptr_t *slabs;
	void *object;

	if (pool->single || pool->limit || pool->allocated - pool->used < n)
		return;
	slabs = malloc((size_t)(pool->allocated - pool->used) * sizeof(*slabs));
	if (!slabs)
		return;
	for (object = pool->free; object; object = *(void **)object)
		slabs[count++] = slab_of(object);
	qsort(slabs, count, sizeof(*slabs), slab_compare);
	whole = slabs_whole(slabs, count, n);
	if (whole)
		pool_free_slabs(pool, slabs, whole, n);
	free(slabs);
}

void pools_trim(void)
{
	struct pool *pool;

	for (pool = pools; pool; pool = pool->next)
		pool_trim(pool);
}
