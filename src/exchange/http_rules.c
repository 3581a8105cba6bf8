/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of HTTP (manual 4.2: http-request, http-response, http-after-response, redirect):
 * the words, when the lists are run, and what follows. What rules compare is in expr/, their
 * actions are in http_*.c and redirect.c. Called by the steps of an exchange. */
#include "exchange/http_rules.h"

#include "base/arena.h"
#include "base/tables.h"
#include "config/keyword.h"
#include "exchange/exchange.h"
#include "exchange/forwarded.h"
#include "exchange/forwarded_field.h"
#include "exchange/guards.h"
#include "exchange/http_action.h"
#include "exchange/monitor.h"
#include "exchange/persist.h"
#include "exchange/redirect.h"
#include "exchange/reply.h"
#include "http/message.h"
#include "net/listener.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/do_resolve.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/tcp_rules.h"
#include "stream/track.h"

enum rule_result (*http_page_hook)(struct exchange *x, struct proxy *px);
struct proxy_part *http_page_part;

/* -- the lists -------------------------------------------------------------------------- */

static const struct action allow_actions[] = {
	{ "allow", .final = true, .where = AT_REQUESTS | AT_RESPONSE, .run = http_action_allow,
	  .help = "ends the list of this proxy: the message goes on" },
	{ 0 },
};

static struct tables request_tables = TABLES("action", struct action,
	allow_actions, http_reply_actions, http_field_actions, http_target_actions,
	http_stream_actions, http_capture_actions, log_level_actions, do_log_actions,
	treatment_actions, limit_actions,
	http_timeout_actions, http_pattern_actions, rule_var_actions, tcp_actions, stick_actions,
	track_actions, resolve_actions, retries_actions, packet_actions, server_packet_actions);
static struct tables response_tables = TABLES("action", struct action,
	allow_actions, http_reply_actions, http_field_actions, http_stream_actions,
	http_capture_actions, log_level_actions, do_log_actions, treatment_actions, limit_actions,
	http_timeout_actions, http_pattern_actions, rule_var_actions, tcp_actions, packet_actions,
	stick_actions, track_actions);
static struct tables after_tables = TABLES("action", struct action,
	allow_actions, http_field_actions, http_capture_actions, log_level_actions, do_log_actions,
	http_pattern_actions, rule_var_actions, stick_actions);

/* Actions of the manual; those without a row are not supported yet. */
static const char *const known_request[] = {
	"add-acl", "add-header", "allow", "auth", "cache-use", "capture", "del-acl", "del-header",
	"del-map", "deny", "disable-l7-retry", "do-resolve", "early-hint", "normalize-uri",
	"redirect", "reject", "replace-header", "replace-path", "replace-pathq", "replace-uri",
	"replace-value", "return", "sc-inc-gpc", "sc-inc-gpc0", "sc-inc-gpc1", "sc-set-gpt",
	"sc-set-gpt0", "send-spoe-group", "set-dst", "set-dst-port", "set-header", "set-log-level",
	"set-map", "set-mark", "set-method", "set-nice", "set-path", "set-pathq",
	"set-priority-class", "set-priority-offset", "set-query", "set-src", "set-src-port",
	"set-timeout", "set-tos", "set-uri", "set-var", "set-var-fmt", "silent-drop",
	"strict-mode", "tarpit", "track-sc0", "track-sc1", "track-sc2", "unset-var",
	"use-service", "wait-for-body", "wait-for-handshake", NULL,
};

static const char *const known_response[] = {
	"add-acl", "add-header", "allow", "cache-store", "capture", "del-acl", "del-header",
	"del-map", "deny", "redirect", "replace-header", "replace-value", "return", "sc-inc-gpc",
	"sc-inc-gpc0", "sc-inc-gpc1", "sc-set-gpt", "sc-set-gpt0", "send-spoe-group",
	"set-header", "set-log-level", "set-map", "set-mark", "set-nice", "set-status", "set-tos",
	"set-var", "set-var-fmt", "silent-drop", "strict-mode", "track-sc0", "track-sc1",
	"track-sc2", "unset-var", "wait-for-body", NULL,
};

