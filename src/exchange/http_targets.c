/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of http-request rules on the method and the target of a request (manual 4.2: set-method,
 * set-path, set-pathq, set-query, set-uri, replace-path, replace-pathq, replace-uri). Rows of a
 * table; called by expr/rules.c. What a rule makes must still be one word of the request line:
 * anything else counts as a rewriting that failed. */
#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "exchange/edit.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "exchange/reply.h"
#include "expr/regex.h"
#include "http/message.h"
#include "http/normalize.h"
#include "http/uri.h"

enum { LONGEST_TARGET = 65536 };

struct target_rule {
	struct rule_text text;
	struct regex *regex;
	KIND_MEMBER
};

static int parse_set(struct statement *st, struct rule *rule, const char *args)
{
	struct target_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	KIND_IS(struct target_rule, data);
	rule->data = data;
	return rule_text_parse(st, rule, "a format", &data->text);
}

static enum action_result action_set(const struct rule *rule, struct view *view, unsigned place)
{
	const struct target_rule *data = KIND_OF(const struct target_rule, rule->data);
	struct span text;

	(void)place;
	return action_rewritten(rule_text_make(&data->text, view, &text) &&
				edit_request((enum edit_part)rule->action->data, view, text), view);
}

static int parse_replace(struct statement *st, struct rule *rule, const char *args)
{
	struct target_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *pattern = stmt_need(st, "a regular expression");
	struct err err;

	(void)args;
	if (!pattern)
		return -1;
	KIND_IS(struct target_rule, data);
	rule->data = data;
	data->regex = regex_compile(pattern, false, st->cfg->arena, &err);
	if (!data->regex)
		return stmt_error(st, st->at - 1, "%s", err.text);
	return rule_text_parse_replacement(st, rule, &data->text);
}

static struct span part_get(enum edit_part part, const struct message *msg)
{
	struct uri uri;

	if (part == EDIT_URI)
		return msg->target;
	if (part == EDIT_PATHQ)
		return uri_path_and_query(msg->target);
	return uri_split(msg->target, &uri) ? uri.path : (struct span){ NULL, 0 };
}

static enum action_result action_replace(const struct rule *rule, struct view *view,
					 unsigned place)
{
	enum edit_part part = (enum edit_part)rule->action->data;
	const struct target_rule *data = KIND_OF(const struct target_rule, rule->data);
	static char memory[LONGEST_TARGET];
	uint64_t given_up = regex_given_up;
	struct regex_match match;
	struct span old, by;
	struct text t;

	(void)place;
	old = part_get(part, view->http->request);
	if (!old.ptr || !regex_find(data->regex, old, 0, &match))
		return action_rewritten(regex_given_up == given_up, view);
	if (!rule_text_make(&data->text, view, &by))
		return action_rewrite_failed(view);
	text_init(&t, memory, sizeof(memory));
	regex_expand(&t, by, &match);
	by = arena_keep(view->arena, (struct span){ t.ptr, t.len });
	return action_rewritten(!t.cut && edit_request(part, view, by), view);
}

/* -- normalize-uri ---------------------------------------------------------------------- */

struct normalize_rule {
	enum normalizer how;
	bool option; /* full, strict */
	KIND_MEMBER
};

static int parse_normalizer(struct statement *st, struct normalize_rule *data)
{
	const char *word = stmt_need(st, "a normalizer"), *names[NORMALIZERS + 1] = { NULL };
	int i;

	if (!word)
		return -1;
	for (i = 0; i < NORMALIZERS; i++) {
		names[i] = normalizer_name((enum normalizer)i);
		if (!strcmp(word, names[i]))
			break;
	}
	data->how = (enum normalizer)i;
	return i < NORMALIZERS ? 0 : stmt_unknown(st, st->at - 1, "normalizer", names);
}

static int parse_normalize(struct statement *st, struct rule *rule, const char *args)
{
	struct normalize_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	KIND_IS(struct normalize_rule, data);
	rule->data = data;
	if (!st->cfg->experimental)
		return stmt_error(st, st->at - 1, "'normalize-uri' is experimental: it needs "
				  "'expose-experimental-directives' in a global section above");
	if (parse_normalizer(st, data))
		return -1;
	if (data->how == PATH_STRIP_DOTDOT)
		data->option = stmt_take(st, "full");
	else if (data->how == PERCENT_DECODE_UNRESERVED || data->how == PERCENT_TO_UPPERCASE)
		data->option = stmt_take(st, "strict");
	return 0;
}

/* The part that the normalizer works on; ptr NULL: there is none. */
static struct span normalize_part(enum normalizer how, const struct message *msg)
{
	const struct span none = { NULL, 0 };
	struct span pathq = uri_path_and_query(msg->target);
	struct uri uri;

	if (!pathq.len || *pathq.ptr != '/' || !uri_split(pathq, &uri))
		return none;
	switch (normalizer_part(how)) {
	case URI_PATH:
		return uri.path;
	case URI_QUERY:
		return uri.query.len ? uri.query : none;
	case URI_PATHQ:
		break;
	}
	return pathq;
}

static bool normalize_set(enum normalizer how, struct view *view, struct span text)
{
	struct message *msg = view->http->request;

	switch (normalizer_part(how)) {
	case URI_PATH:
		return message_set_path(msg, view->arena, text);
	case URI_QUERY:
		return message_set_query(msg, view->arena, text);
	case URI_PATHQ:
		break;
	}
	return message_set_pathq(msg, view->arena, text);
}

static enum action_result action_normalize(const struct rule *rule, struct view *view,
					   unsigned place)
{
	const struct normalize_rule *data = KIND_OF(const struct normalize_rule, rule->data);
	struct span old = normalize_part(data->how, view->http->request), made;
	char *memory;

	(void)place;
	if (!old.ptr)
		return ACTION_NEXT;
	memory = arena_alloc(view->arena, 3 * old.len + 3);
	if (!memory)
		return action_rewrite_failed(view);
	if (!uri_normalize(data->how, data->option, old, memory, &made.len)) {
		reply_send_error(action_exchange(view), 400);
		return ACTION_REPLY;
	}
	made.ptr = memory;
	if (span_equal(made, old))
		return ACTION_NEXT;
	return action_rewritten(normalize_set(data->how, view, made), view);
}

#define SET(text, part, about)                                                                \
	{ text, .where = AT_REQUESTS, .parse = parse_set, .run = action_set, .data = part,     \
	  .help = about }
#define REPLACE(text, part, about)                                                            \
	{ text, .where = AT_REQUESTS, .parse = parse_replace, .run = action_replace,           \
	  .data = part, .help = about }

const struct action http_target_actions[] = {
	SET("set-method", EDIT_METHOD, "sets the method of the request"),
	SET("set-path", EDIT_PATH, "sets the path; the query string stays"),
	SET("set-pathq", EDIT_PATHQ, "sets path and query string"),
	SET("set-query", EDIT_QUERY, "sets the query string"),
	SET("set-uri", EDIT_URI, "sets the whole target of the request"),
	{ "normalize-uri", .where = AT_REQUESTS, .parse = parse_normalize, .run = action_normalize,
	  .help = "brings the target, or a part of it, into a normal form (experimental)" },
	REPLACE("replace-path", EDIT_PATH, "replaces a path that matches a regular expression"),
	REPLACE("replace-pathq", EDIT_PATHQ, "the same for path and query string"),
	REPLACE("replace-uri", EDIT_URI, "the same for the whole target"),
	{ 0 },
};
