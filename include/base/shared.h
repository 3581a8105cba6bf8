/* SPDX-License-Identifier: BSD-2-Clause */
/* The segment of run-time numbers: mapped once, shared with processes forked later. It holds
 * numbers only, no pointers; what lies where is laid out before the first fork. */
#ifndef BASE_SHARED_H
#define BASE_SHARED_H

#include <stddef.h>

struct shared;

/* A zeroed segment of at least size bytes; NULL: out of memory. */
struct shared *shared_new(size_t size);
void shared_free(struct shared **shared);
/* The next size bytes of it, on cache lines of their own. The size given to shared_new must
 * suffice for all (shared_need for each): BUG. */
void *shared_take(struct shared *shared, size_t size);
/* What shared_take(size) uses up. */
size_t shared_need(size_t size);

#endif
