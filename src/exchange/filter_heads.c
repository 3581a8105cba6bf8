/* SPDX-License-Identifier: BSD-2-Clause */
/* The heads that filters are given, and the bodies behind them. Called by the steps of an exchange
 * before a head leaves. */
#include "exchange/filter_heads.h"

#include "exchange/exchange.h"
#include "filter/filter.h"
#include "proxy/proxy.h"
#include "stream/filtering.h"
#include "stream/steps.h"

/* ---- as heads leave -------------------------------------------------------------------------- */

/* A body that filters change is to be as long as the head that leaves says. */
static void body_promised(struct pump_chain *chain, const struct message *msg)
{
	uint64_t bytes = UINT64_MAX;

	if (chain->changing && msg->framing == BODY_LENGTH)
		bytes = msg->length;
	else if (chain->changing && msg->framing == BODY_NONE)
		bytes = 0;
	chain_promise(chain, bytes);
}

/* A client that has asked HEAD, or is told a status without body, takes none. That is not for a filter
 * to know, which adds to each response. */
static void response_promised(struct pump_chain *chain, const struct message *msg)
{
	if (msg->framing == BODY_NONE)
		chain_promise_none(chain);
	else
		body_promised(chain, msg);
}

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
	body_promised(&set->request, &x->req);
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
	response_promised(&set->response, &x->res);
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
