/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that somebody watches from their first step to their log line: src/explain/. The runner
 * takes them through the same steps in a turn of its own (run.c), in which `watch' of the rules is
 * set, too; no other stream meets any of this. */
#ifndef STREAM_WATCHED_H
#define STREAM_WATCHED_H

#include "expr/watch.h"
#include "stream/stream.h"

#include <stdbool.h>

struct stream_watch {
	struct watch rules;
	/* A step is about to run, on the side of the request or of the response. */
	void (*step)(struct stream *s, const char *name, bool is_response);
	/* Its steps wait for something, or it has ended. */
	void (*waits)(struct stream *s);
	/* Its line of the log, whether or not somebody takes it. */
	void (*log)(struct stream *s, struct span line);
};

/* NULL: nobody watches. */
extern const struct stream_watch *stream_watcher;

/* It is watched from now on: it has begun, and its steps have not run yet. */
static inline void stream_watched(struct stream *s)
{
	s->in_steps |= STEPS_WATCHED;
}
/* It is not watched any more, from now on: its steps may be at work. */
void stream_watched_no_more(struct stream *s);
/* Who is told of streams that are watched; NULL: none is any more, those that were must have
 * ended. Which streams that are is for a subscriber to say (stream/moments.h). */
void streams_watch(const struct stream_watch *watcher);

#endif
