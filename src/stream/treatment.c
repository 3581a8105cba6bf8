/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of rules on how one stream is treated: its share of a turn, its place in queues, its
 * timeouts and retries (manual 4.2: set-nice, set-priority-class, set-priority-offset,
 * set-timeout; set-retries). Rows of tables; called by expr/rules.c. */
#include "base/arena.h"
#include "base/kind.h"
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

static const char *const timeout_names[] = {
	[TIMEOUT_SERVER] = "server",   [TIMEOUT_TUNNEL] = "tunnel", [TIMEOUT_CLIENT] = "client",
	[TIMEOUT_CONNECT] = "connect", [TIMEOUT_QUEUE] = "queue",   [TIMEOUT_TARPIT] = "tarpit",
	NULL
};

/* A time, or an expression that gives milliseconds. */
struct timeout_rule {
	enum timeout which;
	unsigned ms; /* 0: the expression says */
	KIND_MEMBER
};

static enum timeout take_timeout(struct statement *st)
{
	int which;

	for (which = 0; which < TIMEOUTS; which++)
		if (stmt_take(st, timeout_names[which]))
			break;
	return (enum timeout)which;
}

/* Where there is no such side, or where it is too late for it. */
static int check_timeout(struct statement *st, const struct rule *rule, enum timeout which)
{
	const char *name = timeout_names[which];
	unsigned caps = rule->proxy->caps;

	if (which == TIMEOUT_CLIENT && !(caps & (PROXY_FRONTEND | PROXY_DEFAULTS)))
		return stmt_error(st, st->at - 1, "'timeout client' is that of a frontend: this is "
				  "none");
	if (which != TIMEOUT_CLIENT && which != TIMEOUT_TARPIT &&
	    !(caps & (PROXY_BACKEND | PROXY_DEFAULTS)))
		return stmt_error(st, st->at - 1, "'timeout %s' is that of a backend: this is none",
				  name);
	if (which >= TIMEOUT_CONNECT && rule->where & AT_RESPONSE)
		return stmt_error(st, st->at - 1, "'timeout %s' is over when the response is there",
				  name);
	return 0;
}

static int parse_timeout(struct statement *st, struct rule *rule, const char *args)
{
	struct timeout_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *word;

	KIND_IS(struct timeout_rule, data);
	rule->data = data;
	data->which = take_timeout(st);
	if (data->which == TIMEOUTS)
		return stmt_unknown(st, st->at, "timeout", timeout_names);
	if (check_timeout(st, rule, data->which) < 0)
		return -1;
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
	const struct timeout_rule *data = KIND_OF(const struct timeout_rule, rule->data);
	struct view_treatment *t;
	unsigned ms = data->ms;
	struct sample smp;

	if (!ms) {
		if (expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND ||
		    smp.num <= 0)
			return ACTION_NEXT;
		ms = smp.num < INT32_MAX ? (unsigned)smp.num : INT32_MAX;
	}
	t = treatment(view);
	if (!t)
		return ACTION_ERROR;
	t->timeout_ms[data->which] = ms;
	return ACTION_NEXT;
}

/* -- set-retries ------------------------------------------------------------------------ */

enum { MOST_RETRIES = 100 };

static int parse_retries(struct statement *st, struct rule *rule, const char *args)
{
	const char *word = stmt_peek(st);

	if (!(rule->proxy->caps & PROXY_BACKEND))
		return stmt_error(st, st->at - 1, "'retries' are those of a backend: this is none");
	if (!word || !isdigit((unsigned char)*word))
		return parse_number(st, rule, args);
	return stmt_int(st, "the number of retries", 0, MOST_RETRIES, &rule->num);
}

static enum action_result action_retries(const struct rule *rule, struct view *view,
					 unsigned place)
{
	struct sample smp = { .num = rule->num };
	struct view_treatment *t;

	if (rule->expr && expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND)
		return ACTION_NEXT;
	if (smp.num < 0 || smp.num > MOST_RETRIES)
		return ACTION_NEXT;
	t = treatment(view);
	if (!t)
		return ACTION_ERROR;
	t->retries = (uint8_t)(1 + smp.num);
	return ACTION_NEXT;
}

void treatment_of_backend_ends(struct view_treatment *t)
{
	t->timeout_ms[TIMEOUT_CONNECT] = t->timeout_ms[TIMEOUT_QUEUE] = 0;
	t->retries = 0;
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
	{ "set-timeout", .where = AT_REQUESTS | AT_RESPONSE, .parse = parse_timeout,
	  .run = action_timeout,
	  .help = "another timeout for this stream: server, tunnel, client, connect, queue or "
		  "tarpit" },
	{ 0 },
};

const struct action retries_actions[] = {
	{ "set-retries", .where = AT_REQUESTS, .parse = parse_retries, .run = action_retries,
	  .help = "how often this stream tries once more to connect to a server" },
	{ 0 },
};
