/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk through all streams that may be interrupted: streams that end meanwhile are stepped
 * over, streams that begin meanwhile are not shown. */
#ifndef STREAM_CURSOR_H
#define STREAM_CURSOR_H

#include "base/list.h"

#include <stdint.h>

struct stream;

struct stream_cursor {
	struct list node;    /* among the walks under way */
	struct stream *next; /* NULL: none left */
	uint64_t last_id;    /* of the newest stream at the start */
};

/* Begins at the oldest stream; stream_cursor_end must follow. */
void stream_cursor_start(struct stream_cursor *cursor);
/* The next stream, oldest first; NULL: all were seen. */
struct stream *stream_cursor_next(struct stream_cursor *cursor);
/* Forgets the walk; a zeroed cursor, and one that was ended, may be ended, too. */
void stream_cursor_end(struct stream_cursor *cursor);
/* For stream_end, before it takes the stream out of streams_all. */
void stream_cursors_leave(struct stream *s);

#endif
