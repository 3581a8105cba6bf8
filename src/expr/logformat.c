/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log formats: compiled into a list of nodes when the configuration is read, written for each
 * line. Called by stream/accesslog.c and by whoever composes a text from a stream's view. The
 * grammar is that of manual 8.2.6; where it is silent, that of the reference: blanks of the
 * format itself are merged, also across what writes nothing; those at the start are dropped.
 */
#include "expr/logformat.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/capture.h"
#include "expr/expr.h"
#include "expr/logformat_alias.h"
#include "expr/regex.h"
#include "expr/view.h"

#include <ctype.h>

enum node_kind { NODE_TEXT, NODE_BLANK, NODE_ALIAS, NODE_EXPR };

struct node {
	struct node *next;
	enum node_kind kind;
	unsigned flags; /* LF_* */
	union {
		struct span text;
		const struct alias *alias;
		struct expr *expr;
	};
};

struct logformat {
	const char *text; /* as written */
	unsigned place;   /* AT_*: where expressions run */
	bool late;        /* it mentions what may change until the end */
	bool numbers;     /* it mentions what view->log has */
	bool exprs;       /* it holds expressions */
	bool uri;         /* it mentions the target of the request */
	const char *http; /* an alias that is for mode http alone; NULL: there is none */
	struct location loc;
	enum logformat_style style;
	struct node *nodes;
};

/* A format while it is read. */
struct compiler {
	const struct expr_context *ctx;
	struct arena *arena;
	struct logformat *format;
	struct node **tail;
	const char *at;
	unsigned flags;    /* of %{...}o: for all that follow */
	struct err *err;
};

static bool name_start(char c)
{
	return isalpha((unsigned char)c);
}

static void compiler_warn(const struct compiler *c, const char *what, struct span word)
{
	if (c->ctx->cfg)
		config_warning(c->ctx->cfg, &c->ctx->loc, "log format: %s '%.*s'", what, (int)word.len,
			       word.ptr);
}

static struct node *compiler_add(struct compiler *c, enum node_kind kind, unsigned flags)
{
	struct node *node = arena_alloc(c->arena, sizeof(*node));

	node->kind = kind;
	node->flags = flags;
	*c->tail = node;
	c->tail = &node->next;
	return node;
}

/* The pieces of a replacement stand for themselves: no escape ends in what comes behind. */
static struct span compiler_literal(const struct compiler *c, const struct text *literal)
{
	struct span text = { literal->ptr, literal->len };
	size_t size = 2 * literal->len + 1;
	struct text whole;

	if (c->format->style != FORMAT_REPLACEMENT)
		return (struct span){ arena_strndup(c->arena, text.ptr, text.len), text.len };
	text_init(&whole, arena_alloc(c->arena, size), size);
	regex_escapes(&whole, text);
	return (struct span){ whole.ptr, whole.len };
}

static void compiler_flush(struct compiler *c, struct text *literal)
{
	if (literal->len)
		compiler_add(c, NODE_TEXT, 0)->text = compiler_literal(c, literal);
	text_init(literal, literal->ptr, literal->size);
}

static void compiler_char(struct compiler *c, struct text *literal, char ch)
{
	if (ch != ' ' || (c->format->style != FORMAT_LOG && c->format->style != FORMAT_ID)) {
		text_char(literal, ch);
		return;
	}
	compiler_flush(c, literal);
	compiler_add(c, NODE_BLANK, 0);
}

/* "%{+Q,-X}": changes *flags. Behind the brace afterwards. */
static int compiler_flags(struct compiler *c, unsigned *flags)
{
	static const struct {
		char name;
		unsigned bit;
	} known[] = { { 'Q', LF_QUOTE }, { 'X', LF_HEX }, { 'E', LF_ESCAPE } };
	const char *end = strchr(c->at, '}');

	if (!end)
		return err_set(c->err, "the '}' after '%%{%s' is missing", c->at);
	while (c->at < end) {
		size_t len = strcspn(c->at, ",}"), i = 0;

		if (len == 2 && (c->at[0] == '+' || c->at[0] == '-'))
			while (i < ARRAY_LEN(known) && known[i].name != c->at[1])
				i++;
		else
			i = ARRAY_LEN(known);
		if (i == ARRAY_LEN(known))
			compiler_warn(c, "unknown flag ignored (+Q, +X, +E, -Q, -X, -E are known):",
				      (struct span){ c->at, len });
		else if (c->at[0] == '+')
			*flags |= known[i].bit;
		else
			*flags &= ~known[i].bit;
		c->at += len;
		if (c->at < end)
			c->at++;
	}
	c->at = end + 1;
	return 0;
}

