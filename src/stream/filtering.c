/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters meet the steps of a stream: when they are taken up, which heads and which pumps
 * they are given, and what becomes of connections on which a filter has ended a message. Called by
 * the steps and stream_end. */
#include "stream/filtering.h"

#include "filter/filter.h"
#include "proxy/proxy.h"
#include "stream/exchange.h"
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

static bool has_filters(const struct stream *s)
{
	return s->relay.response.chain || s->origin->frontend->filters ||
	       (s->backend && s->backend->filters);
}

bool filtering_request(struct exchange *x)
{
	struct filter_heads heads = { .req = &x->req, .arena = x->arena, .http = &x->http };
	struct stream *s = x->stream;
	struct filters *set;

	if (!has_filters(s))
		return true;
	set = filtering_get(s);
	if (!set || !filters_request(set, &heads)) {
		arena_fail(x->arena);
		return false;
	}
	filters_open(set, false);
	if (filters_see(&set->request))
		end_decode(&s->relay.client);
	return true;
}

bool filtering_response(struct exchange *x)
{
	struct filter_heads heads = { .req = &x->req, .res = &x->res, .arena = x->arena,
				      .http = &x->http, .local = x->reply };
	struct filters *set = filters_of(&x->stream->relay);

	if (x->reply)
		filters_forget_response(set);
	if (!filters_response(set, &heads))
		return false;
	if (x->reply)
		return true;
	filters_open(set, true);
	if (filters_see(&set->response))
		end_decode(&x->stream->relay.server);
	return true;
}

bool filtering_stream(struct stream *s)
{
	struct filters *set;

	if (!has_filters(s))
		return true;
	set = filtering_get(s);
	if (!set)
		return false;
	filters_open(set, false);
	return true;
}

void filtering_forget(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (set)
		filters_forget_response(set);
}

void filtering_end(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (s->exchange && filters_cut(set))
		s->exchange->client_keeps = s->exchange->server_keeps = false;
	filters_end(set);
}
