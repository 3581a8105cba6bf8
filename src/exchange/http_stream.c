/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of HTTP rules on what is no part of a message: retries, services, the wait for a
 * body (manual 4.2). Rows of a table; called by expr/rules.c. */
#include "base/arena.h"
#include "base/kind.h"
#include "base/result.h"
#include "config/suggest.h"
#include "exchange/body_wait.h"
#include "exchange/early_part.h"
#include "exchange/edit.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "exchange/http_service.h"
#include "http/message.h"
#include "expr/expr.h"
#include "expr/watch.h"
#include "proxy/proxy.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include "config.h"

#include <ctype.h>

enum { REQUESTS = AT_REQUESTS, BOTH = AT_REQUESTS | AT_RESPONSE };

/* -- wait-for-handshake ----------------------------------------------------------------- */

#ifdef HAVE_OPENSSL
static enum action_result action_handshake(const struct rule *rule, struct view *view,
					   unsigned place)
{
	struct exchange *x = action_exchange(view);

	(void)rule;
	(void)place;
	if (early_is_proven(x->stream))
		return ACTION_NEXT;
	return early_ask(x) ? ACTION_WAIT : ACTION_ERROR;
}
#endif

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
	KIND_MEMBER
};

static int parse_body(struct statement *st, struct rule *rule, const char *args)
{
	struct body_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	KIND_IS(struct body_rule, data);
	rule->data = data;
	if (!stmt_take(st, "time"))
		return stmt_error(st, st->at, "'time' and how long to wait are expected");
	if (stmt_duration(st, "the time", 'm', &data->ms))
		return -1;
	return stmt_take(st, "at-least") ? stmt_size(st, "the size", &data->least) : 0;
}

static bool body_there(const struct body_rule *data, const struct view *view, bool response)
{
	const struct view_http *http = view->http;
	struct span body = response ? http->response_body : http->request_body;

	return (response ? http->response_body_final : http->request_body_final) ||
	       (data->least && body.len >= data->least);
}

/* "time 0" leaves it to the usual timeout of the side that sends the body. */
static unsigned body_timeout(const struct body_rule *data, const struct view *view, bool response)
{
	if (data->ms)
		return data->ms;
	return stream_timeout(view->stream, response ? TIMEOUT_SERVER : TIMEOUT_CLIENT);
}

/* Whoever waits answers 408 or 504 when the time is over, as the reference does. */
static enum action_result action_body(const struct rule *rule, struct view *view, unsigned place)
{
	const struct body_rule *data = KIND_OF(const struct body_rule, rule->data);
	struct exchange *x = action_exchange(view);
	bool response = rule->where & AT_RESPONSE;
	unsigned ms = body_timeout(data, view, response);

	(void)place;
	if (body_there(data, view, response)) {
		body_unwant(x);
		return ACTION_NEXT;
	}
	body_want(x, ms ? ms : INT32_MAX);
	return ACTION_WAIT;
}

/* -- pause ------------------------------------------------------------------------------ */

/* A time, or an expression that gives milliseconds. */
static int parse_pause(struct statement *st, struct rule *rule, const char *args)
{
	const char *word = stmt_peek(st);
	unsigned ms;

	(void)args;
	if (!word || !isdigit((unsigned char)*word))
		return rule_parse_expr(st, rule);
	if (stmt_duration(st, "the time", 'm', &ms))
		return -1;
	rule->num = ms;
	return 0;
}

static enum action_result pause_begin(struct exchange *x, int64_t ms)
{
	if (ms <= 0)
		return ACTION_NEXT;
	x->pausing = x->stream->extra->rule_waits = true;
	stream_arm_wait(x->stream, ms < INT32_MAX ? (unsigned)ms : INT32_MAX);
	return ACTION_WAIT;
}

static enum action_result action_pause(const struct rule *rule, struct view *view, unsigned place)
{
	struct exchange *x = action_exchange(view);
	struct sample smp = { .num = rule->num };
	struct stream *s = x->stream;

