/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools of objects of one size: taken and given back without the general allocator. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/bug.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
	const char *name;
	size_t size;        /* bytes an object, rounded up to 16 when the pool is used first */
	void *free;         /* chain of free objects */
	uint64_t allocated; /* objects obtained from the system */
	uint64_t used;      /* of these, handed out */
	uint64_t failed;    /* times that memory ran out */
	uint64_t limit;     /* most objects, 0: as many as memory allows */
	struct pool *next;  /* all pools that were used, for `show pools` */
	unsigned spare;     /* so many large objects are kept beyond POOL_LARGE_SPARE */
	bool listed;
	bool single;        /* each object is an allocation of its own: large, or MEMORY_APART */
};

#define POOL_INIT(n, s) { .name = (n), .size = (s) }

/* A zeroed object, or NULL when memory or the limit ran out (counted). Objects come from
 * slabs, so that one costs its own size and no header. */
void *pool_take(struct pool *pool);
/* The same without zeroing: for buffers. */
void *pool_take_fresh(struct pool *pool); /* none is free, or -dM wants something */
/* One that is free; NULL: pool_take_raw is to be asked. */
static inline void *pool_take_ready(struct pool *pool)
{
	void **object = (void **)pool->free;

	if (unlikely(!object || memory_debug.how))
		return NULL;
	pool->free = *object;
	pool->used++;
	return object;
}
static inline void *pool_take_raw(struct pool *pool)
{
	void *object = pool_take_ready(pool);

	return likely(object != NULL) ? object : pool_take_fresh(pool);
}
/* Gives the object back and clears the caller's pointer; debug builds poison it. */
void pool_put(struct pool *pool, void *object); /* NULL is allowed */
/* The same where each request gives one back: not NULL. */
static inline void pool_put_small(struct pool *pool, void *object)
{
#ifndef PENSTOCK_DEBUG
	if (likely(!pool->single && pool->used)) {
		pool->used--;
		*(void **)object = pool->free;
		pool->free = object;
		return;
	}
#endif
	pool_put(pool, object);
}
/* The same for pools of large objects: few that are free are kept. */
enum { POOL_LARGE_SPARE = 16 };
static inline void pool_put_large(struct pool *pool, void *object)
{
#ifndef PENSTOCK_DEBUG
	if (likely(!memory_debug.how && pool->used &&
		   pool->allocated - pool->used < POOL_LARGE_SPARE)) {
		pool->used--;
		*(void **)object = pool->free;
		pool->free = object;
		return;
	}
#endif
	pool_put(pool, object);
}
#define pool_give(pool, objectp)                              \
	do {                                                  \
		void *give_ = *(objectp);                     \
		*(objectp) = NULL;                            \
		pool_put((pool), give_);                      \
	} while (0)
/* Gives slabs of which nothing is in use back to the allocator; takes some ten nanoseconds for each
 * free object. */
void pools_trim(void);
/* Called with the size of each large object that goes back to the allocator; NULL: nobody wants to
 * know. */
extern void (*pool_freed)(size_t size);
/* First of all pools that were ever used. */
struct pool *pool_first(void);

#endif
