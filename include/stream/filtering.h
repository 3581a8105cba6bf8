/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters (filter/filter.h) meet the steps of a stream. Each is called only where the
 * frontend or the backend has filters. For the files of stream/. */
#ifndef STREAM_FILTERING_H
#define STREAM_FILTERING_H

#include <stdbool.h>

struct exchange;
struct filters;
struct module;
struct pump;
struct stream;

/* The stream's, with those of the backend when that is chosen; taken up when it has none. NULL: no
 * memory. */
struct filters *filtering_get(struct stream *s);
/* The head of the request leaves for a server. False: no memory. */
bool filtering_request(struct exchange *x);
/* The head of the response leaves. False: no memory. */
bool filtering_response(struct exchange *x);
/* Mode tcp: the request's pump is about to be opened. False: no memory. */
bool filtering_stream(struct stream *s);
/* The answer that was about to leave is not the one that will. */
void filtering_forget(struct stream *s);
/* The stream ends; its connections are its own still. */
void filtering_end(struct stream *s);

extern const struct module limit_rules_module; /* set-bandwidth-limit */

#endif
