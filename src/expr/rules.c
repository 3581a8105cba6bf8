/* SPDX-License-Identifier: BSD-2-Clause */
/* Rule sets: parsing a rule by tables of actions, and running a list. Called by the keywords
 * of the layers that own a list, and by the steps of a stream. A list that waits keeps its
 * place: rules before it are not run twice. */
#include "expr/rule.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/feature.h"
#include "base/tables.h"
#include "event/probe.h"
#include "expr/rule_conf.h"
#include "expr/watch.h"
#include "proxy/proxy.h"

/* -- parsing ---------------------------------------------------------------------------- */

/* The name comes first in what tables hold. */
_Static_assert(!offsetof(struct action, name), "names");

int rule_add_actions(const struct rule_list *list, const struct action *table, struct err *err)
{
	return tables_add(list->tables, table, err);
}

/* The next row that the list has. */
static const struct action *action_next(const struct rule_list *list, struct tables_walk *walk)
{
	const struct action *row;

	while ((row = tables_next(list->tables, walk)))
		if (row->where & list->where)
			break;
	return row;
}

static const struct action *action_find(const struct rule_list *list, struct span name, bool args)
{
	struct tables_walk walk = { 0 };
	const struct action *row;

	while ((row = action_next(list, &walk)))
		if (row->args == args && span_equal(name, span_of(row->name)))
			break;
	return row;
}

/* Names of the list's actions, as they are written. */
static const char *const *action_names(struct arena *arena, const struct rule_list *list)
{
	struct tables_walk walk = { 0 };
	const struct action *row;
	const char **names;
	size_t n = 0;

	while (action_next(list, &walk))
		n++;
	names = arena_alloc(arena, (n + 1) * sizeof(*names));
	walk = (struct tables_walk){ 0 };
	for (n = 0; (row = action_next(list, &walk)); n++)
		names[n] = row->args ? arena_printf(arena, "%s(...)", row->name) : row->name;
	return names;
}

/* No action of ours: one that is missing, or none at all. */
static int action_refuse(struct statement *st, const struct rule_list *list, struct span name)
{
	const char *const *known;

	for (known = list->known; *known; known++) {
		if (span_equal(name, span_of(*known)))
			return stmt_error(st, st->at - 1, "'%s %s' is not supported yet",
					  list->name, *known);
	}
	if (name.len > 4 && !memcmp(name.ptr, "lua.", 4))
		return stmt_error(st, st->at - 1, feature_present("LUA") ?
				  "'%s %.*s': no script above has registered such an action for these rules" :
				  "'%s %.*s': this build has no Lua", list->name, (int)name.len, name.ptr);
	if (span_equal(name, span_of("if")) || span_equal(name, span_of("unless"))) {
		stmt_error(st, st->at - 1, "the action is missing in front of '%.*s'",
			   (int)name.len, name.ptr);
		stmt_hint(st, "as in '%s deny if ...'", list->name);
		return -1;
	}
	return stmt_unknown(st, st->at - 1, "action", action_names(st->cfg->arena, list));
}

static const struct action *action_parse(struct statement *st, const struct rule_list *list,
					 const char **args)
{
	const char *word = stmt_need(st, "an action");
	const struct action *action;
	struct span name;

	if (!word)
		return NULL;
	name = (struct span){ word, strcspn(word, "(") };
	*args = word + name.len;
	action = action_find(list, name, **args != 0);
	if (action)
		return action;
	if (action_find(list, name, !**args)) {
		stmt_error(st, st->at - 1, **args ? "'%.*s' takes nothing in parentheses"
						  : "'%.*s' is followed by parentheses: (...)",
			   (int)name.len, word);
		if (!**args && stmt_peek(st))
			stmt_hint(st, "write '%.*s(%s)'", (int)name.len, word, stmt_peek(st));
	} else
		action_refuse(st, list, name);
	return NULL;
}

