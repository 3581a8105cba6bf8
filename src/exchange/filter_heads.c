/* SPDX-License-Identifier: BSD-2-Clause */
/* The heads that filters are given, and the bodies behind them. Called by the steps of an exchange
 * before a head leaves. */
#include "exchange/filter_heads.h"

#include "exchange/exchange.h"
#include "filter/filter.h"
#include "proxy/proxy.h"
#include "stream/filtering.h"

bool filter_request_head(struct exchange *x)
{
	struct filter_heads heads = { .req = &x->req, .arena = x->arena, .http = &x->http };
	struct stream *s = x->stream;
	struct filters *set;

	if (!filtering_wanted(s))
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

bool filter_response_head(struct exchange *x)
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

void filter_heads_forget(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (set)
		filters_forget_response(set);
}
