/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of HTTP/2 that wait, in memory that grows and is given back (h2/stream.h). It knows
 * nothing of connections. */
#include "h2/stream.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_LARGE = 65536 }; /* more memory than that goes back when a quarter would do */

bool h2_bytes_room(struct h2_bytes *b, size_t n)
{
	size_t size = b->size ? b->size : 512;
	char *data;

	while (size > BYTES_LARGE && size / 4 >= b->len + n)
		size /= 2;
	if (b->size - b->head - b->len >= n && b->data && size == b->size)
		return true;
	if (b->head) {
		memmove(b->data, h2_bytes_first(b), b->len);
		b->head = 0;
	}
	while (size < b->len + n && size <= H2_BYTES_MOST)
		size *= 2;
	if (size > H2_BYTES_MOST)
		return false;
	if (size == b->size)
		return true;
	data = memory_retake(b->data, size);
	if (!data)
		return false;
	b->data = data;
	b->size = (uint32_t)size;
	return true;
}

bool h2_bytes_add(struct h2_bytes *b, const char *bytes, size_t n)
{
	if (!n)
		return true;
	if (!h2_bytes_room(b, n))
		return false;
	memcpy(h2_bytes_tail(b), bytes, n);
	b->len += (uint32_t)n;
	return true;
}

void h2_bytes_free(struct h2_bytes *b)
{
	free(b->data);
	*b = (struct h2_bytes){ 0 };
}

void h2_bytes_skip(struct h2_bytes *b, size_t n)
{
	b->head += (uint32_t)n;
	b->len -= (uint32_t)n;
	if (!b->len)
		h2_bytes_free(b);
}
