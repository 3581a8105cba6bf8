/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffers of the relay: one scratch buffer of the process through which copies pass, and
 * buffers of tune.bufsize in which bytes wait to be looked at. */
#ifndef RELAY_BUFFER_H
#define RELAY_BUFFER_H

#include "base/buf.h"
#include "base/result.h"

#include <stdbool.h>

enum { SCRATCH_SIZE = 65536, BUFFER_SMALL = 496 };

/* The scratch buffer, empty; NULL: out of memory. Valid until buffer_take_scratch. */
struct buf *buffer_scratch(void);
/* The caller keeps the scratch buffer with what is in it; the next use gets a fresh one. */
struct buf *buffer_take_scratch(void);
/* An empty buffer of tune.bufsize, or NULL. */
struct buf *buffer_take(void);
/* One of SCRATCH_SIZE: for more than one of these holds. */
struct buf *buffer_take_large(void);
/* One of that size, from no pool: for what is rare. NULL: out of memory. */
struct buf *buffer_take_heap(size_t size);
/* Puts what one holds into an empty one that has room for it. The other one is given back. */
void buffer_move(struct buf **buf, struct buf *to);
/* Gives any kind back; NULL is allowed; clears the caller's pointer. */
void buffer_return(struct buf **buf); /* not NULL */
static inline void buffer_give(struct buf **buf)
{
	if (*buf)
		buffer_return(buf);
}
/* Moves what a buffer holds into a small one, which has no room for more: a page for bytes that
 * are waited with is much. Nothing happens: it is small, it holds more than BUFFER_SMALL, there is
 * no memory. */
void buffer_shrink(struct buf **buf);
MUST_USE bool buffer_is_small(const struct buf *buf);
/* From a small one into one of buffer_take again. False: no memory. */
MUST_USE bool buffer_grow(struct buf **buf);
/* tune.buffers.reserve: so many are allocated now, for when memory runs out. False: there is
 * none. */
MUST_USE bool buffer_reserve_some(unsigned count);
/* tune.bufsize, tune.maxrewrite and tune.buffers.limit (0: none); before the first use. */
void buffer_configure(size_t size, size_t reserve, unsigned limit);
/* Of a buffer of buffer_take. */
size_t buffer_size(void);
extern size_t buffer_reserve; /* tune.maxrewrite */
/* Bytes that may still be received into a buffer of buffer_take: maxrewrite stays free for
 * what may be put in front. */
static inline size_t buffer_room(const struct buf *buf)
{
	size_t room = buf_room(buf);

	return room > buffer_reserve ? room - buffer_reserve : 0;
}

#endif