static void rule_append(struct arena *arena, struct rule_set **set, struct rule *rule,
			unsigned place)
{
	if (!*set) {
		*set = arena_alloc(arena, sizeof(**set));
		(*set)->tail = &(*set)->first;
		(*set)->place = place;
	}
	*(*set)->tail = rule;
	(*set)->tail = &rule->next;
	if (!(*set)->last && rule->action->final && !rule->passes && cond_settled(rule->cond) &&
	    cond_always(rule->cond))
		(*set)->last = rule;
	if (rule->format || cond_looks(rule->cond) || (rule->expr && expr_looks(rule->expr)))
		(*set)->looks = true;
}

/* Is there a rule in front of this one that always ends the list? Said once a list; only as a
 * notice where others say nothing, for zero-warning refuses warnings. */
static void rule_warn_unreached(struct config *cfg, struct rule_set *set, const struct rule *rule)
{
	const struct rule *last = set ? set->last : NULL;
	bool silent = !strncmp(rule->list, "tcp-", 4) || !strcmp(rule->list, "redirect");

	if (!last || set->warned)
		return;
	set->warned = true;
	(silent || last->cond ? config_notice : config_warning)(
		cfg, &rule->loc, "this '%s' rule is never run: '%s' at %s:%u %s and ends the list",
		rule->list, last->action->name, last->loc.file, last->loc.line,
		last->cond ? "always holds" : "has no condition");
}

unsigned rule_request_places(const struct proxy *px)
{
	unsigned where = 0;

	if (px->caps & (PROXY_FRONTEND | PROXY_DEFAULTS))
		where |= AT_REQUEST;
	if (px->caps & (PROXY_BACKEND | PROXY_DEFAULTS))
		where |= AT_SERVER;
	return where;
}

unsigned rule_place_bit(unsigned where)
{
	return 1u << (31 - __builtin_clz(where));
}

static int rule_make(struct statement *st, struct proxy *proxy, const struct action *action,
		     const char *args, const char *name, unsigned where, struct rule_set **set)
{
	struct rule *rule = arena_alloc(st->cfg->arena, sizeof(*rule));

	rule->loc = st->loc;
	rule->proxy = proxy;
	rule->where = where;
	rule->list = name;
	rule->action = action;
	if (action->parse && action->parse(st, rule, args))
		return -1;
	if (cond_parse(st, proxy, where, name, &rule->cond))
		return -1;
	rule_warn_unreached(st->cfg, *set, rule);
	rule_append(st->cfg->arena, set, rule, rule_place_bit(where));
	return 0;
}

int rule_parse(struct statement *st, struct proxy *proxy, const struct rule_list *list,
	       struct rule_set **set)
{
	const char *args;
	const struct action *action = action_parse(st, list, &args);

	return action ? rule_make(st, proxy, action, args, list->name, list->where, set) : -1;
}

int rule_check_defaults(struct statement *st, const struct proxy *proxy, const char *word)
{
	if (!(proxy->caps & PROXY_DEFAULTS) || proxy->name)
		return 0;
	stmt_error(st, 0, "'%s' is not allowed in a defaults section without a name", word);
	stmt_hint(st, "give it one, 'defaults NAME', for sections that begin with 'from NAME'");
	return -1;
}

int rule_parse_list(struct statement *st, struct proxy *proxy, const struct rule_list *list,
		    struct rule_set **set)
{
	return rule_check_defaults(st, proxy, list->name) ? -1 : rule_parse(st, proxy, list, set);
}

void rule_warn_order(struct statement *st, const char *list, const char *later)
{
	stmt_warning(st, 0, "'%s' rules are run before those of '%s', although this one stands "
		     "behind one", list, later);
}

int rule_check_inherit(struct config *cfg, const struct proxy *px, struct proxy *from)
{
	bool mixed = from->heirs && !(from->heirs & px->caps);

	if (px->caps == (PROXY_FRONTEND | PROXY_BACKEND))
		return config_error(cfg, &px->loc, "a listen section cannot use the defaults section "
				    "'%s': it has rules, which would run for both of its sides",
				    from->name);
	from->heirs |= (unsigned char)px->caps;
	if (mixed)
		return config_error(cfg, &px->loc, "frontends and backends cannot use the same defaults "
				    "section '%s': it has rules, which would run twice", from->name);
	return 0;
}

