/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that need nothing but the view: ending a list, and variables. Rows of the lists of
 * tcp-request and tcp-response (manual 4.2); called by rules.c. */
#include "base/arena.h"
#include "base/err.h"
#include "config/lexer.h"
#include "expr/logformat.h"
#include "expr/rule_conf.h"
#include "expr/vars.h"

static enum action_result action_end(const struct rule *rule, struct view *view,
				     unsigned place)
{
	(void)view;
	(void)place;
	return (enum action_result)rule->action->data;
}

/* -- variables -------------------------------------------------------------------------- */

/* ",cond,cond)": into bits. */
static int parse_conditions(struct statement *st, struct rule *rule, const char *args)
{
	const char *word;
	unsigned bit;

	while (*args == ',') {
		word = lexer_argument(st->cfg->arena, args + 1, &args);
		bit = word ? var_condition(span_of(word)) : 0;
		if (!bit)
			return stmt_error(st, st->at - 1, "'%s' is no condition for setting a "
					  "variable; ifexists, ifnotexists, ifempty, ifnotempty, "
					  "ifset, ifnotset, ifgt and iflt are", word ? word : args);
		rule->num |= bit;
	}
	if (*args != ')' || args[1])
		return stmt_error(st, st->at - 1, "')' is expected at '%s'", args);
	return 0;
}

/* "(scope.name" and what may follow. */
static int parse_var_name(struct statement *st, struct rule *rule, const char *args)
{
	const char *word = lexer_argument(st->cfg->arena, args + 1, &args);
	struct err err;

	if (!word || !*word)
		return stmt_error(st, st->at - 1, "the name of a variable is missing");
	rule->var = var_name(span_of(word), &err);
	if (!rule->var)
		return stmt_error(st, st->at - 1, "%s", err.text);
	return parse_conditions(st, rule, args);
}

int rule_parse_expr(struct statement *st, struct rule *rule)
{
	int at = st->at;

	rule->expr = expr_parse_words(st, rule->proxy);
	if (!rule->expr)
		return -1;
	if (!expr_allowed(rule->expr, rule->where, st->cfg, &st->loc))
		return stmt_error(st, at, "'%s' looks at the %s, which '%s' rules cannot see",
				  expr_fetch_name(rule->expr), expr_source(rule->expr), rule->list);
	return 0;
}

static int parse_set_var(struct statement *st, struct rule *rule, const char *args)
{
	return parse_var_name(st, rule, args) ? -1 : rule_parse_expr(st, rule);
}

static int parse_set_var_fmt(struct statement *st, struct rule *rule, const char *args)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = rule->proxy };
	const char *text;
	struct err err;

	if (parse_var_name(st, rule, args))
		return -1;
	text = stmt_need(st, "a log format");
	if (!text)
		return -1;
	rule->format = logformat_compile_as(FORMAT_RAW, text, &ctx, rule_place_bit(rule->where),
					    &err);
	return rule->format ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

static int parse_unset_var(struct statement *st, struct rule *rule, const char *args)
{
	if (parse_var_name(st, rule, args))
		return -1;
	if (rule->num)
		return stmt_error(st, st->at - 1, "unset-var takes no conditions");
	return 0;
}

static enum action_result action_set_var(const struct rule *rule, struct view *view,
					 unsigned place)
{
	struct sample smp;

	if (expr_eval(rule->expr, view, place, &smp) == EXPR_FOUND)
		var_set(rule->var, view, &smp, (unsigned)rule->num);
	return ACTION_NEXT;
}

static enum action_result action_set_var_fmt(const struct rule *rule, struct view *view,
					     unsigned place)
{
	struct sample smp = { .type = SMP_STR };
	char line[4096];
	struct text t;

	(void)place;
	text_init(&t, line, sizeof(line));
	logformat_write(rule->format, view, &t);
	smp.str = (struct span){ line, t.len };
	var_set(rule->var, view, &smp, (unsigned)rule->num);
	return ACTION_NEXT;
}

static enum action_result action_unset_var(const struct rule *rule, struct view *view,
					   unsigned place)
{
	(void)place;
	var_unset(rule->var, view);
	return ACTION_NEXT;
}

#define ALL_TCP (AT_CONN | AT_SESSION | AT_REQUESTS | AT_RESPONSE)
#define VARIABLES (ALL_TCP | AT_CHECK)

const struct action rule_actions[] = {
	{ "accept", .final = true, .where = ALL_TCP, .run = action_end, .data = ACTION_ACCEPT,
	  .help = "ends the list: the connection goes on" },
	{ "reject", .final = true, .refuses = true, .where = ALL_TCP, .run = action_end, .data = ACTION_REJECT,
	  .help = "ends the list and the connection" },
	{ "close", .final = true, .refuses = true, .where = AT_RESPONSE, .run = action_end, .data = ACTION_CLOSE,
	  .help = "closes the connection to the server at once" },
	{ 0 },
};

const struct action rule_var_actions[] = {
	{ "set-var", true, VARIABLES, parse_set_var, action_set_var,
	  .help = "keeps the value of an expression in a variable" },
	{ "set-var-fmt", true, VARIABLES, parse_set_var_fmt, action_set_var_fmt,
	  .help = "keeps a text made by a log format in a variable" },
	{ "unset-var", true, VARIABLES, parse_unset_var, action_unset_var,
	  .help = "forgets a variable" },
	{ 0 },
};
