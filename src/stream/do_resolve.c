/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The action do-resolve: a name that an expression gives is looked up by a section "resolvers",
 * while the stream waits, and its address goes to a variable. Each process asks for itself, since
 * what one stream wants to know is nobody else's; an answer is used again for "hold valid".
 */
#include "stream/do_resolve.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "config/lexer.h"
#include "config/module.h"
#include "config/suggest.h"
#include "dns/files.h"
#include "dns/resolution.h"
#include "dns/resolvers.h"
#include "expr/expr.h"
#include "expr/vars.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

/* What a rule says. */
struct resolve_rule {
	struct resolve_rule *next;
	const struct rule *rule;
	const char *name;             /* of the section */
	struct resolvers *resolvers;
	enum dns_type type;
	KIND_MEMBER
};

struct resolve_rules {
	struct resolve_rule *first;
};

/* A stream that waits. */
struct stream_resolve {
	struct dns_requester requester;
	struct stream_extra *extra;
	const struct rule *rule;
	bool done;
	struct addr addr; /* done: AF_UNSPEC: there is none */
};

/* ---- the words ------------------------------------------------------------------------------ */

static int parse_family(struct statement *st, const char **args, struct resolve_rule *data)
{
	static const char *const names[] = { "ipv4", "ipv6", NULL };
	const char *word = **args == ',' ? lexer_argument(st->cfg->arena, *args + 1, args) : NULL;

	data->type = DNS_AAAA;
	if (word && !strcmp(word, "ipv4"))
		data->type = DNS_A;
	else if (word && strcmp(word, "ipv6") != 0)
		return stmt_unknown_part(st, st->at - 1, word, "family", names);
	if (**args != ')' || (*args)[1])
		return stmt_error(st, st->at - 1, "')' is expected at '%s'", *args);
	return 0;
}

static int parse_resolve(struct statement *st, struct rule *rule, const char *args)
{
	struct resolve_rules *all = config_data(st->cfg, &do_resolve_module);
	struct resolve_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *word = lexer_argument(st->cfg->arena, args + 1, &args);
	struct err err;

	KIND_IS(struct resolve_rule, data);
	rule->data = data;
	data->rule = rule;
	if (!word || !*word)
		return stmt_error(st, st->at - 1, "the name of a variable is missing");
	rule->var = var_name(span_of(word), &err);
	if (!rule->var)
		return stmt_error(st, st->at - 1, "%s", err.text);
	data->name = *args == ',' ? lexer_argument(st->cfg->arena, args + 1, &args) : NULL;
	if (!data->name || !*data->name)
		return stmt_error(st, st->at - 1, "the name of a section 'resolvers' is missing");
	if (parse_family(st, &args, data) || rule_parse_expr(st, rule))
		return -1;
	data->next = all->first;
	all->first = data;
	return 0;
}

static int do_resolve_finish(struct config *cfg, void *data)
{
	struct resolve_rule *r;
	struct location loc;
	int bad = 0;

	for (r = ((struct resolve_rules *)data)->first; r; r = r->next) {
		r->resolvers = resolvers_find(cfg, r->name);
		if (r->resolvers)
			continue;
		loc = config_locate(cfg, &r->rule->loc, r->name);
		bad |= config_error(cfg, &loc, "there is no section 'resolvers %s'", r->name);
		resolvers_suggest(cfg, r->name);
	}
	return bad;
}

/* ---- running -------------------------------------------------------------------------------- */

/* The first of the family that was wanted, else of the other one. */
static struct addr choose(const struct resolution *res, enum dns_type type)
{
	const struct dns_record *record;
	struct addr other = { .family = AF_UNSPEC };
	unsigned i;

	for (i = 0; res->status == STATUS_VALID && i < res->count; i++) {
		record = &res->held[i].record;
		if (type == DNS_A ? record->v4.family : record->v6.family)
			return type == DNS_A ? record->v4 : record->v6;
		if (other.family == AF_UNSPEC)
			other = type == DNS_A ? record->v6 : record->v4;
	}
	return other;
}

static void resolved(struct dns_requester *requester, struct resolution *res)
{
	struct stream_resolve *r = container_of(requester, struct stream_resolve, requester);

	r->addr = choose(res, res->wanted);
	r->done = true;
	task_wake(&r->extra->task);
}

static enum action_result keep(const struct rule *rule, const struct view *view,
			       const struct addr *addr)
{
	struct sample smp = { .type = addr->family == AF_INET ? SMP_IPV4 : SMP_IPV6 };

	if (addr->family == AF_INET)
		smp.v4 = addr->v4;
	else
		smp.v6 = addr->v6;
	if (addr->family != AF_UNSPEC)
		var_set(rule->var, view, &smp, 0);
	return ACTION_NEXT;
}

void stream_resolve_end(struct stream_resolve **resolve)
{
	struct stream_resolve *r = *resolve;

	*resolve = NULL;
	if (!r)
		return;
	resolution_leave(&r->requester);
	free(r);
}

static enum action_result wait_for(struct stream_extra *extra)
{
	extra->rule_waits = true;
	return ACTION_WAIT;
}

static enum action_result begin(const struct rule *rule, struct view *view, const char *name)
{
	const struct resolve_rule *data = KIND_OF(const struct resolve_rule, rule->data);
	struct stream_extra *extra = extra_get(view->stream);
	struct stream_resolve *r = extra ? calloc(1, sizeof(*r)) : NULL;
	const struct resolution *res;
	struct addr addr = { .family = AF_UNSPEC };

	if (!r)
		return ACTION_ERROR;
	r->extra = extra;
	r->rule = rule;
	r->requester.resolved = resolved;
	res = resolution_want(data->resolvers, name, data->type, &r->requester);
	extra->resolve = r;
	if (r->requester.resolution)
		return wait_for(extra);
	if (res)
		addr = choose(res, data->type);
	stream_resolve_end(&extra->resolve);
	return keep(rule, view, &addr);
}

/* An address is its own answer. */
static enum action_result start(const struct rule *rule, struct view *view, unsigned place)
{
	char name[DNS_NAME_MOST + 1];
	struct sample smp;
	struct addr addr;
	enum expr_result r = expr_eval_as(rule->expr, view, place, SMP_STR, &smp);

	if (r == EXPR_WAIT)
		return ACTION_WAIT;
	if (r != EXPR_FOUND)
		return ACTION_NEXT;
	if (dns_literal(smp.str, &addr))
		return keep(rule, view, &addr);
	return dns_name(smp.str, name) ? begin(rule, view, name) : ACTION_NEXT;
}

static enum action_result action_resolve(const struct rule *rule, struct view *view,
					 unsigned place)
{
	const struct stream *s = view->stream;
	struct stream_extra *extra = s->extra;
	struct stream_resolve *r = extra ? extra->resolve : NULL;
	struct addr addr;

	if (r && r->rule != rule) { /* its list has been left while it waited */
		stream_resolve_end(&extra->resolve);
		r = NULL;
	}
	if (!r)
		return start(rule, view, place);
	if (!r->done && !extra->rule_late)
		return wait_for(extra);
	addr = r->addr;
	extra->rule_waits = false;
	stream_resolve_end(&extra->resolve);
	return keep(rule, view, &addr);
}

const struct action resolve_actions[] = {
	{ "do-resolve", .args = true, .where = AT_REQUESTS, .parse = parse_resolve,
	  .run = action_resolve,
	  .help = "looks a name up, and keeps its address in a variable" },
	{ 0 },
};

const struct module do_resolve_module = {
	.name = "do_resolve",
	.data_size = sizeof(struct resolve_rules),
	.finish = do_resolve_finish,
};
