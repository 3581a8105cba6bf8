/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of the relay from two pools; an idle stream owns none. */
#include "relay/buffer.h"

#include "base/bug.h"
#include "base/memory.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_SCRATCH, KIND_BUFFER, KIND_SPARE, KIND_SMALL, KIND_HEAP };

static struct pool scratch_pool =
	POOL_INIT("scratch", sizeof(struct buf) + SCRATCH_SIZE);
static struct pool buffer_pool = POOL_INIT("buffer", sizeof(struct buf) + 16384);
static size_t buffer_bytes = 16384;
size_t buffer_reserve = 1024;
static struct buf *scratch;
static struct pool spare_pool = POOL_INIT("buffer reserve", sizeof(struct buf) + 16384);
static struct pool small_pool = POOL_INIT("small buffer", sizeof(struct buf) + BUFFER_SMALL);

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

struct buf *buffer_take_large(void)
{
	return buffer_from(&scratch_pool, SCRATCH_SIZE, KIND_SCRATCH);
}

struct buf *buffer_take_heap(size_t size)
{
	struct buf *buf = memory_take(sizeof(*buf) + size);

	if (buf)
		*buf = (struct buf){ .size = (uint32_t)size, .kind = KIND_HEAP };
	return buf;
}

struct buf *buffer_scratch(void)
{
	if (unlikely(!scratch))
		scratch = buffer_take_large();
	return scratch;
}

struct buf *buffer_take_scratch(void)
{
	struct buf *buf = scratch;

	scratch = NULL;
	return buf;
}

bool buffer_reserve_some(unsigned count)
{
	struct buf **taken = calloc(count, sizeof(*taken));
	unsigned n = 0, i;

	spare_pool.size = sizeof(struct buf) + buffer_bytes;
	while (taken && n < count && (taken[n] = buffer_from(&spare_pool, buffer_bytes, KIND_SPARE)))
		n++;
	spare_pool.spare = count; /* they stay */
	spare_pool.limit = count;
	for (i = 0; i < n; i++)
		pool_give(&spare_pool, &taken[i]);
	free(taken);
	return n == count;
}

struct buf *buffer_take(void)
{
	struct buf *buf = buffer_from(&buffer_pool, buffer_bytes, KIND_BUFFER);

	/* The limit of buffers holds; what memory lacks, the reserve has. */
	if (unlikely(!buf) && spare_pool.free && !(memory_debug.how & MEMORY_FAILS) &&
	    !(buffer_pool.limit && buffer_pool.allocated >= buffer_pool.limit))
		buf = buffer_from(&spare_pool, buffer_bytes, KIND_SPARE);
	return buf;
}

size_t buffer_size(void)
{
	return buffer_bytes;
}

void buffer_move(struct buf **buf, struct buf *to)
{
	memcpy(to->data, buf_first(*buf), (*buf)->len);
	to->len = (*buf)->len;
	buffer_give(buf);
	*buf = to;
}

bool buffer_is_small(const struct buf *buf)
{
	return buf->kind == KIND_SMALL;
}

void buffer_shrink(struct buf **buf)
{
	struct buf *small;

	if ((*buf)->kind == KIND_SMALL || (*buf)->len > BUFFER_SMALL)
		return;
	small = buffer_from(&small_pool, (*buf)->len, KIND_SMALL);
	if (small)
		buffer_move(buf, small);
}

bool buffer_grow(struct buf **buf)
{
	struct buf *large = buffer_take();

	if (large)
		buffer_move(buf, large);
	return large != NULL;
}

COLD static void buffer_return_other(struct buf **buf)
{
	static struct pool *const pools[KIND_HEAP] = {
		&scratch_pool, &buffer_pool, &spare_pool, &small_pool
	};
	struct pool *pool;

	if ((*buf)->kind == KIND_HEAP) {
		free(*buf);
		*buf = NULL;
		return;
	}
	pool = pools[(*buf)->kind];
	if (pool == &scratch_pool && !scratch && !(memory_debug.how & MEMORY_APART)) {
		scratch = *buf;
		scratch->head = scratch->len = 0;
		*buf = NULL;
		return;
	}
	/* It stood for a large one, whose client held much else: when many have gone, memory is
	 * looked after. */
	if (pool == &small_pool && pool_freed)
		pool_freed(buffer_bytes);
	pool_give(pool, buf);
}

void buffer_return(struct buf **buf)
{
	struct buf *one = *buf;

	if (unlikely(one->kind != KIND_BUFFER)) {
		buffer_return_other(buf);
		return;
	}
	*buf = NULL;
	pool_put_large(&buffer_pool, one);
}