static int compiler_expr(struct compiler *c, unsigned flags)
{
	struct expr *expr;

	c->at++;
	expr = expr_parse(&c->at, c->ctx, c->err);
	if (!expr)
		return -1;
	if (*c->at != ']')
		return err_set(c->err, "the ']' after '%%[%s' is missing", expr_text(expr));
	c->at++;
	if (!expr_allowed(expr, c->format->place, c->ctx->cfg, &c->ctx->loc))
		return err_set(c->err, "'%s' cannot be used here: it needs %s", expr_text(expr),
			       expr_source(expr));
	compiler_add(c, NODE_EXPR, flags)->expr = expr;
	c->format->exprs = true;
	return 0;
}

static int compiler_alias(struct compiler *c, unsigned flags)
{
	struct span name = { c->at, 0 };
	const struct alias *alias;
	const char *nearest;

	while (isalnum((unsigned char)c->at[name.len]))
		name.len++;
	c->at += name.len;
	if (name.len == 1 && name.ptr[0] == 'o') {
		c->flags = flags;
		return 0;
	}
	alias = alias_find(name);
	nearest = alias ? NULL : alias_nearest(name);
	if (!alias && nearest)
		return err_set(c->err, "there is no '%%%.*s', did you mean '%%%s'?", (int)name.len,
			       name.ptr, nearest);
	if (!alias)
		return err_set(c->err, "there is no '%%%.*s'; a percent sign is written '%%%%'",
			       (int)name.len, name.ptr);
	compiler_add(c, NODE_ALIAS, flags)->alias = alias;
	c->format->late |= alias->needs == NEEDS_END;
	c->format->numbers = true;
	c->format->uri |= (alias->http & ALIAS_URI) != 0;
	if (alias->http & ALIAS_HTTP)
		c->format->http = alias->name;
	return 0;
}

/* At the character behind '%', which is not '%' itself. */
static int compiler_percent(struct compiler *c, struct text *literal)
{
	const char *start = c->at;
	unsigned flags = c->flags;
	int result;

	compiler_flush(c, literal);
	if (*c->at == '{') {
		c->at++;
		if (compiler_flags(c, &flags))
			return -1;
	}
	if (*c->at == '[') {
		result = compiler_expr(c, flags);
	} else if (name_start(*c->at)) {
		result = compiler_alias(c, flags);
	} else if (c->at != start) {
		return err_set(c->err, "an alias or [expression] must follow '%%%.*s'",
			       (int)(c->at - start), start);
	} else if (!*c->at || isdigit((unsigned char)*c->at) || *c->at == ' ') {
		return err_set(c->err, "a name must follow '%%'; a percent sign is written '%%%%'");
	} else {
		compiler_warn(c, "a '%' is dropped, a percent sign is written '%%':",
			      (struct span){ c->at - 1, 2 });
		return 0;
	}
	return result;
}

static int compiler_run(struct compiler *c, struct text *literal)
{
	while (*c->at) {
		char ch = *c->at++;

		if (ch != '%') {
			compiler_char(c, literal, ch);
		} else if (*c->at == '%') {
			c->at++;
			compiler_char(c, literal, '%');
		} else if (compiler_percent(c, literal)) {
			return -1;
		}
	}
	compiler_flush(c, literal);
	return 0;
}

static unsigned style_flags(enum logformat_style style)
{
	switch (style) {
	case FORMAT_RAW:
		return LF_RAW;
	case FORMAT_HTTP:
	case FORMAT_REPLACEMENT:
	case FORMAT_ID:
		return LF_HTTP;
	case FORMAT_LOG:
		break;
	}
	return 0;
}

struct logformat *logformat_compile_as(enum logformat_style style, const char *text,
				       const struct expr_context *ctx, unsigned place,
				       struct err *err)
{
	struct arena *arena = ctx->arena ? ctx->arena : ctx->cfg->arena;
	struct logformat *format = arena_alloc(arena, sizeof(*format));
	struct compiler c = { .ctx = ctx, .arena = arena, .format = format, .at = text,
			      .tail = &format->nodes, .err = err,
			      .flags = style_flags(style) };
	size_t size = strlen(text) + 1;
	struct text literal;

	text_init(&literal, arena_alloc(arena, size), size);
	format->text = arena_strdup(arena, text);
	format->place = place;
	format->style = style;
	format->loc = ctx->loc;
	if (compiler_run(&c, &literal))
		return NULL;
	if (format->uri && style != FORMAT_LOG)
		capture_need_uri(ctx->cfg);
	return format;
}

struct logformat *logformat_compile(const char *text, const struct expr_context *ctx,
				    unsigned place, struct err *err)
{
	return logformat_compile_as(FORMAT_LOG, text, ctx, place, err);
}

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
		node->alias->write(t, view, node->flags);
		return blank && t->len == before && node->alias->http & ALIAS_LIST;
	case NODE_EXPR:
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
	for (node = format->nodes; node; node = node->next) {
		size_t before = t->len;

		blank = write_node(node, format, view, t, blank);
		if (format->style == FORMAT_REPLACEMENT && node->kind != NODE_TEXT)
			quote_value(t, before);
	}
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
