/* SPDX-License-Identifier: BSD-2-Clause */
/* The action set-bandwidth-limit, of rules that see a stream: a limit (filter/limit.h) of the proxy
 * that the rule stands in holds for this stream. Filters may follow the rule, so that names are
 * looked up at the end of the configuration. */
#include "base/arena.h"
#include "base/kind.h"
#include "config/module.h"
#include "expr/expr.h"
#include "expr/stick_key.h"
#include "filter/filter.h"
#include "filter/limit.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "stream/actions.h"
#include "stream/filtering.h"
#include "stream/stream.h"

#include <ctype.h>

/* A number, or an expression that gives one. */
struct limit_value {
	uint64_t fixed;     /* 0: none */
	struct expr *expr;  /* NULL: none */
};

struct limit_rule {
	struct limit_rule *next; /* of those whose filter is still to be found */
	const struct rule *rule;
	const char *name;
	const struct filter_line *line;
	struct limit_value bytes, ms;
	KIND_MEMBER
};

struct limit_rules {
	struct limit_rule *first;
};

/* ---- the words ----------------------------------------------------------------------------- */

static int parse_value(struct statement *st, struct rule *rule, bool time, struct limit_value *v)
{
	const char *word = stmt_peek(st);
	unsigned ms = 0;
	size_t bytes = 0;

	v->fixed = 0;
	v->expr = NULL;
	if (!word || !isdigit((unsigned char)*word)) {
		if (rule_parse_expr(st, rule))
			return -1;
		v->expr = rule->expr;
		return 0;
	}
	if (time ? stmt_duration(st, "the period", 'm', &ms) : stmt_size(st, "the limit", &bytes))
		return -1;
	v->fixed = time ? ms : bytes;
	return 0;
}

static int parse_limit(struct statement *st, struct rule *rule, const char *args)
{
	struct limit_rules *all = config_data(st->cfg, &limit_rules_module);
	struct limit_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	bool bytes;

	(void)args;
	KIND_IS(struct limit_rule, data);
	rule->data = data;
	data->rule = rule;
	data->name = stmt_need(st, "the name of a limit: 'filter bwlim-in' or 'bwlim-out'");
	if (!data->name)
		return -1;
	while ((bytes = stmt_take(st, "limit")) || stmt_take(st, "period"))
		if (parse_value(st, rule, !bytes, bytes ? &data->bytes : &data->ms))
			return -1;
	data->next = all->first;
	all->first = data;
	return 0;
}

/* ---- the end of the configuration ------------------------------------------------------------ */

static bool has_value(const struct limit_value *v)
{
	return v->fixed || v->expr;
}

static int resolve(struct config *cfg, struct limit_rule *data, const struct proxy *px)
{
	const struct location *loc = &data->rule->loc;
	const struct limit_line *limit;

	data->line = limit_find(px, data->name);
	if (!data->line)
		return config_error(cfg, loc, "'%s' has no filter bwlim-in or bwlim-out '%s'",
				    px->name, data->name);
	limit = data->line->data;
	if (!limit->key)
		return 0;
	if (has_value(&data->bytes) || has_value(&data->ms))
		return config_error(cfg, loc, "streams share the limit of '%s': it stands on the "
				    "filter's line, and the period in the table", data->name);
	if (!expr_allowed(limit->key, data->rule->where, cfg, loc))
		return config_error(cfg, loc, "the key of '%s', '%s', looks at the %s, which '%s' "
				    "rules cannot see", data->name, expr_text(limit->key),
				    expr_source(limit->key), data->rule->list);
	return 0;
}

static int limit_rules_finish(struct config *cfg, void *data)
{
	struct limit_rules *all = data;
	struct limit_rule *rule;
	int bad = 0;

	for (rule = all->first; rule; rule = rule->next)
		if (!(rule->rule->proxy->caps & PROXY_DEFAULTS))
			bad |= resolve(cfg, rule, rule->rule->proxy);
	return bad;
}

/* Each heir of a defaults section has filters of its own. */
static int inherit_limit(struct config *cfg, struct rule *copy, struct proxy *heir)
{
	struct limit_rule *own = arena_alloc(cfg->arena, sizeof(*own));

	*own = *KIND_OF(struct limit_rule, copy->data);
	copy->data = own;
	return resolve(cfg, own, heir);
}

const struct module limit_rules_module = {
	.name = "limit_rules",
	.data_size = sizeof(struct limit_rules),
	.finish = limit_rules_finish,
};

/* ---- running --------------------------------------------------------------------------------- */

/* 0: the filter's default, also where an expression finds nothing. */
static uint64_t value_of(const struct limit_value *v, struct view *view, unsigned place)
{
	struct sample smp;

	if (!v->expr)
		return v->fixed;
	if (expr_eval_as(v->expr, view, place, SMP_INT, &smp) != EXPR_FOUND || smp.num <= 0)
		return 0;
	return (uint64_t)smp.num;
}

/* Without a key nothing is limited. */
static enum action_result share_limit(const struct filter_line *line, struct view *view,
				      unsigned place)
{
	const struct limit_line *limit = KIND_OF(const struct limit_line, line->data);
	struct stick_key_memory memory;
	enum expr_result r;
	struct filters *set;
	struct sample smp;
	struct span key;

	r = expr_eval(limit->key, view, place, &smp);
	if (r == EXPR_WAIT)
		return ACTION_WAIT;
	if (r != EXPR_FOUND ||
	    !stick_key_of_sample(limit->table->table->def.type, &smp, &memory, &key))
		return ACTION_NEXT;
	set = filtering_get(view->stream);
	if (!set)
		return ACTION_ERROR;
	limit_set_shared(set, line, key);
	return ACTION_NEXT;
}

static enum action_result limit_own(const struct limit_rule *data, struct view *view,
				    unsigned place)
{
	uint64_t bytes = value_of(&data->bytes, view, place);
	uint64_t ms = value_of(&data->ms, view, place);
	struct filters *set = filtering_get(view->stream);

	if (!set)
		return ACTION_ERROR;
	limit_set(set, data->line, bytes, ms < UINT32_MAX ? (unsigned)ms : UINT32_MAX);
	return ACTION_NEXT;
}

static enum action_result action_limit(const struct rule *rule, struct view *view, unsigned place)
{
	const struct limit_rule *data = KIND_OF(const struct limit_rule, rule->data);
	const struct limit_line *limit = KIND_OF(const struct limit_line, data->line->data);

	return limit->key ? share_limit(data->line, view, place) : limit_own(data, view, place);
}

const struct action limit_actions[] = {
	{ "set-bandwidth-limit", .where = AT_REQUESTS | AT_RESPONSE, .parse = parse_limit,
	  .run = action_limit, .inherit = inherit_limit,
	  .help = "a filter bwlim-in or bwlim-out holds for this stream" },
	{ 0 },
};
