/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted once, at a stream's end; its bytes: stream_count_bytes (stream/stream.h). */
#ifndef STREAM_COUNT_H
#define STREAM_COUNT_H

struct stream;

/* How much of it went through pipes. */
void stream_count_spliced(struct stream *s);
/* Which counter a broken-off stream adds to follows from who broke it off, and when: reason is set,
 * server and backend are its own still. */
void stream_count_end(struct stream *s);

#endif
