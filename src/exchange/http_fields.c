/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of HTTP rules on header fields and on the status (manual 4.2: set-header, add-header,
 * del-header, replace-header, replace-value, set-status, strict-mode). Rows of a table; called by
 * expr/rules.c. Fields that say where a message ends are never touched (exchange/edit.h). */
#include "base/arena.h"
#include "base/err.h"
#include "base/kind.h"
#include "exchange/edit.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "expr/regex.h"
#include "expr/secret.h"
#include "http/chars.h"
#include "http/message.h"
#include "relay/buffer.h"
#include "stream/stream.h"

#include <strings.h>

enum { REQUESTS = AT_REQUESTS, RESPONSES = AT_RESPONSE, BOTH = AT_REQUESTS | AT_RESPONSE };

/* -- set-header, add-header ------------------------------------------------------------- */

struct field_rule {
	struct span name;
	struct rule_text value;
	struct regex *regex;       /* replace-*: of the value; del-header -m reg: of the name */
	int match;                 /* del-header: enum name_match */
	KIND_MEMBER
};

enum { FIELD_SET, FIELD_ADD };

static int parse_field(struct statement *st, struct rule *rule, const char *args)
{
	struct field_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));

	(void)args;
	KIND_IS(struct field_rule, data);
	rule->data = data;
	if (action_field_name(st, &data->name))
		return -1;
	doubt_secret(st, st->at, data->name);
	return rule_text_parse(st, rule, "the value of the header", &data->value);
}

static enum action_result action_field(const struct rule *rule, struct view *view,
				       unsigned place)
{
	const struct field_rule *data = KIND_OF(const struct field_rule, rule->data);
	struct message *msg = action_message(rule, view);
	struct span value;

	(void)place;
	if (action_name_frames(data->name))
		return ACTION_NEXT;
	if (!rule_text_make(&data->value, view, &value))
		return action_rewrite_failed(view);
	return action_rewritten(rule->action->data == FIELD_SET ?
				edit_set(msg, view->arena, data->name, value) :
				edit_add(msg, view->arena, data->name, value), view);
}

/* -- del-header ------------------------------------------------------------------------- */

enum name_match { NAME_STR, NAME_BEG, NAME_END, NAME_SUB, NAME_REG };

static int parse_name_match(struct statement *st, struct field_rule *data)
{
	static const char *const names[] = { "str", "beg", "end", "sub", "reg", NULL };
	const char *word = stmt_need(st, "a matching method");
	struct err err;

	if (!word)
		return -1;
	for (data->match = 0; names[data->match] && strcmp(names[data->match], word); data->match++)
		;
	if (!names[data->match])
		return stmt_unknown(st, st->at - 1, "matching method of names", names);
	if (data->match != NAME_REG)
		return 0;
	data->regex = regex_compile(data->name.ptr, true, st->cfg->arena, &err);
	return data->regex ? 0 : stmt_error(st, st->at - 3, "%s", err.text);
}

static int parse_delete(struct statement *st, struct rule *rule, const char *args)
{
	struct field_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *word = stmt_need(st, "the name of a header");

	(void)args;
	if (!word)
		return -1;
	if (!*word)
		return stmt_error(st, st->at - 1, "the name of a header must not be empty");
	KIND_IS(struct field_rule, data);
	rule->data = data;
	data->name = span_of(word);
	if (stmt_take(st, "-m"))
		return parse_name_match(st, data);
	st->at--;
	return action_field_name(st, &data->name);
}

static bool name_has(struct span name, struct span part)
{
	size_t at;

	for (at = 0; at + part.len <= name.len; at++) {
		if (!strncasecmp(name.ptr + at, part.ptr, part.len))
			return true;
	}
	return false;
}

static bool name_matches(const struct field_rule *rule, struct span name)
{
	struct span part = rule->name;

	if (rule->match == NAME_REG)
		return regex_test(rule->regex, name);
	if (name.len < part.len)
		return false;
	if (rule->match == NAME_SUB)
		return name_has(name, part);
	if (rule->match == NAME_END)
		name.ptr += name.len - part.len;
	return !strncasecmp(name.ptr, part.ptr, part.len);
}

