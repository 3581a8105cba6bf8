/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters (filter/filter.h) meet the steps of a stream. Each is called only where the
 * frontend or the backend has filters. For the files of stream/. */
#ifndef STREAM_FILTERING_H
#define STREAM_FILTERING_H

#include <stdbool.h>

struct filters;
struct module;
struct pump;
struct stream;

/* The stream's, with those of the backend when that is chosen; taken up when it has none. NULL: no
 * memory. */
struct filters *filtering_get(struct stream *s);
/* Has the stream filters, or has its frontend or backend some for it? */
bool filtering_wanted(const struct stream *s);
/* Mode tcp: the request's pump is about to be opened. False: no memory. */
bool filtering_stream(struct stream *s);
/* The stream ends; its connections are its own still. True: one has ended a message before its
 * time. */
bool filtering_end(struct stream *s);

extern const struct module limit_rules_module; /* set-bandwidth-limit */

#endif
