/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters meet the steps of a stream: when they are taken up, which heads and which pumps
 * they are given, and what becomes of connections on which a filter has ended a message. Called by
 * the steps and stream_end. */
#include "stream/filtering.h"

#include "log/log.h"
#include "proxy/proxy.h"
#include "relay/chain.h"
#include "relay/pump_bytes.h"
#include "stream/kind.h"
#include "stream/moments.h"

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

/* ---- moments -------------------------------------------------------------------------------- */

static unsigned filtering_wants(const struct config *cfg, const struct proxy *px, bool is_backend)
{
	(void)cfg;
	(void)is_backend;
	return px->filters ? filters_moments(px) | AT_MOMENT(ENDED) : 0;
}

static uint64_t kept_back(const struct pump *pump)
{
	const struct pump_chain *chain = pump->chain;

	return chain && chain->changing ? chain->taken - pump_bytes(pump) : 0;
}

/* Its connections are its own still. */
static void filtering_end(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (!set)
		return;
	s->kind->changed(s, (struct stream_bytes){ kept_back(&s->relay.request),
						   kept_back(&s->relay.response) });
	if (filters_cut(set))
		s->traits |= IS_CUT;
	filters_end(set);
}

/* No filter sees what the program answers. */
static bool answered_inside(const struct stream *s)
{
	return s->exchange && s->traits & (HAS_REPLY | HAS_SERVICE);
}

static enum moment_said filtering_hear(struct stream *s, enum moment moment)
{
	bool is_response = moment >= MOMENT_RESPONSE;
	const struct cursor *at = is_response ? &s->response : &s->request;
	struct filters *set;

	if (moment == MOMENT_ENDED) {
		filtering_end(s);
		return SAID_GOES_ON;
	}
	/* Others have asked for the moment, or filters of other proxies. */
	if (!filtering_wanted(s))
		return SAID_GOES_ON;
	if (is_response && (answered_inside(s) || !filters_of(&s->relay)))
		return SAID_GOES_ON;
	set = filtering_get(s);
	return set ? filters_hear(set, moment, at->waiting) : SAID_SHORT;
}

const struct subscriber filtering_subscriber = {
	.name = "filters",
	.moments = AT_MOMENT(BEGUN) | AT_MOMENT(REQUEST) | AT_MOMENT(BACKEND) | AT_MOMENT(RULED) |
		   AT_MOMENT(CONNECTED) | AT_MOMENT(SENT) | AT_MOMENT(RESPONSE) |
		   AT_MOMENT(ANSWER) | AT_MOMENT(ANSWERED) | AT_MOMENT(ENDED),
	.wants = filtering_wants,
	.hear = filtering_hear,
};

COLD static enum reason misfit(struct stream *s, const struct filters *set)
{
	const struct proxy *px = s->backend ? s->backend : s->origin->frontend;

	log_printf(px->set.log, LOG_L_ERR, "Filters of '%s' have made the body of a %s longer or "
		   "shorter than its head says.", px->name,
		   set->response.misfits ? "response" : "request");
	return END_FILTERED;
}

enum reason filtering_failure(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);

	if (!set)
		return END_RESOURCE;
	if (set->request.misfits || set->response.misfits)
		return misfit(s, set);
	return set->broken ? moments_reason((enum moment_said)set->broken) : END_RESOURCE;
}

/* ---- bytes -------------------------------------------------------------------------------- */

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
