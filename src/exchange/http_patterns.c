/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of HTTP rules that change ACLs and maps which were loaded from a file (manual 4.2:
 * add-acl, del-acl, set-map, del-map). Rows of a table; called by expr/rules.c. A text that cannot
 * be a pattern of the file changes nothing. */
#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "exchange/http_action.h"
#include "expr/pattern_change.h"
#include "expr/view.h"

struct pattern_rule {
	struct pattern_ref *ref;
	struct rule_text key, value;
	KIND_MEMBER
};

enum { ADD_ACL, DEL_ACL, SET_MAP, DEL_MAP };

static const struct {
	enum pattern_kind kind;
	enum pattern_change change;
} changes[] = {
	[ADD_ACL] = { PATTERN_ACL, PATTERN_ADD },
	[DEL_ACL] = { PATTERN_ACL, PATTERN_DELETE },
	[SET_MAP] = { PATTERN_VALUES, PATTERN_SET },
	[DEL_MAP] = { PATTERN_VALUES, PATTERN_DELETE },
};

/* "(file)" behind the name. */
static int parse_pattern(struct statement *st, struct rule *rule, const char *args)
{
	struct pattern_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	size_t len = strlen(args);

	KIND_IS(struct pattern_rule, data);
	rule->data = data;
	if (len < 3 || args[len - 1] != ')')
		return stmt_error(st, st->at - 1, "the name of a file is expected in parentheses");
	data->ref = pattern_ref_get(st->cfg, changes[rule->action->data].kind,
				    arena_strndup(st->cfg->arena, args + 1, len - 2), &st->loc);
	if (rule_text_parse(st, rule, "the key", &data->key))
		return -1;
	if (rule->action->data != SET_MAP)
		return 0;
	return rule_text_parse(st, rule, "the value", &data->value);
}

static bool text_make(const struct rule_text *text, struct view *view, const char **made)
{
	struct span span;

	if (!rule_text_make(text, view, &span) || !span.len)
		return false;
	*made = span.ptr;
	return true;
}

static enum action_result action_pattern(const struct rule *rule, struct view *view, unsigned place)
{
	const struct pattern_rule *data = KIND_OF(const struct pattern_rule, rule->data);
	const char *key, *value = NULL;
	struct err err;

	(void)place;
	if (!text_make(&data->key, view, &key))
		return ACTION_NEXT;
	if (rule->action->data == SET_MAP && !text_make(&data->value, view, &value))
		return ACTION_NEXT;
	pattern_ref_change(data->ref, changes[rule->action->data].change, key, value, &err);
	return ACTION_NEXT;
}

#define ROW(text, what, about)                                                                \
	{ text, .args = true, .where = AT_REQUESTS | AT_RESPONSE, .parse = parse_pattern,      \
	  .run = action_pattern, .data = what, .help = about }

const struct action http_pattern_actions[] = {
	ROW("add-acl", ADD_ACL, "adds a pattern to the ACLs that were loaded from the file"),
	ROW("del-acl", DEL_ACL, "deletes a pattern from them"),
	ROW("set-map", SET_MAP, "sets the value of a key in the maps loaded from the file"),
	ROW("del-map", DEL_MAP, "deletes a key from them"),
	{ 0 },
};
