/* SPDX-License-Identifier: BSD-2-Clause */
/* The words tcp-request and tcp-response (manual 4.2): which lists there are, where they may
 * stand, and what a defaults section hands on. Rules run from stream/rule_steps.c. */
#include "stream/tcp_rules.h"

#include "base/tables.h"
#include "config/keyword.h"
#include "expr/rule_conf.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/do_resolve.h"
#include "stream/service.h"
#include "stream/track.h"
#include "stream/upgrade.h"

static struct tables tables = TABLES("action", struct action,
	rule_actions, rule_var_actions, tcp_actions, content_capture_actions, log_level_actions,
	do_log_actions,
	treatment_actions, limit_actions, upgrade_actions, stick_actions, track_actions,
	service_actions, resolve_actions, retries_actions, packet_actions,
	server_packet_actions);

/* Actions of the manual; those without a row are not supported yet. */
static const char *const known_request[] = {
	"accept", "capture", "do-resolve", "expect-netscaler-cip", "expect-proxy", "reject",
	"sc-inc-gpc", "sc-inc-gpc0", "sc-inc-gpc1", "sc-set-gpt", "sc-set-gpt0",
	"send-spoe-group", "set-dst", "set-dst-port", "set-log-level", "set-mark", "set-nice",
	"set-priority-class", "set-priority-offset", "set-src", "set-src-port", "set-tos",
	"set-var", "set-var-fmt", "silent-drop", "switch-mode", "track-sc0", "track-sc1",
	"track-sc2", "unset-var", "use-service", NULL,
};

static const char *const known_response[] = {
	"accept", "close", "reject", "sc-inc-gpc", "sc-inc-gpc0", "sc-inc-gpc1", "sc-set-gpt",
	"sc-set-gpt0", "send-spoe-group", "set-log-level", "set-mark", "set-nice", "set-tos",
	"set-var", "set-var-fmt", "silent-drop", "unset-var", NULL,
};

const struct rule_list tcp_rule_lists[] = {
	{ "tcp-request connection", AT_CONN, &tables, known_request },
	{ "tcp-request session", AT_SESSION, &tables, known_request },
	{ "tcp-request content", AT_REQUESTS, &tables, known_request },
	{ "tcp-response content", AT_RESPONSE, &tables, known_response },
	{ 0 },
};

static int parse_list(struct statement *st, struct proxy *px, const char *name, unsigned where,
		      const char *const *known, struct rule_set **set)
{
	struct rule_list list = { name, where, &tables, known };

	return rule_parse_list(st, px, &list, set);
}

static int parse_connection(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (px->session_rules)
		rule_warn_order(st, kw->name, "tcp-request session");
	else if (px->request_rules)
		rule_warn_order(st, kw->name, "tcp-request content");
	else if (!list_empty(&px->switch_rules))
		rule_warn_order(st, kw->name, "use_backend");
	return parse_list(st, px, kw->name, AT_CONN, known_request, &px->connection_rules);
}

static int parse_session(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (px->request_rules)
		rule_warn_order(st, kw->name, "tcp-request content");
	else if (!list_empty(&px->switch_rules))
		rule_warn_order(st, kw->name, "use_backend");
	return parse_list(st, px, kw->name, AT_SESSION, known_request, &px->session_rules);
}

static int parse_content(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (px->http_request_rules)
		rule_warn_order(st, kw->name, "http-request");
	else if (!list_empty(&px->switch_rules))
		rule_warn_order(st, kw->name, "use_backend");
	return parse_list(st, px, kw->name, rule_request_places(px), known_request,
			  &px->request_rules);
}

static int parse_response(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	return parse_list(st, px, kw->name, AT_RESPONSE, known_response, &px->response_rules);
}

static int parse_delay(struct statement *st, const struct keyword *kw, void *object)
{
	if (rule_check_defaults(st, object, kw->name))
		return -1;
	return set_duration(st, kw, object);
}

#define LIST(text, in, parser, about)                                                         \
	{ .name = text, .scope = in, .args = "<action> ... [if|unless <condition>]",           \
	  .parse = parser, .help = about }
#define DELAY(text, in, field)                                                                \
	{ .name = text, .scope = in, .args = "<time>", .parse = parse_delay,                   \
	  .offset = offsetof(struct proxy, set.field), .dflt = "0",                            \
	  .help = "longest wait for the data that content rules look at" }

static const struct keyword keywords[] = {
	LIST("tcp-request connection", SCOPE_FRONT, parse_connection,
	     "rule for each new connection, before anything else"),
	LIST("tcp-request session", SCOPE_FRONT, parse_session,
	     "rule for each session, before any data"),
	LIST("tcp-request content", SCOPE_PROXY, parse_content,
	     "rule that may look at the first bytes of the client"),
	DELAY("tcp-request inspect-delay", SCOPE_PROXY, inspect_delay_req),
	LIST("tcp-response content", SCOPE_BACK, parse_response,
	     "rule that may look at the first bytes of the server"),
	DELAY("tcp-response inspect-delay", SCOPE_BACK, inspect_delay_res),
	{ 0 },
};

/* -- the end of the configuration ------------------------------------------------------- */

static bool has_rules(const struct proxy *px)
{
	return px->connection_rules || px->session_rules || px->request_rules ||
	       px->response_rules;
}

/* Rules of lists that the section does not have would never run. */
static int check_lists(struct config *cfg, const struct proxy *px, const struct proxy *from)
{
	const char *list = NULL;

	if (px->caps & PROXY_BACKEND && from->connection_rules)
		list = "tcp-request connection";
	else if (px->caps & PROXY_BACKEND && from->session_rules)
		list = "tcp-request session";
	else if (px->caps & PROXY_FRONTEND && from->response_rules)
		list = "tcp-response content";
	if (!list)
		return 0;
	return config_error(cfg, &px->loc, "a %s cannot use the defaults section '%s', which has "
			    "rules of '%s'", px->caps & PROXY_FRONTEND ? "frontend" : "backend",
			    from->name, list);
}

static int inherit(struct config *cfg, struct proxy *px)
{
	struct proxy *from = px->defaults;

	if (!from || !has_rules(from))
		return 0;
	if (rule_check_inherit(cfg, px, from) || check_lists(cfg, px, from))
		return -1;
	if (px->caps & PROXY_FRONTEND) {
		rule_inherit(cfg, px, &px->connection_rules, from->connection_rules);
		rule_inherit(cfg, px, &px->session_rules, from->session_rules);
	} else {
		rule_inherit(cfg, px, &px->response_rules, from->response_rules);
	}
	rule_inherit(cfg, px, &px->request_rules, from->request_rules);
	return 0;
}

static int tcp_rules_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		bad |= inherit(cfg, px);
	return bad;
}

struct proxy_part tcp_rules_proxy_part = { .make = inherit };

const struct module tcp_rules_module = {
	.name = "tcp_rules",
	.keywords = keywords,
	.finish = tcp_rules_finish,
};
