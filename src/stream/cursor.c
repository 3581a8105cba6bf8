/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through all streams for "show sess". A stream that ends moves the walks that were
 * about to show it on to its successor; without walks that costs one comparison.
 */
#include "stream/cursor.h"

#include "stream/stream.h"

static struct list cursors = LIST_INIT(cursors);

static struct stream *cursor_after(const struct stream *s)
{
	return s->node.next == &streams_all ? NULL : list_entry(s->node.next, struct stream, node);
}

void stream_cursor_start(struct stream_cursor *cursor)
{
	cursor->next = NULL;
	cursor->last_id = 0;
	list_append(&cursors, &cursor->node);
	if (list_empty(&streams_all))
		return;
	cursor->next = list_first(&streams_all, struct stream, node);
	cursor->last_id = list_entry(streams_all.prev, struct stream, node)->id;
}

struct stream *stream_cursor_next(struct stream_cursor *cursor)
{
	struct stream *s = cursor->next;

	if (!s || s->id > cursor->last_id)
		return NULL;
	cursor->next = cursor_after(s);
	return s;
}

void stream_cursor_end(struct stream_cursor *cursor)
{
	if (cursor->node.next)
		list_remove(&cursor->node);
	cursor->next = NULL;
}

void stream_cursors_leave(struct stream *s)
{
	struct stream_cursor *cursor;

	list_for_each(cursor, &cursors, node)
		if (cursor->next == s)
			cursor->next = cursor_after(s);
}
