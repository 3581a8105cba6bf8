/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks of fields that leave a connection of HTTP/2 (h2/stream.h): in HEADERS, and as many
 * CONTINUATION as they need. */
#include "h2/stream.h"

#include "base/bug.h"

#include <string.h>

/* A block of len bytes lies at p, behind room for a header: larger ones are put into frames. The
 * byte behind. */
static char *frame_block(char *p, size_t len, uint32_t id, unsigned flags)
{
	size_t more = len ? (len - 1) / H2_FRAME_LEAST : 0, i, size;
	char *from, *to;

	for (i = more; i; i--) { /* the last ones first: each moves by as many headers */
		size = i == more ? len - more * H2_FRAME_LEAST : H2_FRAME_LEAST;
		from = p + H2_FRAME_HEADER + i * H2_FRAME_LEAST;
		to = from + i * H2_FRAME_HEADER;
		memmove(to, from, size);
		h2_write_header(to - H2_FRAME_HEADER, H2_CONTINUATION,
				i == more ? H2_END_HEADERS : 0, id, (uint32_t)size);
	}
	size = more ? H2_FRAME_LEAST : len;
	h2_write_header(p, H2_HEADERS, flags | (more ? 0 : H2_END_HEADERS), id, (uint32_t)size);
	return p + H2_FRAME_HEADER + len + more * H2_FRAME_HEADER;
}

size_t h2_block_room(size_t text, unsigned count)
{
	size_t most = text + 16 * (size_t)count + 128;

	return most + H2_FRAME_HEADER * (2 + most / H2_FRAME_LEAST);
}

char *h2_block_begins(struct h2_conn *c, size_t room, struct hpack_writer *w)
{
	char *p = h2_out(c, room);

	if (!p)
		return NULL;
	*w = (struct hpack_writer){ p + H2_FRAME_HEADER, p + room - 2 * H2_FRAME_HEADER, false };
	if (unlikely(c->table_shrunk)) { /* RFC 7541 4.2 */
		*w->at++ = 0x20;
		c->table_shrunk = false;
	}
	return p;
}

void h2_block_ends(struct h2_stream *st, char *p, const struct hpack_writer *w, unsigned flags)
{
	struct h2_conn *c = st->conn;
	size_t len = (size_t)(w->at - p - H2_FRAME_HEADER);
	uint32_t at = (uint32_t)(p - h2_bytes_first(&c->out));

	h2_out_done(c, frame_block(p, len, st->id, flags));
	if (len <= H2_FRAME_LEAST) {
		c->last_frame = at;
		c->last_stream = st->id;
	}
}
