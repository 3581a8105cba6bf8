/* SPDX-License-Identifier: BSD-2-Clause */
/* The words "stick match", "stick on", "stick store-request" and "stick store-response" of
 * backends. Used by persist_table.c. */
#include "stream/persist_table.h"

#include "base/arena.h"
#include "config/keyword.h"
#include "config/module.h"
#include "expr/acl.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "expr/table_uses.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"

enum { MATCH = 1, STORE = 2, RESPONSE = 4 };

static void append(struct stick_rule **list, struct stick_rule *rule)
{
	while (*list)
		list = &(*list)->next;
	*list = rule;
}

static int parse_rule(struct statement *st, const struct keyword *kw, void *object)
{
	struct stick_rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule));
	unsigned what = (unsigned)kw->bit, place = what & RESPONSE ? AT_RESPONSE : AT_SERVER;
	struct stick_rules *rules;
	struct proxy *px = object;
	int at = st->at;

	*rule = (struct stick_rule){ .match = what & MATCH, .store = what & STORE,
				     .loc = st->loc };
	rule->expr = expr_parse_words(st, px);
	if (!rule->expr)
		return -1;
	if (!expr_allowed(rule->expr, place, st->cfg, &st->loc))
		return stmt_error(st, at, "'%s' looks at the %s, which '%s' rules cannot see",
				  expr_fetch_name(rule->expr), expr_source(rule->expr), kw->name);
	rule->table = expr_take_table(st, px, kw->name, expr_type(rule->expr));
	if (!rule->table || cond_parse(st, px, place, kw->name, &rule->cond))
		return -1;
	rules = proxy_part_make(px, &stick_rules_part, st->cfg->arena);
	append(what & RESPONSE ? &rules->response : &rules->request, rule);
	return 0;
}

#define STICK(word, bits, text)                                                               \
	{ .name = "stick " word, .scope = SCOPE_BACKEND,                                        \
	  .args = "<pattern> [table <table>] [{ if | unless } <condition>]",                    \
	  .parse = parse_rule, .bit = (bits), .help = text }

static const struct keyword keywords[] = {
	STICK("match", MATCH, "clients go to the server that a stick table knows"),
	STICK("on", MATCH | STORE, "'stick match' and 'stick store-request'"),
	STICK("store-request", STORE,
	      "a stick table learns which server has served a request of that key"),
	STICK("store-response", STORE | RESPONSE,
	      "a stick table learns which server has given a response with that key"),
	{ 0 },
};

/* ---- the end of the configuration --------------------------------------------------------- */

static void finish_rules(const struct stick_rule *rule)
{
	struct stick_line *line;

	for (; rule; rule = rule->next) {
		line = rule->table->table;
		if (!line)
			continue; /* reported */
		stick_line_store(line, STICK_server_id);
		stick_line_store(line, STICK_server_key);
	}
}

static int stick_rules_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	const struct stick_rules *rules;
	struct proxy *px;

	(void)data;
	list_for_each(px, &all->list, node) {
		rules = stick_rules_of(px);
		if (!rules)
			continue;
		finish_rules(rules->request);
		finish_rules(rules->response);
	}
	table_uses_check(cfg);
	return 0;
}

/* Behind the module of expressions, which finds the tables; before tables are opened. */
const struct module stick_rules_module = {
	.name = "stick rules",
	.keywords = keywords,
	.finish = stick_rules_finish,
};
