/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of rules on how one stream is treated: its share of a turn, its place in queues, its
 * timeouts (manual 4.2: set-nice, set-priority-class, set-priority-offset, set-timeout). Rows of
 * tables; called by expr/rule.c. */
#include "base/arena.h"
#include "expr/expr.h"
#include "proxy/proxy.h"
#include "stream/actions.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <ctype.h>

/* -- set-nice --------------------------------------------------------------------------- */

static int parse_nice(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	return stmt_int(st, "a number from -1024 to 1024", -1024, 1024, &rule->num);
}

static enum action_result action_nice(const struct rule *rule, struct view *view, unsigned place)
{
	(void)place;
	stream_be_nice(view->stream, (int)rule->num);
	return ACTION_NEXT;
}

/* -- the rest of the line is an expression ---------------------------------------------- */

static int parse_number(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	return rule_parse_expr(st, rule);
}

/* -- set-priority-class, set-priority-offset -------------------------------------------- */

enum { SET_CLASS, SET_OFFSET, MOST_CLASS = 2047, MOST_OFFSET = 524287 };

static int within(int64_t num, int most)
{
	if (num > most)
		return most;
	return num < -most ? -most : (int)num;
}

/* Its view knows of it from now on. NULL: no memory. */
static struct view_treatment *treatment(struct view *view)
{
	struct stream_extra *extra = extra_get(view->stream);

	if (extra)
		view->treatment = &extra->treatment;
	return extra ? &extra->treatment : NULL;
}

bool stream_set_class(struct view *view, int64_t class)
{
	struct view_treatment *t = treatment(view);

	if (t)
		t->priority_class = within(class, MOST_CLASS);
	return t != NULL;
}

bool stream_set_offset(struct view *view, int64_t ms)
{
	struct view_treatment *t = treatment(view);

	if (t)
		t->priority_offset = within(ms, MOST_OFFSET);
	return t != NULL;
}

static enum action_result action_priority(const struct rule *rule, struct view *view,
					  unsigned place)
{
	struct sample smp;
	bool set;

	if (expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND)
		return ACTION_NEXT;
	set = rule->action->data == SET_CLASS ? stream_set_class(view, smp.num) :
						stream_set_offset(view, smp.num);
	return set ? ACTION_NEXT : ACTION_ERROR;
}

/* -- set-timeout ------------------------------------------------------------------------ */

/* "server" or "tunnel", and a time, or an expression that gives milliseconds. */
struct timeout_rule {
	bool tunnel;
	unsigned ms; /* 0: the expression says */
};

static int parse_timeout(struct statement *st, struct rule *rule, const char *args)
{
	struct timeout_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *word;

	rule->data = data;
	if (!(rule->proxy->caps & (PROXY_BACKEND | PROXY_DEFAULTS)))
		return stmt_error(st, st->at - 1, "timeouts of servers are those of a backend: "
				  "this is none");
	data->tunnel = stmt_take(st, "tunnel");
	if (!data->tunnel && !stmt_take(st, "server"))
		return stmt_error(st, st->at, "'server' or 'tunnel' is expected");
	word = stmt_peek(st);
	if (!word || !isdigit((unsigned char)*word))
		return parse_number(st, rule, args);
	if (stmt_duration(st, "the time", 'm', &data->ms))
		return -1;
	return data->ms ? 0 : stmt_error(st, st->at - 1, "the time cannot be 0");
}

static enum action_result action_timeout(const struct rule *rule, struct view *view,
					 unsigned place)
{
	const struct timeout_rule *data = rule->data;
	struct stream_extra *extra;
	unsigned ms = data->ms;
	struct sample smp;

	if (!ms) {
		if (expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND ||
		    smp.num <= 0)
			return ACTION_NEXT;
		ms = smp.num < INT32_MAX ? (unsigned)smp.num : INT32_MAX;
	}
	extra = extra_get(view->stream);
	if (!extra)
		return ACTION_ERROR;
	view->treatment = &extra->treatment;
	if (data->tunnel)
		extra->treatment.tunnel_ms = ms;
	else
		extra->treatment.server_ms = ms;
	return ACTION_NEXT;
}

/* Of lists of both kinds. */
const struct action treatment_actions[] = {
	{ "set-nice", .where = AT_REQUESTS | AT_RESPONSE, .parse = parse_nice, .run = action_nice,
	  .help = "how much of each turn the stream leaves to others, from -1024 to 1024" },
	{ "set-priority-class", .where = AT_REQUESTS, .parse = parse_number,
	  .run = action_priority, .data = SET_CLASS,
	  .help = "the class in queues, from -2047 to 2047: lower ones are served first" },
	{ "set-priority-offset", .where = AT_REQUESTS, .parse = parse_number,
	  .run = action_priority, .data = SET_OFFSET,
	  .help = "takes the stream for one that came so many ms later into the queue" },
	{ 0 },
};

const struct action http_timeout_actions[] = {
	{ "set-timeout", .where = AT_REQUESTS, .parse = parse_timeout, .run = action_timeout,
	  .help = "another 'timeout server' or 'timeout tunnel' for this stream" },
	{ 0 },
};
