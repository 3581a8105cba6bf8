/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools of objects of one size: taken and given back without the general allocator. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/bug.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
	const char *name;
	size_t size;        /* bytes an object, rounded up by pool_init */
	void *free;         /* chain of free objects */
	uint64_t allocated; /* objects obtained from the system */
	uint64_t used;      /* of these, handed out */
	uint64_t failed;    /* times that memory ran out */
	uint64_t limit;     /* most objects, 0: as many as memory allows */
	struct pool *next;  /* all pools that were used, for `show pools` */
	bool listed;
};

/* -1, or the byte that fresh objects are filled with (-dM); pool_take still zeroes. */
extern int pool_poison;

#define POOL_INIT(n, s) { .name = (n), .size = (s) }

/* A zeroed object, or NULL when memory or the limit ran out (counted). Objects come from
 * slabs, so that one costs its own size and no header. */
void *pool_take(struct pool *pool);
/* The same without zeroing: for buffers. */
void *pool_take_fresh(struct pool *pool); /* none is free, or it is to be poisoned */
static inline void *pool_take_raw(struct pool *pool)
{
	void **object = (void **)pool->free;

	if (unlikely(!object || pool_poison >= 0))
		return pool_take_fresh(pool);
	pool->free = *object;
	pool->used++;
	return object;
}
/* Gives the object back and clears the caller's pointer; debug builds poison it. */
void pool_put(struct pool *pool, void *object); /* NULL is allowed */
#define pool_give(pool, objectp)                              \
	do {                                                  \
		void *give_ = *(objectp);                     \
		*(objectp) = NULL;                            \
		pool_put((pool), give_);                      \
	} while (0)
/* First of all pools that were ever used. */
struct pool *pool_first(void);

#endif
