/* SPDX-License-Identifier: BSD-2-Clause */
/* A scan of all streams that may be interrupted: streams that end meanwhile are stepped
 * over, streams that begin meanwhile are not shown. */
#ifndef STREAM_SCAN_H
#define STREAM_SCAN_H

#include "base/list.h"

#include <stdint.h>

struct stream;

struct stream_scan {
	struct list node;    /* among the scans under way */
	struct stream *next; /* NULL: none left */
	uint64_t last_id;    /* of the newest stream at the start */
};

/* Begins at the oldest stream; stream_scan_end must follow. */
void stream_scan_start(struct stream_scan *scan);
/* The next stream, oldest first; NULL: all were seen. */
struct stream *stream_scan_next(struct stream_scan *scan);
/* Forgets the scan; a zeroed scan, and one that was ended, may be ended, too. */
void stream_scan_end(struct stream_scan *scan);
/* For stream_end, before it takes the stream out of streams_all. */
void stream_scans_leave(struct stream *s);

#endif
