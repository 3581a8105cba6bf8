/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing the line of a log format that was compiled, and what is asked of such a format.
 * Called by stream/accesslog.c and by whoever composes a text from a stream's view. */
#include "expr/logformat.h"

#include "base/bug.h"
#include "expr/expr.h"
#include "expr/logformat_alias.h"
#include "expr/logformat_node.h"
#include "expr/view.h"

static void write_expr(const struct node *node, const struct logformat *format,
		       const struct view *view, struct text *t)
{
	/* Quotes are for lines: in fields and targets the reference writes them around aliases
	 * alone. */
	unsigned flags = node->flags & LF_HTTP ? node->flags & ~(unsigned)LF_QUOTE : node->flags;
	struct span value = { NULL, 0 };
	struct sample smp;

	/* An empty value must not make a line a word shorter: "-". */
	if (expr_eval_as(node->expr, view, format->place, SMP_STR, &smp) == EXPR_FOUND &&
	    (smp.str.len || format->style != FORMAT_LOG))
		value = smp.str;
	logformat_put(t, value, flags);
}

/* What was appended since `from` is a value: regex_expand is to leave it as it is. */
static void quote_value(struct text *t, size_t from)
{
	size_t room = t->size - 1 - t->len, marks = 0, i, to;

	for (i = from; i < t->len; i++)
		marks += t->ptr[i] == '\\';
	if (marks > room) {
		t->cut = true;
		t->len = from;
		t->ptr[from] = 0;
		return;
	}
	to = t->len += marks;
	t->ptr[to] = 0;
	for (i = to - marks; marks; ) {
		t->ptr[--to] = t->ptr[--i];
		if (t->ptr[i] == '\\') {
			t->ptr[--to] = '\\';
			marks--;
		}
	}
}

/* Whether the line so far ends with a blank of the format, or is empty. */
static bool write_node(const struct node *node, const struct logformat *format,
		       const struct view *view, struct text *t, bool blank)
{
	size_t before = t->len;

	switch (node->kind) {
	case NODE_BLANK:
		if (!blank)
			text_char(t, ' ');
		return true;
	case NODE_TEXT:
		text_add(t, node->text.ptr, node->text.len);
		return false;
	case NODE_ALIAS:
		if (unlikely(node->flags & (LF_JSON | LF_CBOR))) {
			logformat_write_encoded(node, format, view, t);
			return false;
		}
		node->alias->write(t, view, node->flags);
		return blank && t->len == before && node->alias->traits & ALIAS_LIST;
	case NODE_EXPR:
		if (unlikely(node->flags & (LF_JSON | LF_CBOR)))
			logformat_write_encoded(node, format, view, t);
		else
			write_expr(node, format, view, t);
		break;
	}
	return false;
}

void logformat_write(const struct logformat *format, const struct view *view, struct text *t)
{
	const struct node *node;
	struct view_log numbers;
	struct view filled;
	bool blank = true;

	if (format->numbers && !view->log && view->find_log) {
		filled = *view;
		filled.log = &numbers;
		view->find_log(view, &numbers);
		view = &filled;
	}
	if (format->encoding) {
		size_t before = t->len;

		logformat_write_object(format, view, t);
		if (format->style == FORMAT_REPLACEMENT)
			quote_value(t, before);
		return;
	}
	for (node = format->nodes; node; node = node->next) {
		size_t before = t->len;

		blank = write_node(node, format, view, t, blank);
		if (format->style == FORMAT_REPLACEMENT && node->kind != NODE_TEXT)
			quote_value(t, before);
	}
}

enum encoding logformat_encoding(const struct logformat *format)
{
	return format->encoding;
}

bool logformat_needs_log(const struct logformat *format)
{
	return format->numbers;
}

bool logformat_needs_uri(const struct logformat *format)
{
	return format->uri;
}

const char *logformat_http_alias(const struct logformat *format)
{
	return format->http;
}

const struct location *logformat_location(const struct logformat *format)
{
	return &format->loc;
}

bool logformat_early(const struct logformat *format, bool http)
{
	return !format->late && !(http && format->exprs);
}

const char *logformat_text(const struct logformat *format)
{
	return format->text;
}

bool logformat_has(const struct logformat *format, const char *alias)
{
	const struct node *node;

	for (node = format->nodes; node; node = node->next)
		if (node->kind == NODE_ALIAS && !strcmp(node->alias->name, alias))
			return true;
	return false;
}