static enum action_result action_delete(const struct rule *rule, struct view *view,
					unsigned place)
{
	const struct field_rule *data = KIND_OF(const struct field_rule, rule->data);
	struct message *msg = action_message(rule, view);
	uint64_t given_up = regex_given_up;
	struct field *f;

	(void)place;
	if (data->match == NAME_STR) {
		edit_delete(msg, data->name);
		return ACTION_NEXT;
	}
	for (f = msg->fields; f < msg->fields + msg->count; f++) {
		if (f->name.ptr && name_matches(data, f->name) && !action_name_frames(f->name))
			message_delete_field(msg, f);
	}
	return action_rewritten(regex_given_up == given_up, view);
}

/* -- replace-header, replace-value ------------------------------------------------------ */

static int parse_replace(struct statement *st, struct rule *rule, const char *args)
{
	struct field_rule *data = arena_alloc(st->cfg->arena, sizeof(*data));
	const char *pattern;
	struct err err;

	(void)args;
	KIND_IS(struct field_rule, data);
	rule->data = data;
	if (action_field_name(st, &data->name))
		return -1;
	pattern = stmt_need(st, "a regular expression");
	if (!pattern)
		return -1;
	data->regex = regex_compile(pattern, false, st->cfg->arena, &err);
	if (!data->regex)
		return stmt_error(st, st->at - 1, "%s", err.text);
	return rule_text_parse_replacement(st, rule, &data->value);
}

enum { REPLACE_HEADER, REPLACE_VALUE };

static enum action_result action_replace(const struct rule *rule, struct view *view,
					 unsigned place)
{
	const struct field_rule *data = KIND_OF(const struct field_rule, rule->data);
	struct message *msg = action_message(rule, view);
	struct span by;

	(void)place;
	if (action_name_frames(data->name))
		return ACTION_NEXT;
	return action_rewritten(rule_text_make(&data->value, view, &by) &&
				edit_replace(msg, view->arena, data->name, data->regex, by,
					     rule->action->data == REPLACE_VALUE), view);
}

/* -- set-status, strict-mode ------------------------------------------------------------ */

static int parse_status(struct statement *st, struct rule *rule, const char *args)
{
	struct span *reason = arena_alloc(st->cfg->arena, sizeof(*reason));
	const char *word;

	(void)args;
	rule->data = reason;
	if (stmt_int(st, "a status", 100, 999, &rule->num))
		return -1;
	if (!stmt_take(st, "reason"))
		return 0;
	word = stmt_need(st, "the reason phrase");
	if (!word)
		return -1;
	*reason = span_of(word);
	return 0;
}

static enum action_result action_status(const struct rule *rule, struct view *view,
					unsigned place)
{
	(void)place;
	message_set_status(view->http->response, (unsigned)rule->num,
			   *(const struct span *)rule->data);
	return ACTION_NEXT;
}

static int parse_strict(struct statement *st, struct rule *rule, const char *args)
{
	static const char *const modes[] = { "off", "on", NULL };
	const char *word = stmt_need(st, "'on' or 'off'");

	(void)args;
	if (!word)
		return -1;
	rule->num = !strcmp(word, "on");
	if (rule->num || !strcmp(word, "off"))
		return 0;
	return stmt_unknown(st, st->at - 1, "mode", modes);
}

static enum action_result action_strict(const struct rule *rule, struct view *view,
					unsigned place)
{
	(void)place;
	action_exchange(view)->lenient = !rule->num;
	return ACTION_NEXT;
}

const struct action http_field_actions[] = {
	{ "set-header", .where = BOTH, .parse = parse_field, .run = action_field,
	  .data = FIELD_SET, .help = "sets a header, in place of all of the name" },
	{ "add-header", .where = BOTH, .parse = parse_field, .run = action_field,
	  .data = FIELD_ADD, .help = "adds a header" },
	{ "del-header", .where = BOTH, .parse = parse_delete, .run = action_delete,
	  .help = "deletes all headers of a name, or of the names that match" },
	{ "replace-header", .where = BOTH, .parse = parse_replace, .run = action_replace,
	  .data = REPLACE_HEADER, .help = "replaces values that match a regular expression" },
	{ "replace-value", .where = BOTH, .parse = parse_replace, .run = action_replace,
	  .data = REPLACE_VALUE, .help = "the same for each element of a list with commas" },
	{ "set-status", .where = RESPONSES, .parse = parse_status, .run = action_status,
	  .help = "sets the status of the response" },
	{ "strict-mode", .where = BOTH, .parse = parse_strict, .run = action_strict,
	  .help = "whether a rewriting that fails is an error" },
	{ 0 },
};
