/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of rules on what the log tells of a stream: its level, values that are kept for it
 * (manual 4.2: set-log-level, capture). Rows of tables; called by expr/rules.c. */
#include "base/arena.h"
#include "base/kind.h"
#include "expr/capture.h"
#include "log/header.h"
#include "log/profile.h"
#include "proxy/proxy.h"
#include "stream/accesslog.h"
#include "stream/actions.h"
#include "stream/extra.h"
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

enum { HAVE_SLOTS = PROXY_FRONTEND | PROXY_DEFAULTS }; /* the latter for their frontends */

/* -- capture ---------------------------------------------------------------------------- */

/* "len <length>": a slot of its own, in requests of a frontend; "id <index>": one declared. */
static int parse_slot(struct statement *st, struct rule *rule)
{
	bool response = rule->where & AT_RESPONSE, front = rule->proxy->caps & PROXY_FRONTEND;
	int64_t len;

	if (!response && stmt_take(st, "len")) {
		if (!(rule->proxy->caps & HAVE_SLOTS))
			return stmt_error(st, st->at - 1, "only a frontend has slots of its own: "
					  "'id' names one that it declares");
		if (stmt_int(st, "the length", 1, 65536, &len))
			return -1;
		rule->num = capture_declare(st->cfg, rule->proxy, response, NULL, (unsigned)len);
		return 0;
	}
	if (!stmt_take(st, "id"))
		return stmt_error(st, st->at, response ?
				  "'id' and the number of a slot are expected" :
				  "'len' and a length, or 'id' and the number of a slot are "
				  "expected");
	if (stmt_int(st, "the number of the slot", 0, 65535, &rule->num))
		return -1;
	if (front && rule->num >= capture_declared(st->cfg, rule->proxy, response))
		return stmt_error(st, st->at - 1, "there is no slot %d: 'declare capture' makes "
				  "one, above this line", (int)rule->num);
	return 0;
}

/* Slots of the defaults section are the first of each of its frontends (capture.c), others are
 * theirs. */
static int inherit_capture(struct config *cfg, struct rule *copy, struct proxy *heir)
{
	bool response = copy->where & AT_RESPONSE;

	if (!(heir->caps & PROXY_FRONTEND) || copy->num < capture_count(heir, response))
		return 0;
	return config_error(cfg, &copy->loc, "there is no slot %d in frontend '%s', which uses "
			    "these defaults: 'declare capture' makes one",
			    (int)copy->num, heir->name);
}

static int parse_capture(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	return rule_parse_expr(st, rule) ? -1 : parse_slot(st, rule);
}

/* Of content rules: a slot of its own. */
static int parse_content_capture(struct statement *st, struct rule *rule, const char *args)
{
	const char *word;

	(void)args;
	if (!(rule->proxy->caps & HAVE_SLOTS))
		return stmt_error(st, st->at - 1, "only a frontend has slots for captured values");
	if (rule_parse_expr(st, rule))
		return -1;
	word = stmt_peek(st);
	if (!word || strcmp(word, "len"))
		return stmt_error(st, st->at, "'len' and a length are expected");
	return parse_slot(st, rule);
}

/* A frontend without such a slot: nothing happens (manual). */
static enum action_result action_capture(const struct rule *rule, struct view *view,
					 unsigned place)
{
	struct sample smp;

	if (expr_eval_as(rule->expr, view, place, SMP_STR, &smp) == EXPR_FOUND)
		capture_store(view, rule->where & AT_RESPONSE, (uint64_t)rule->num, smp.str);
	return ACTION_NEXT;
}

/* In mode tcp values lie with the stream. */
static enum action_result action_content_capture(const struct rule *rule, struct view *view,
						 unsigned place)
{
	struct stream_extra *extra = view->http ? NULL : extra_get(view->stream);
	enum expr_result found;
	struct sample smp;

	if (!view->http && !extra)
		return ACTION_ERROR;
	found = expr_eval_as(rule->expr, view, place, SMP_STR, &smp);
	if (found != EXPR_FOUND)
		return found == EXPR_WAIT ? ACTION_WAIT : ACTION_NEXT;
	if (extra && !extra->arena)
		extra->arena = arena_new_limited(512);
	if (extra) {
		view->arena = extra->arena;
		view->captures = &extra->captures;
	}
	capture_store(view, false, (uint64_t)rule->num, smp.str);
	return view->arena && !view->arena->failed ? ACTION_NEXT : ACTION_ERROR;
}

/* -- do-log ----------------------------------------------------------------------------- */

static enum log_step list_step(const char *list)
{
	enum log_step step;

	for (step = 0; step < LOG_STEPS; step++)
		if (log_steps[step].list && !strcmp(log_steps[step].list, list))
			return step;
	return LOG_STEP_NONE;
}

static int parse_do_log(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	rule->num = list_step(rule->list);
	if (!stmt_take(st, "profile"))
		return 0;
	rule->data = log_profile_parse(st);
	return rule->data ? 0 : -1;
}

/* Formats of a profile look at what rules see here, the frontend's at what is known by now. */
static enum action_result action_do_log(const struct rule *rule, struct view *view,
					unsigned place)
{
	const struct log_profile_use *use = KIND_OR_NULL(const struct log_profile_use, rule->data);

	(void)place;
	accesslog_now(view, (enum log_step)rule->num, use ? use->profile : NULL);
	return ACTION_NEXT;
}

/* Of all lists. */
const struct action do_log_actions[] = {
	{ "do-log", .where = AT_CONN | AT_SESSION | BOTH, .parse = parse_do_log,
	  .run = action_do_log,
	  .help = "writes a line to the log now; the usual one still comes" },
	{ 0 },
};

/* Of tcp-request content and tcp-response content, too. */
const struct action log_level_actions[] = {
	{ "set-log-level", .where = BOTH, .parse = parse_log_level, .run = action_log_level,
	  .help = "sets the level of the log line; 'silent': none" },
	{ 0 },
};

const struct action content_capture_actions[] = {
	{ "capture", .where = REQUESTS, .parse = parse_content_capture, .inherit = inherit_capture,
	  .run = action_content_capture,
	  .help = "keeps the value of an expression for the log" },
	{ 0 },
};

const struct action http_capture_actions[] = {
	{ "capture", .where = BOTH, .parse = parse_capture, .run = action_capture,
	  .inherit = inherit_capture,
	  .help = "keeps the value of an expression in a slot of the log" },
	{ 0 },
};
