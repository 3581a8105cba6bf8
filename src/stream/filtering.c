/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters meet the steps of a stream: when they are taken up, which heads and which pumps
 * they are given, and what becomes of connections on which a filter has ended a message. Called by
 * the steps and stream_end. */
#include "stream/filtering.h"

#include "filter/filter.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

struct filters *filtering_get(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (!set)
		set = filters_new(&s->relay, s->origin->frontend, s->id, s->exchange != NULL);
	if (set)
		set->http |= s->exchange != NULL; /* it may have become one of HTTP */
	if (!set || !s->backend || filters_backend(set, s->backend))
		return set;
	return NULL;
}

bool filtering_wanted(const struct stream *s)
{
	return s->relay.response.chain || s->origin->frontend->filters ||
	       (s->backend && s->backend->filters);
}

bool filtering_stream(struct stream *s)
{
	struct filters *set;

	if (!filtering_wanted(s))
		return true;
	set = filtering_get(s);
	if (!set)
		return false;
	filters_open(set, false);
	return true;
}

bool filtering_end(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);
	bool cut = filters_cut(set);

	filters_end(set);
	return cut;
}
