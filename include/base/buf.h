/* SPDX-License-Identifier: BSD-2-Clause */
/* A buffer: bytes from head on, len of them, in one piece. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint32_t size; /* of data */
	uint32_t head; /* first byte that is held */
	uint32_t len;  /* bytes held */
	uint32_t kind; /* which pool it came from: relay/buffer.h */
	char data[];
};

static inline char *buf_first(struct buf *buf)
{
	return buf->data + buf->head;
}

/* Where the next bytes go, and how many fit there. */
static inline char *buf_tail(struct buf *buf)
{
	return buf->data + buf->head + buf->len;
}

static inline size_t buf_room(const struct buf *buf)
{
	return buf->size - buf->head - buf->len;
}

/* n bytes have left. */
static inline void buf_skip(struct buf *buf, size_t n)
{
	buf->head += (uint32_t)n;
	buf->len -= (uint32_t)n;
	if (!buf->len)
		buf->head = 0;
}

#endif
