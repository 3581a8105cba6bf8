/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of HTTP rules on what is no part of a message: the level of the log line, retries, the
 * wait for a body (manual 4.2). Rows of a table; called by expr/rule.c. */
#include "base/arena.h"
#include "base/clock.h"
#include "log/header.h"
#include "stream/exchange.h"
#include "stream/http_action.h"
#include "stream/http_rules.h"
#include "stream/stream.h"

enum { REQUESTS = AT_REQUESTS, BOTH = AT_REQUESTS | AT_RESPONSE };

/* -- set-log-level ---------------------------------------------------------------------- */

static int parse_log_level(struct statement *st, struct rule *rule, const char *args)
{
	const char *word = stmt_need(st, "a log level");
	int i;

	(void)args;
	if (!word)
		return -1;
	if (!strcmp(word, "silent")) {
		rule->num = LOG_LEVEL_SILENT;
		return 0;
	}
	for (i = 0; log_level_names[i] && strcmp(log_level_names[i], word); i++)
		;
	rule->num = i + 1;
	if (log_level_names[i])
		return 0;
	stmt_unknown(st, st->at - 1, "log level", log_level_names);
	stmt_hint(st, "'silent' logs nothing");
	return -1;
}

static enum action_result action_log_level(const struct rule *rule, struct view *view,
					   unsigned place)
{
	struct stream *s = view->stream;

	(void)place;
	s->log_level = (uint8_t)rule->num;
	return ACTION_NEXT;
}

/* -- disable-l7-retry ------------------------------------------------------------------- */

static enum action_result action_no_retry(const struct rule *rule, struct view *view,
					  unsigned place)
{
	(void)rule;
	(void)place;
	action_exchange(view)->no_retry = true;
	return ACTION_NEXT;
}

/* -- wait-for-body ---------------------------------------------------------------------- */

struct body_rule {
	unsigned ms;
	size_t least;
};

static int parse_body(struct statement *st, struct rule *rule, const char *args)
{
	struct body_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	rule->data = data;
	if (!stmt_take(st, "time"))
		return stmt_error(st, st->at, "'time' and how long to wait are expected");
	if (stmt_duration(st, "the time", 'm', &data->ms))
		return -1;
	return stmt_take(st, "at-least") ? stmt_size(st, "the size", &data->least) : 0;
}

static bool body_there(const struct body_rule *data, const struct view *view)
{
	const struct view_http *http = view->http;

	return http->request_body_final || (data->least && http->request_body.len >= data->least);
}

static enum action_result action_body(const struct rule *rule, struct view *view, unsigned place)
{
	const struct body_rule *data = rule->data;
	struct exchange *x = action_exchange(view);
	uint32_t now = (uint32_t)clock_now_ms;

	(void)place;
	if (!x->body_wanted) {
		x->body_until = now + data->ms;
		x->body_least = data->least;
	}
	x->body_wanted = !body_there(data, view) && (int32_t)(x->body_until - now) > 0;
	return x->body_wanted ? ACTION_WAIT : ACTION_NEXT;
}

/* -- use-service ------------------------------------------------------------------------- */

static struct http_service *services;

void http_service_add(struct http_service *service)
{
	const struct http_service *other;

	for (other = services; other; other = other->next)
		if (other == service)
			return;
	service->next = services;
	services = service;
}

static int parse_service(struct statement *st, struct rule *rule, const char *args)
{
	const char *name = stmt_need(st, "the name of a service");
	struct http_service *service;

	(void)args;
	if (!name)
		return -1;
	for (service = services; service; service = service->next)
		if (!strcmp(service->name, name))
			break;
	rule->data = service;
	return service ? 0 : stmt_error(st, st->at - 1, "there is no service '%s'", name);
}

static enum action_result action_service(const struct rule *rule, struct view *view, unsigned place)
{
	const struct http_service *service = rule->data;

	(void)place;
	return service->serve(action_exchange(view));
}

const struct action http_stream_actions[] = {
	{ "use-service", .where = REQUESTS, .parse = parse_service, .run = action_service,
	  .help = "answers by a service: prometheus-exporter" },
	{ "set-log-level", .where = BOTH, .parse = parse_log_level, .run = action_log_level,
	  .help = "sets the level of the exchange's log line; 'silent': none" },
	{ "disable-l7-retry", .where = REQUESTS, .run = action_no_retry,
	  .help = "the request is not sent again once it was sent" },
	{ "wait-for-body", .where = REQUESTS, .parse = parse_body, .run = action_body,
	  .help = "waits for the body of the request, or for a part of it" },
	{ 0 },
};