static const char *const known_after[] = {
	"add-header", "allow", "capture", "del-header", "replace-header", "replace-value",
	"set-header", "set-status", "set-var", "set-var-fmt", "strict-mode", "unset-var", NULL,
};

const struct rule_list http_rule_lists[] = {
	{ "http-request", AT_REQUESTS, &request_tables, known_request },
	{ "http-response", AT_RESPONSE, &response_tables, known_response },
	{ "http-after-response", AT_RESPONSE, &after_tables, known_after },
	{ 0 },
};

enum action_result http_action_allow(const struct rule *rule, struct view *view, unsigned place)
{
	(void)rule;
	(void)view;
	(void)place;
	return ACTION_ACCEPT;
}

/* -- parsing ---------------------------------------------------------------------------- */

static int parse_request(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;
	struct rule_list list = { kw->name, rule_request_places(px), &request_tables, known_request };

	if (px->redirect_rules)
		rule_warn_order(st, kw->name, "redirect");
	else if (!list_empty(&px->switch_rules))
		rule_warn_order(st, kw->name, "use_backend");
	return rule_parse_list(st, px, &list, &px->http_request_rules);
}

static int parse_response(struct statement *st, const struct keyword *kw, void *object)
{
	struct rule_list list = { kw->name, AT_RESPONSE, &response_tables, known_response };
	struct proxy *px = object;

	return rule_parse_list(st, px, &list, &px->http_response_rules);
}

static int parse_after(struct statement *st, const struct keyword *kw, void *object)
{
	struct rule_list list = { kw->name, AT_RESPONSE, &after_tables, known_after };
	struct proxy *px = object;

	return rule_parse_list(st, px, &list, &px->http_after_rules);
}

/* "redirect" without a list of actions around it: the line is the rule. */
static int parse_redirect(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (!list_empty(&px->switch_rules))
		rule_warn_order(st, kw->name, "use_backend");
	return rule_parse_action(st, px, &redirect_action, kw->name, rule_request_places(px),
				 &px->redirect_rules);
}

#define LIST(text, parser, about)                                                             \
	{ .name = text, .scope = SCOPE_PROXY, .args = "<action> ... [if|unless <condition>]",  \
	  .parse = parser, .help = about }

static const struct keyword keywords[] = {
	LIST("http-request", parse_request, "rule for requests"),
	LIST("http-response", parse_response, "rule for responses of servers"),
	LIST("http-after-response", parse_after,
	     "rule for all responses, those of the program itself included"),
	{ .name = "redirect", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "{ location | prefix | scheme } <to> [code <status>] [<option>]* "
		  "[if|unless <condition>]",
	  .parse = parse_redirect, .help = "sends clients elsewhere, after http-request rules" },
	{ 0 },
};

/* -- the end of the configuration ------------------------------------------------------- */

static bool has_rules(const struct proxy *px)
{
	return px->http_request_rules || px->http_response_rules || px->http_after_rules;
}

static int inherit(struct config *cfg, struct proxy *px)
{
	struct proxy *from = px->defaults;

	if (!from || !has_rules(from))
		return 0;
	if (rule_check_inherit(cfg, px, from))
		return -1;
	rule_inherit(cfg, px, &px->http_request_rules, from->http_request_rules);
	rule_inherit(cfg, px, &px->http_response_rules, from->http_response_rules);
	rule_inherit(cfg, px, &px->http_after_rules, from->http_after_rules);
	return 0;
}

/* The word that is of no use to a proxy in mode tcp, and where it stands; NULL: none. */
static const char *useless_word(const struct proxy *px, const struct location **loc)
{
	const struct {
		const struct rule_set *set;
		const char *word;
	} lists[] = { { px->http_request_rules, "http-request" },
		      { px->http_response_rules, "http-response" },
		      { px->http_after_rules, "http-after-response" },
		      { px->redirect_rules, "redirect" } };
	size_t i;

	*loc = &px->loc;
	for (i = 0; i < ARRAY_LEN(lists); i++) {
		if (!lists[i].set)
			continue;
		if (lists[i].set->first)
			*loc = &lists[i].set->first->loc;
		return lists[i].word;
	}
	return proxy_part(px, &monitor_fail_part) ? "monitor fail" : NULL;
}

