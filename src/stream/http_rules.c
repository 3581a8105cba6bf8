/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of HTTP (manual 4.2: http-request, http-response, http-after-response, redirect,
 * monitor-uri): when they are asked, and what follows. The lists and what they compare are in
 * expr/, actions in the files http_actions*.c. Called by the steps of an exchange. */
#include "stream/http_rules.h"

#include "net/listener.h"
#include "proxy/proxy.h"
#include "stream/exchange.h"
#include "stream/stream.h"

/* Heads are complete here, so that no condition waits for more; an action may (wait-for-body). */
static enum rule_result run(struct exchange *x, const struct rule_set *set,
			    struct rule_place *place)
{
	struct view view;

	if (!set)
		return RULES_PASS;
	if (!place->at)
		x->lenient = false;
	stream_view(x->stream, &view, NULL);
	return rules_run(set, &view, place, true);
}

enum rule_result http_request_rules(struct exchange *x, struct proxy *px)
{
	return run(x, px->http_request_rules, &x->request_place);
}

enum rule_result http_response_rules(struct exchange *x, struct proxy *px)
{
	return run(x, px->http_response_rules, &x->response_place);
}

/* The backend's come first, since the answer comes from there. */
enum rule_result http_after_rules(struct exchange *x)
{
	struct proxy *frontend = x->stream->session->frontend, *backend = x->stream->backend;
	struct rule_place place = { 0 };
	enum rule_result r = RULES_PASS;

	if (backend && backend != frontend)
		r = run(x, backend->http_after_rules, &place);
	place.at = NULL;
	return r == RULES_PASS ? run(x, frontend->http_after_rules, &place) : r;
}

void http_count_failed_rewrite(struct exchange *x)
{
	struct stream *s = x->stream;

	s->session->frontend->fe->counters.failed_rewrites++;
	if (s->session->listener->counters)
		s->session->listener->counters->failed_rewrites++;
	if (s->backend)
		s->backend->be->counters.failed_rewrites++;
	if (s->server)
		s->server->state->counters.failed_rewrites++;
}

const struct module http_rules_module = {
	.name = "http_rules",
};
