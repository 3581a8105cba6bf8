/* SPDX-License-Identifier: BSD-2-Clause */
/* Where filters meet the steps of a stream: when they are taken up, which heads and which pumps
 * they are given, and what becomes of connections on which a filter has ended a message. Called by
 * the steps and stream_end. */
#include "stream/filtering.h"

#include "log/log.h"
#include "proxy/proxy.h"
#include "stream/kind.h"
#include "stream/timeouts.h"

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

/* ---- filters that are asked --------------------------------------------------------------- */

static enum reason reason_said(enum filter_said said)
{
	switch (said) {
	case FILTER_ENDS:
		return END_LOCAL;
	case FILTER_REFUSES:
		return END_FILTERED;
	case FILTER_FAULTY:
		return END_INTERNAL;
	default:
		return END_RESOURCE;
	}
}

/* A filter waits for as long as its side may be silent. */
static int filtering_waits(struct stream *s, bool response)
{
	const struct cursor *at = response ? &s->response : &s->request;

	if (stream_client_gone(s))
		return STEP_END;
	if (!at->waiting)
		stream_arm_wait(s, stream_timeout(s, response ? TIMEOUT_SERVER : TIMEOUT_CLIENT));
	else if (stream_wait_over(s))
		return s->kind->filtered(s, END_FILTERED, response);
	s->relay.request.flags |= PUMP_WATCH; /* a client that leaves is noticed */
	return STEP_WAIT;
}

int filtering_said(struct stream *s, enum filter_said said, bool is_response)
{
	if (said == FILTER_WAITS)
		return filtering_waits(s, is_response);
	if (said != FILTER_GOES_ON)
		return s->kind->filtered(s, reason_said(said), is_response);
	if ((is_response ? &s->response : &s->request)->waiting) {
		stream_expire_never(s);
		s->relay.request.flags &= (uint16_t)~PUMP_WATCH;
	}
	return STEP_NEXT;
}

static int filtering_begin(struct stream *s, bool response)
{
	struct filters *set = filtering_get(s);

	return filtering_said(s, set ? filters_start(set, response) : FILTER_SHORT, response);
}

int filtering_begin_request(struct stream *s)
{
	return filtering_begin(s, false);
}

int filtering_begin_response(struct stream *s)
{
	return filtering_begin(s, true);
}

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
	return set->broken ? reason_said((enum filter_said)set->broken) : END_RESOURCE;
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

bool filtering_end(struct stream *s)
{
	struct filters *set = filters_of(&s->relay);
	bool cut = filters_cut(set);

	filters_end(set);
	return cut;
}