int rule_parse_action(struct statement *st, struct proxy *proxy, const struct action *action,
		      const char *name, unsigned where, struct rule_set **set)
{
	return rule_make(st, proxy, action, "", name, where, set);
}

void rule_inherit(struct config *cfg, struct proxy *heir, struct rule_set **set,
		  const struct rule_set *from)
{
	struct rule_set *own = *set, *all = NULL;
	const struct rule *r;
	struct rule *copy, *next;

	for (r = from ? from->first : NULL; r; r = r->next) {
		copy = arena_alloc(cfg->arena, sizeof(*copy));
		*copy = *r;
		copy->next = NULL;
		copy->proxy = heir;
		if (copy->action->inherit)
			copy->action->inherit(cfg, copy, heir);
		rule_append(cfg->arena, &all, copy, own ? own->place : from->place);
	}
	if (!all)
		return;
	for (copy = own ? own->first : NULL; copy; copy = next) {
		next = copy->next;
		copy->next = NULL;
		rule_warn_unreached(cfg, all, copy);
		rule_append(cfg->arena, &all, copy, own->place);
	}
	*set = all;
}

bool rules_look(const struct rule_set *set)
{
	return set->looks;
}

/* -- running ---------------------------------------------------------------------------- */

/* false: go on with the next rule. */
static bool rule_ends(enum action_result said, enum rule_result *result)
{
	switch (said) {
	case ACTION_NEXT:
		return false;
	case ACTION_WAIT:
		*result = RULES_WAIT;
		break;
	case ACTION_ACCEPT:
		*result = RULES_PASS;
		break;
	case ACTION_REJECT:
		*result = RULES_REJECT;
		break;
	case ACTION_CLOSE:
		*result = RULES_CLOSE;
		break;
	case ACTION_REPLY:
		*result = RULES_REPLY;
		break;
	case ACTION_DROP:
		*result = RULES_DROP;
		break;
	case ACTION_ERROR:
		*result = RULES_ERROR;
		break;
	}
	return true;
}

/* begun: its action waits, and the condition that led to it is not asked again. */
static ALWAYS_INLINE enum action_result rule_run(const struct rule *rule, struct view *view,
						 unsigned place, bool *begun)
{
	enum action_result said;
	enum cond_result holds;

	if (unlikely(*begun)) {
		said = rule->action->run(rule, view, place);
		*begun = said == ACTION_WAIT;
		return said;
	}
	view->asks = view->patient;
	holds = cond_eval(rule->cond, view, place);
	view->asks = false;
	switch (holds) {
	case COND_NO:
		break;
	case COND_UNKNOWN: /* the safe side */
		if (!rule->action->refuses)
			break;
		return rule->action->run(rule, view, place);
	case COND_WAIT:
		return ACTION_WAIT;
	case COND_YES:
		PROBE(NULL);
		said = rule->action->run(rule, view, place);
		*begun = said == ACTION_WAIT;
		return said;
	}
	return ACTION_NEXT;
}

COLD static enum action_result rule_run_watched(const struct rule *rule, struct view *view,
						unsigned place, bool *begun)
{
	enum action_result said;

	watch->rule(rule, view);
	said = rule_run(rule, view, place, begun);
	if (watch) /* its action may have ended the stream */
		watch->ruled(rule, view, said);
	return said;
}

enum rule_result rules_run(const struct rule_set *set, struct view *view,
			   struct rule_place *place, bool final)
{
	enum rule_result result = RULES_PASS;
	enum action_result said;
	const struct rule *rule;
	unsigned at;

	if (!set)
		return RULES_PASS;
	at = set->place | (final ? AT_FINAL : 0);
	place->acting = place->acting && place->at;
	for (rule = place->at ? place->at : set->first; rule; rule = rule->next) {
		said = unlikely(watch != NULL) ? rule_run_watched(rule, view, at, &place->acting) :
						 rule_run(rule, view, at, &place->acting);
		if (rule_ends(said, &result))
			break;
	}
	if (rule && result != RULES_WAIT)
		view->last_rule = &rule->loc;
	place->at = result == RULES_WAIT ? rule : NULL;
	return result;
}
