/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions on what a stream follows in stick tables (manual 4.2): sc-inc-gpc and the like,
 * sc-set-gpt. Rows of a table; called by rules.c. track-sc itself: stream/track.c. */
#include "base/arena.h"
#include "expr/expr.h"
#include "expr/rule_conf.h"
#include "expr/table_uses.h"
#include "expr/track.h"
#include "expr/view.h"
#include "proxy/stick_conf.h"

#include <stdlib.h>

/* Element and number of the rule: "(<element>,<number>)", "(<number>)". */
struct counter {
	unsigned element, number;
};

static int bad_counter(struct statement *st, const struct rule *rule, bool array)
{
	return stmt_error(st, st->at - 1, "'%s' expects %s, numbers from 0 on; there are %u sticky counters",
			  rule->action->name, array ? "(<element>,<sticky counter>)" :
			  "(<sticky counter>)", tracks_conf.count);
}

/* Nothing is 0, as in the reference. */
static bool take_number(const char **args, char end, unsigned *number)
{
	char *behind;
	long n = strtol(*args, &behind, 10);

	if (*behind != end || n < 0 || n >= UINT32_MAX)
		return false;
	*number = (unsigned)n;
	*args = behind + 1;
	return true;
}

static void note_use(struct statement *st, const struct rule *rule, const struct counter *c)
{
	enum stick_data what = (enum stick_data)rule->action->data;

	table_use_note(st->cfg, &(struct table_use){
		.what = arena_printf(st->cfg->arena, "'%s'", rule->action->name),
		.loc = rule->loc, .proxy = rule->proxy, .number = c->number, .element = c->element,
		.data = { what, stick_rate_of(what) } });
}

/* args: empty where sticky counter 0 is meant. */
static int parse_counter(struct statement *st, struct rule *rule, const char *args)
{
	struct counter *c = arena_alloc(st->cfg->arena, sizeof(*c));
	enum stick_data what = (enum stick_data)rule->action->data;
	bool array = what == STICK_gpc || what == STICK_gpt;
	const char *at = args + 1;

	*c = (struct counter){ 0 };
	rule->data = c;
	if (*args && ((array && !take_number(&at, ',', &c->element)) ||
		      !take_number(&at, ')', &c->number) || *at || c->number >= tracks_conf.count))
		return bad_counter(st, rule, array);
	note_use(st, rule, c);
	return 0;
}

/* A number, or an expression. */
static int parse_valued(struct statement *st, struct rule *rule, const char *args)
{
	const char *word;
	char *end;

	if (parse_counter(st, rule, args))
		return -1;
	word = stmt_peek(st);
	if (!word)
		return stmt_error(st, st->at, "'%s' expects a number or an expression",
				  rule->action->name);
	rule->num = strtoll(word, &end, 10);
	if (end == word || *end)
		return rule_parse_expr(st, rule);
	if (rule->num < 0 || rule->num > UINT32_MAX)
		return stmt_error(st, st->at, "'%s': the number must be from 0 to 4294967295",
				  rule->action->name);
	stmt_next(st);
	return 0;
}

/* False: the expression has no value. */
static bool value_of(const struct rule *rule, struct view *view, unsigned place, uint64_t *value)
{
	struct sample smp;

	*value = (uint64_t)rule->num;
	if (!rule->expr)
		return true;
	if (expr_eval_as(rule->expr, view, place, SMP_INT, &smp) != EXPR_FOUND)
		return false;
	*value = (uint64_t)smp.num;
	return true;
}

static enum action_result action_count(const struct rule *rule, struct view *view, unsigned place)
{
	const struct counter *c = rule->data;
	struct tracked *t = track_find(view, c->number);
	uint64_t by = 1, value;

	if (!t || (rule->action->parse == parse_valued && !value_of(rule, view, place, &by)))
		return ACTION_NEXT;
	stick_count_up(t->line->table, t->entry, (enum stick_data)rule->action->data, c->element, by,
		       &value);
	return ACTION_NEXT;
}

static enum action_result action_tag(const struct rule *rule, struct view *view, unsigned place)
{
	const struct counter *c = rule->data;
	struct tracked *t = track_find(view, c->number);
	uint64_t value;

	if (t && value_of(rule, view, place, &value))
		stick_tag(t->line->table, t->entry, (enum stick_data)rule->action->data, c->element,
			  value);
	return ACTION_NEXT;
}

#define LISTS (AT_CONN | AT_SESSION | AT_REQUESTS | AT_RESPONSE)

/* Where no element is asked for, the reference takes the name alone for that of sticky counter 0.
 */
const struct action stick_actions[] = {
	{ "sc-add-gpc", true, LISTS, parse_valued, action_count, .data = STICK_gpc,
	  .help = "adds to a counter of what is followed: '(<element>,<number>)'" },
	{ "sc-inc-gpc", true, LISTS, parse_counter, action_count, .data = STICK_gpc,
	  .help = "counts up a counter of what is followed: '(<element>,<number>)'" },
	{ "sc-inc-gpc0", true, LISTS, parse_counter, action_count, .data = STICK_gpc0,
	  .help = "counts up gpc0 of what is followed" },
	{ "sc-inc-gpc0", false, LISTS, parse_counter, action_count, .data = STICK_gpc0,
	  .help = "counts up gpc0 of what is followed as number 0" },
	{ "sc-inc-gpc1", true, LISTS, parse_counter, action_count, .data = STICK_gpc1,
	  .help = "counts up gpc1 of what is followed" },
	{ "sc-inc-gpc1", false, LISTS, parse_counter, action_count, .data = STICK_gpc1,
	  .help = "counts up gpc1 of what is followed as number 0" },
	{ "sc-set-gpt", true, LISTS, parse_valued, action_tag, .data = STICK_gpt,
	  .help = "sets a tag of what is followed: '(<element>,<number>)'" },
	{ "sc-set-gpt0", true, LISTS, parse_valued, action_tag, .data = STICK_gpt0,
	  .help = "sets gpt0 of what is followed" },
	{ "sc-set-gpt0", false, LISTS, parse_valued, action_tag, .data = STICK_gpt0,
	  .help = "sets gpt0 of what is followed as number 0" },
	{ 0 },
};
