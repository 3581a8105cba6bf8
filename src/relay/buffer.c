/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of the relay from two pools; an idle stream owns none. */
#include "relay/buffer.h"

#include "base/bug.h"
#include "base/pool.h"

enum { KIND_SCRATCH, KIND_BUFFER };

static struct pool scratch_pool =
	POOL_INIT("scratch", sizeof(struct buf) + SCRATCH_SIZE);
static struct pool buffer_pool = POOL_INIT("buffer", sizeof(struct buf) + 16384);
static size_t buffer_bytes = 16384;
size_t buffer_reserve = 1024;
static struct buf *scratch;

void buffer_configure(size_t size, size_t reserve, unsigned limit)
{
	BUG_ON(buffer_pool.allocated);
	buffer_bytes = size;
	buffer_reserve = reserve;
	buffer_pool.size = sizeof(struct buf) + size;
	buffer_pool.limit = limit;
}

static inline struct buf *buffer_from(struct pool *pool, size_t size, unsigned kind)
{
	struct buf *buf = pool_take_raw(pool);

	if (buf)
		*buf = (struct buf){ .size = (uint32_t)size, .kind = kind };
	return buf;
}

struct buf *buffer_scratch(void)
{
	if (unlikely(!scratch))
		scratch = buffer_from(&scratch_pool, SCRATCH_SIZE, KIND_SCRATCH);
	return scratch;
}

struct buf *buffer_take_scratch(void)
{
	struct buf *buf = scratch;

	scratch = NULL;
	return buf;
}

struct buf *buffer_take(void)
{
	return buffer_from(&buffer_pool, buffer_bytes, KIND_BUFFER);
}

size_t buffer_size(void)
{
	return buffer_bytes;
}

void buffer_return(struct buf **buf)
{
	struct pool *pool;

	if ((*buf)->kind == KIND_SCRATCH && !scratch) {
		scratch = *buf;
		scratch->head = scratch->len = 0;
		*buf = NULL;
		return;
	}
	pool = (*buf)->kind == KIND_SCRATCH ? &scratch_pool : &buffer_pool;
	pool_give(pool, buf);
}
