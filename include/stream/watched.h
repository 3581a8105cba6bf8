/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that somebody watches from their first step to their log line: src/explain/. The runner
 * takes them through the same steps in a turn of its own (run.c), in which `watch' of the rules is
 * set, too; no other stream meets any of this. */
#ifndef STREAM_WATCHED_H
#define STREAM_WATCHED_H

#include "expr/watch.h"

#include <stdbool.h>

struct stream;

struct stream_watch {
	struct watch rules;
	/* A stream begins. True: it is to be watched. */
	bool (*begins)(struct stream *s);
	/* A step is about to run, on the side of the request or of the response. */
	void (*step)(struct stream *s, const char *name, bool is_response);
	/* Its steps wait for something, or it has ended. */
	void (*waits)(struct stream *s);
	/* Its line of the log, whether or not somebody takes it. */
	void (*log)(struct stream *s, struct span line);
	/* It is about to end: all that it has is there still, and s->reason tells why. */
	void (*ends)(struct stream *s);
};

/* NULL: nobody watches. While it is set, streams_watched has WATCH_RULES. */
extern const struct stream_watch *stream_watcher;

/* It is not watched any more, from now on: its steps may be at work. */
void stream_watched_no_more(struct stream *s);
/* From now on streams that begin are shown to it; NULL: no more. Those that are watched must have
 * ended. */
void streams_watch(const struct stream_watch *watcher);

#endif
