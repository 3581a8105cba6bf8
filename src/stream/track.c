/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * track-sc: a rule says which entry of a stick table its session or stream follows from now on
 * (manual 4.2). Rules of connections and sessions say it for the session, all others for the
 * stream. A number is taken once; a later rule of the same number does nothing.
 */
#include "stream/track.h"

#include "config/keyword.h"
#include "config/module.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "expr/rule_conf.h"
#include "expr/stick_key.h"
#include "expr/table_uses.h"
#include "expr/view.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"

#include <string.h>

/* ---- the rule ------------------------------------------------------------------------------ */

static int parse_track(struct statement *st, struct rule *rule, const char *args)
{
	(void)args;
	rule->num = rule->action->data;
	if (!strcmp(rule->list, "tcp-response content"))
		return stmt_error(st, st->at - 1, "'%s' cannot be used in '%s'",
				  rule->action->name, rule->list);
	if (rule->num >= tracks_conf.count)
		return stmt_error(st, st->at - 1, "'%s': there are %u sticky counters; see "
				  "'tune.stick-counters'", rule->action->name, tracks_conf.count);
	if (rule_parse_expr(st, rule))
		return -1;
	tracks_conf.used = true;
	rule->data = expr_take_table(st, rule->proxy, rule->action->name, expr_type(rule->expr));
	if (!rule->data)
		return -1;
	table_track_note(st->cfg, &(struct table_track){ .proxy = rule->proxy, .table = rule->data,
							  .number = (unsigned)rule->num });
	return 0;
}

/* Those of the stream, or of the session where there is none yet. NULL: no memory. */
static struct vars *owner_of(struct view *view)
{
	struct stream_extra *extra;

	if (!view->stream)
		return view->session_vars;
	extra = extra_get(view->stream);
	if (extra)
		view->stream_vars = &extra->vars;
	return extra ? &extra->vars : NULL;
}

/* The request was counted before the rule ran. */
static void catch_up(const struct view *view, struct tracked *t)
{
	if (view->http)
		track_count(t, STICK_http_req_cnt, STICK_http_req_rate, 1);
}

static enum action_result action_track(const struct rule *rule, struct view *view, unsigned place)
{
	const struct expr_arg *table = rule->data;
	unsigned number = (unsigned)rule->num;
	struct stick_line *line = table->table;
	struct stick_key_memory memory;
	struct vars *owner;
	struct sample smp;
	enum expr_result r;
	struct span key;

	if (track_find(view, number))
		return ACTION_NEXT;
	r = expr_eval(rule->expr, view, place, &smp);
	if (r == EXPR_WAIT)
		return ACTION_WAIT;
	if (r != EXPR_FOUND || !stick_key_of_sample(line->def.type, &smp, &memory, &key))
		return ACTION_NEXT;
	owner = owner_of(view);
	if (owner && track_begin(owner, number, line, key))
		catch_up(view, track_find(view, number));
	return ACTION_NEXT;
}

/* ---- what is counted ----------------------------------------------------------------------- */

static void stream_track(const struct stream *s, enum stick_data what, enum stick_data rate,
			 uint64_t by)
{
	track_add(s->origin->session_vars, track_stream_vars(s), what, rate, by);
}

void track_request_now(const struct stream *s)
{
	stream_track(s, STICK_http_req_cnt, STICK_http_req_rate, 1);
}

void track_error_now(const struct stream *s)
{
	stream_track(s, STICK_http_err_cnt, STICK_http_err_rate, 1);
}

void track_failure_now(const struct stream *s)
{
	stream_track(s, STICK_http_fail_cnt, STICK_http_fail_rate, 1);
}

/* 4xx is the client's fault, 5xx the server's, but for what it does not have. */
void track_status_now(const struct stream *s, unsigned status)
{
	if (status >= 400 && status < 500)
		track_error_now(s);
	else if (status >= 500 && status != 501 && status != 505)
		track_failure_now(s);
}

void track_bytes(const struct stream *s, uint64_t in, uint64_t out)
{
	stream_track(s, STICK_bytes_in_cnt, STICK_bytes_in_rate, in);
	stream_track(s, STICK_bytes_out_cnt, STICK_bytes_out_rate, out);
}

void track_session(const struct origin *o)
{
	if (unlikely(tracks_conf.used))
		track_add(o->session_vars, NULL, STICK_sess_cnt, STICK_sess_rate, 1);
}

/* ---- words --------------------------------------------------------------------------------- */

struct track_conf {
	int counters;
};

static void track_init(struct config *cfg, void *data)
{
	(void)cfg;
	((struct track_conf *)data)->counters = TRACKS_USUAL;
	tracks_conf.count = TRACKS_USUAL;
	tracks_conf.used = false;
}

/* In force at once: rules behind it name sticky counters. */
static int parse_counters(struct statement *st, const struct keyword *kw, void *object)
{
	if (set_int(st, kw, object))
		return -1;
	tracks_conf.count = (unsigned)((struct track_conf *)object)->counters;
	return 0;
}

static int track_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct proxy *px;

	(void)data;
	(void)err;
	tracks_prepare();
	streams_watched &= (uint8_t)~WATCH_BYTES;
	list_for_each(px, &all->list, node)
		if (tracks_conf.used && px->set.options.on & OPT_CONTSTATS)
			streams_watched |= WATCH_BYTES;
	return 0;
}

static const struct keyword keywords[] = {
	{ "tune.stick-counters", SCOPE_GLOBAL, 0, "<number>", parse_counters,
	  .offset = offsetof(struct track_conf, counters), .min = 0, .max = TRACKS_MOST,
	  .dflt = "3", .help = "how many entries of stick tables a stream can follow at once" },
	{ 0 },
};

const struct module track_module = {
	.name = "track",
	.keywords = keywords,
	.data_size = sizeof(struct track_conf),
	.init = track_init,
	.prepare = track_prepare,
};

#define LISTS (AT_CONN | AT_SESSION | AT_REQUESTS | AT_RESPONSE)
#define TRACK(n)                                                                              \
	{ "track-sc" #n, .where = LISTS, .parse = parse_track, .run = action_track, .data = n, \
	  .help = "follows an entry of a stick table: <key> [table <table>]" }

const struct action track_actions[] = {
	TRACK(0), TRACK(1), TRACK(2), TRACK(3), TRACK(4), TRACK(5), TRACK(6), TRACK(7), TRACK(8),
	TRACK(9), TRACK(10), TRACK(11), { 0 },
};
