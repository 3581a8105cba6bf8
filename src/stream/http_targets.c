/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of http-request rules on the method and the target of a request (manual 4.2: set-method,
 * set-path, set-pathq, set-query, set-uri, replace-path, replace-pathq, replace-uri). Rows of a
 * table; called by expr/rule.c. What a rule makes must still be one word of the request line:
 * anything else counts as a rewriting that failed. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/regex.h"
#include "http/message.h"
#include "http/uri.h"
#include "stream/exchange.h"
#include "stream/http_action.h"

enum { LONGEST_TARGET = 65536 };

enum part { PART_METHOD, PART_PATH, PART_PATHQ, PART_QUERY, PART_URI };

struct target_rule {
	struct rule_text text;
	struct regex *regex;
};

/* No blank, no control character: the request line has to stay one. */
static bool is_word(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++) {
		if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f)
			return false;
	}
	return true;
}

static bool part_set(enum part part, struct view *view, struct span text)
{
	struct message *msg = view->http->request;

	if (!is_word(text))
		return false;
	switch (part) {
	case PART_METHOD:
		return text.len && message_set_method(msg, view->arena, text);
	case PART_PATH:
		return message_set_path(msg, view->arena, text);
	case PART_PATHQ:
		return message_set_pathq(msg, view->arena, text);
	case PART_QUERY:
		return message_set_query(msg, view->arena, text);
	case PART_URI:
		return text.len && message_set_target(msg, view->arena, text);
	}
	return false;
}

static int parse_set(struct statement *st, struct rule *rule, const char *args)
{
	struct target_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	rule->data = data;
	return rule_text_parse(st, rule, "a format", &data->text);
}

static enum action_result action_set(const struct rule *rule, struct view *view, unsigned place)
{
	const struct target_rule *data = rule->data;
	struct span text;

	(void)place;
	return action_rewritten(rule_text_make(&data->text, view, &text) &&
				part_set((enum part)rule->action->data, view, text), view);
}

static int parse_replace(struct statement *st, struct rule *rule, const char *args)
{
	struct target_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *pattern = stmt_need(st, "a regular expression");
	struct err err;

	(void)args;
	if (!pattern)
		return -1;
	rule->data = data;
	data->regex = regex_compile(pattern, false, st->cfg->arena, &err);
	if (!data->regex)
		return stmt_error(st, st->at - 1, "%s", err.text);
	return rule_text_parse(st, rule, "the replacement", &data->text);
}

static struct span part_get(enum part part, const struct message *msg)
{
	struct uri uri;

	if (part == PART_URI)
		return msg->target;
	if (part == PART_PATHQ)
		return uri_path_and_query(msg->target);
	return uri_split(msg->target, &uri) ? uri.path : (struct span){ NULL, 0 };
}

static enum action_result action_replace(const struct rule *rule, struct view *view,
					 unsigned place)
{
	enum part part = (enum part)rule->action->data;
	const struct target_rule *data = rule->data;
	static char memory[LONGEST_TARGET];
	struct regex_match match;
	struct span old, by;
	struct text t;

	(void)place;
	old = part_get(part, view->http->request);
	if (!old.ptr || !regex_find(data->regex, old, 0, &match))
		return ACTION_NEXT;
	if (!rule_text_make(&data->text, view, &by))
		return action_rewrite_failed(view);
	text_init(&t, memory, sizeof(memory));
	regex_expand(&t, by, &match);
	by = (struct span){ arena_strndup(view->arena, t.ptr, t.len), t.len };
	return action_rewritten(!t.cut && part_set(part, view, by), view);
}

#define SET(text, part, about)                                                                \
	{ text, .where = AT_REQUESTS, .parse = parse_set, .run = action_set, .data = part,     \
	  .help = about }
#define REPLACE(text, part, about)                                                            \
	{ text, .where = AT_REQUESTS, .parse = parse_replace, .run = action_replace,           \
	  .data = part, .help = about }

const struct action http_target_actions[] = {
	SET("set-method", PART_METHOD, "sets the method of the request"),
	SET("set-path", PART_PATH, "sets the path; the query string stays"),
	SET("set-pathq", PART_PATHQ, "sets path and query string"),
	SET("set-query", PART_QUERY, "sets the query string"),
	SET("set-uri", PART_URI, "sets the whole target of the request"),
	REPLACE("replace-path", PART_PATH, "replaces a path that matches a regular expression"),
	REPLACE("replace-pathq", PART_PATHQ, "the same for path and query string"),
	REPLACE("replace-uri", PART_URI, "the same for the whole target"),
	{ 0 },
};