	if (!x->pausing) {
		if (rule->expr &&
		    expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND)
			return ACTION_NEXT;
		return pause_begin(x, smp.num);
	}
	if (!stream_wait_over(s) && !s->extra->rule_late)
		return ACTION_WAIT;
	x->pausing = s->extra->rule_waits = false;
	stream_expire_never(s);
	return ACTION_NEXT;
}

/* -- use-service ------------------------------------------------------------------------- */

static struct http_service *services;

void http_service_add(struct http_service *service)
{
	const struct http_service *other;

	for (other = services; other; other = other->next)
		if (other == service)
			return;
	KIND_IS(struct http_service, service);
	service->next = services;
	services = service;
}

static int parse_service(struct statement *st, struct rule *rule, const char *args)
{
	const char *name = stmt_need(st, "the name of a service");
	struct http_service *service;
	struct suggestion near;

	(void)args;
	if (!name)
		return -1;
	for (service = services; service; service = service->next)
		if (!strcmp(service->name, name))
			break;
	rule->data = service;
	if (service)
		return 0;
	stmt_error(st, st->at - 1, "there is no service '%s'", name);
	near = suggest_for(st->cfg, name);
	for (service = services; service; service = service->next)
		suggest_name(&near, service->name);
	suggest_end(&near);
	return -1;
}

static enum action_result action_service(const struct rule *rule, struct view *view, unsigned place)
{
	const struct http_service *service = KIND_OF(const struct http_service, rule->data);

	(void)place;
	return service->serve(service, action_exchange(view));
}

/* -- early-hint ------------------------------------------------------------------------- */

struct hint_rule {
	struct span name;
	struct rule_text value;
	KIND_MEMBER
};

static int parse_hint(struct statement *st, struct rule *rule, const char *args)
{
	struct hint_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	KIND_IS(struct hint_rule, data);
	rule->data = data;
	return action_field_name(st, &data->name) ||
	       rule_text_parse(st, rule, "the value of the header", &data->value) ? -1 : 0;
}

/* Collected in the place of the response, which has not come yet (RFC 8297). */
static enum action_result action_hint(const struct rule *rule, struct view *view, unsigned place)
{
	const struct hint_rule *data = KIND_OF(const struct hint_rule, rule->data);
	struct exchange *x = action_exchange(view);
	struct span value;

	(void)place;
	if (x->req.major == 1 && !x->req.minor)
		return ACTION_NEXT;
	if (!rule_text_make(&data->value, view, &value))
		return action_rewrite_failed(view);
	if (!x->hinting) {
		exchange_init_response(x);
		x->res.flags = MSG_INTERIM;
		message_set_status(&x->res, 103, (struct span){ NULL, 0 });
		x->hinting = true;
	}
	if (unlikely(watch != NULL))
		watch->says("goes ahead of the answer, with status 103",
			    arena_printf(x->arena, "%.*s: %.*s", (int)data->name.len,
					 data->name.ptr, (int)value.len, value.ptr));
	return action_rewritten(edit_add(&x->res, x->arena, data->name, value), view);
}

void action_send_hints(struct exchange *x)
{
	struct end *client = &x->stream->relay.client;

	x->hinting = false;
	if (end_head_out(client, &x->res) == IO_OK)
		DROPPED(end_flush(client), "an error stays with the end, where the response meets it");
}

const struct action http_stream_actions[] = {
	{ "use-service", .final = true, .where = REQUESTS, .parse = parse_service, .run = action_service,
	  .help = "answers by a service: prometheus-exporter, lua.NAME" },
	{ "early-hint", .where = REQUESTS, .parse = parse_hint, .run = action_hint,
	  .help = "sends a header ahead of the response, in a 103" },
	{ "disable-l7-retry", .where = REQUESTS, .run = action_no_retry,
	  .help = "the request is not sent again once it was sent" },
#ifdef HAVE_OPENSSL
	{ "wait-for-handshake", .where = REQUESTS, .run = action_handshake,
	  .help = "waits until a client that has sent early data has finished the TLS handshake" },
#endif
	{ "pause", .where = BOTH, .parse = parse_pause, .run = action_pause,
	  .help = "lets the message wait for a while" },
	{ "wait-for-body", .where = BOTH, .parse = parse_body, .run = action_body,
	  .help = "waits for the body, or for a part of it" },
	{ 0 },
};
