/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words of a proxy ask for, as traits: the steps of an exchange that are not passed over.
 * Called once for each proxy, at the end of the configuration. */
#include "exchange/traits.h"

#include "exchange/forwarded.h"
#include "exchange/persist.h"
#include "proxy/learn.h"
#include "proxy/proxy.h"
#include "stream/steps.h"

static unsigned trait_if(bool is, unsigned trait)
{
	return is ? trait : 0;
}

/* What a proxy does with requests: once as frontend, once as another one's backend. */
static bool acts_on_requests(const struct proxy *px)
{
	return px->http_request_rules || px->redirect_rules ||
	       px->set.restrict_names != NAMES_PRESERVE;
}

static unsigned traits_of_both(const struct proxy *px)
{
	const struct forwarded_conf *conf = forwarded_conf_of(px);

	return trait_if(conf && (conf->forwardfor || conf->originalto), REQUEST_FIELDS) |
	       trait_if(px->http_response_rules != NULL, RESPONSE_MESSAGE) |
	       trait_if(px->http_after_rules != NULL, RESPONSE_AFTER) |
	       trait_if(px->filters || (conf && conf->name_header.ptr) ||
			learn_times(px) ||
			px->set.options.on & (OPT_ADJUST_SERVER | OPT_NO_REQUEST_TRAILERS),
			LEAVING_EDITS);
}

unsigned exchange_traits_of_front(const struct proxy *px)
{
	return traits_of_both(px) |
	       trait_if(px->set.options.on & OPT_BUFFER_REQUEST, FRONT_BUFFERS) |
	       trait_if(acts_on_requests(px), FRONT_MESSAGE) |
	       trait_if(px->set.unique_id != NULL, REQUEST_FIELDS);
}

unsigned exchange_traits_of_back(const struct proxy *px)
{
	return traits_of_both(px) |
	       trait_if(px->set.options.on & OPT_BUFFER_REQUEST ||
			px->set.balance == BALANCE_URL_PARAM, BACK_BUFFERS) |
	       trait_if(acts_on_requests(px), BACK_MESSAGE) |
	       trait_if(persist_cookie(px) != NULL, REQUEST_FIELDS | RESPONSE_MESSAGE) |
	       trait_if(px->set.options.on & OPT_CHECKCACHE, RESPONSE_MESSAGE) |
	       trait_if(px->set.timeout.attempt != 0, TRIES_END);
}
