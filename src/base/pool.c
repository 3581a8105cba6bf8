/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools: slabs of about 64 kB cut into objects, chained when free. Large objects (a page
 * and more) are allocated one by one so that they can be returned to the system. */
#include "base/pool.h"

#include "base/bug.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_SLABS 0 /* let the sanitizer see each object */
#else
#define POOL_SLABS 1
#endif

enum { SLAB_SIZE = 65536, LARGE = 4096, LARGE_SPARE = 16, CACHE_LINE = 64 };

static struct pool *pools;
int pool_poison = -1;

struct pool *pool_first(void)
{
	return pools;
}

static void pool_enter(struct pool *pool)
{
	pool->size = (pool->size + 15) & ~(size_t)15;
	pool->next = pools;
	pool->listed = true;
	pools = pool;
}

static void *pool_single(struct pool *pool)
{
	void *p = malloc(pool->size);

	if (p)
		pool->allocated++;
	return p;
}

static void *pool_slab(struct pool *pool)
{
	size_t n = SLAB_SIZE / pool->size, i;
	char *slab;

	if (pool->limit && pool->limit - pool->allocated < n)
		n = (size_t)(pool->limit - pool->allocated);
	/* Objects whose size is a multiple of a line touch no line too many. */
	if (posix_memalign((void **)&slab, CACHE_LINE, n * pool->size) != 0)
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
	return POOL_SLABS && pool->size < LARGE ? pool_slab(pool) : pool_single(pool);
}

void *pool_take_fresh(struct pool *pool)
{
	void **object = pool->free;

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
	if (unlikely(pool_poison >= 0))
		memset(object, pool_poison, pool->size);
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
	if (!POOL_SLABS || (pool->size >= LARGE && pool->allocated - pool->used > LARGE_SPARE)) {
		pool->allocated--;
		free(object);
		return;
	}
#ifdef PENSTOCK_DEBUG
	memset(object, 0xa5, pool->size);
#endif
	*object = pool->free;
	pool->free = object;
}