static int http_rules_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct location *loc;
	const char *word;
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node) {
		bad |= inherit(cfg, px);
		word = proxy_may_speak_http(px) ? NULL : useless_word(px, &loc);
		if (word)
			config_warning(cfg, loc, "'%s' does nothing in '%s', which is in mode tcp: "
				       "it needs mode http", word, px->name);
	}
	return bad;
}

struct proxy_part http_rules_proxy_part = { .make = inherit };

/* -- running ---------------------------------------------------------------------------- */

static bool answers_aloud(const struct exchange *x, enum rule_result r)
{
	return r == RULES_REPLY && !(x->reply && x->reply->silent);
}

/* Nobody waits for what an action waits for: the action is asked for the last time. */
static bool waits_in_vain(struct stream *s)
{
	if (!s->extra->rule_waits || s->extra->rule_late || !s->kind->client_left(s))
		return false;
	s->extra->rule_late = true;
	return true;
}

/* Heads are complete here, so that no condition waits for more; an action may (wait-for-body). */
static enum rule_result run_set(struct exchange *x, const struct rule_set *set,
				struct rule_place *place)
{
	enum rule_result r;
	struct view view;

	if (!place->at)
		x->lenient = false;
	if (!extra_get(x->stream)) /* variables */
		return RULES_ERROR;
	do {
		stream_view(x->stream, &view, NULL);
		view.patient = place == &x->request_place;
		r = rules_run(set, &view, place, true);
	} while (r == RULES_WAIT && waits_in_vain(x->stream));
	x->stream->extra->rule_late = false;
	x->stream->extra->last_rule = view.last_rule;
	if (r == RULES_ERROR)
		x->hinting = false; /* the answer is written in their place */
	if (x->hinting && (r == RULES_PASS || r == RULES_WAIT || answers_aloud(x, r)))
		action_send_hints(x);
	return r;
}

static inline enum rule_result run(struct exchange *x, const struct rule_set *set,
				   struct rule_place *place)
{
	return set ? run_set(x, set, place) : RULES_PASS;
}

enum rule_result http_request_rules(struct exchange *x, struct proxy *px)
{
	struct rule_place none = { 0 };
	enum rule_result r = run(x, px->http_request_rules, &x->request_place);

	if (r == RULES_PASS && http_has_page(px))
		r = http_page_hook(x, px);
	if (r == RULES_PASS)
		r = run(x, px->redirect_rules, &none);
	if (r == RULES_PASS && px->set.restrict_names != NAMES_PRESERVE && !guard_names(x, px))
		r = RULES_REPLY;
	return r;
}

/* The backend's, then the frontend's; a list that has waited goes on where it was. */
enum rule_result http_response_rules(struct exchange *x)
{
	struct proxy *frontend = x->stream->origin->frontend, *backend = x->stream->backend;
	enum rule_result r = RULES_PASS;

	if (backend && !x->backend_passed)
		r = run(x, backend->http_response_rules, &x->response_place);
	if (r != RULES_PASS)
		return r;
	x->backend_passed = true;
	return backend == frontend ? r : run(x, frontend->http_response_rules, &x->response_place);
}

/* The backend's come first, since the answer comes from there. */
enum rule_result http_after_rules(struct exchange *x)
{
	struct proxy *frontend = x->stream->origin->frontend, *backend = x->stream->backend;
	struct rule_place none = { 0 };
	enum rule_result r = RULES_PASS;

	if (backend && backend != frontend)
		r = run(x, backend->http_after_rules, &none);
	return r == RULES_PASS ? run(x, frontend->http_after_rules, &none) : r;
}

int http_finish_request(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (!persist_request(x) || !forwarded_add(x) || !forwarded_field_add(x))
		return exchange_fail_with(s, END_RESOURCE, 500);
	if (likely(action_fits(&x->req, 0)))
		return STEP_NEXT;
	action_count_failed(x);
	return exchange_fail(s, END_UNWRITTEN);
}

const struct module http_rules_module = {
	.name = "http_rules",
	.keywords = keywords,
	.finish = http_rules_finish,
};
