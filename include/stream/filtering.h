/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters (filter/filter.h) meet the steps of a stream. Each is called only where the
 * frontend or the backend has filters. For the files of stream/. */
#ifndef STREAM_FILTERING_H
#define STREAM_FILTERING_H

#include "base/result.h"
#include "filter/filter.h"
#include "stream/stream.h"

#include <stdbool.h>

struct filters;
struct module;
struct pump;
struct stream;
struct subscriber;

/* The stream's, with those of the backend when that is chosen; taken up when it has none. NULL: no
 * memory. */
struct filters *filtering_get(struct stream *s);
/* Has the stream filters, or has its frontend or backend some for it? */
MUST_USE bool filtering_wanted(const struct stream *s);
/* The filters of streams, at the moments that their kinds ask for (filter_kind.moments). */
extern const struct subscriber filtering_subscriber;
/* A pump says that there is no memory: is it so, or has a filter failed? */
MUST_USE enum reason filtering_failure(struct stream *s);
/* Mode tcp: the request's pump is about to be opened. False: no memory. */
MUST_USE bool filtering_stream(struct stream *s);

extern const struct module limit_rules_module; /* set-bandwidth-limit */

#endif
