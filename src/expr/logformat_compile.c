/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log formats: compiled into a list of nodes when the configuration is read, which
 * logformat_write.c writes for each line. Called by what reads a format. The grammar is that of
 * manual 8.2.6; where it is silent, that of the reference: blanks of the format itself are merged,
 * also across what writes nothing; those at the start are dropped.
 */
#include "expr/logformat.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/capture.h"
#include "expr/datagrams.h"
#include "expr/expr.h"
#include "expr/logformat_alias.h"
#include "expr/logformat_node.h"
#include "expr/regex.h"
#include "proxy/proxy.h"

#include <ctype.h>

/* A format while it is read. */
struct compiler {
	const struct expr_context *ctx;
	struct arena *arena;
	struct logformat *format;
	struct node **tail;
	const char *at;
	unsigned flags;    /* of %{...}o: for all that follow */
	unsigned whole;    /* LF_JSON, LF_CBOR, LF_BIN: of %{...}o, for all there is */
	struct span name;  /* of the item that is read: "%(name:type)"; ptr NULL: it has none */
	enum sample_type type;
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
	node->name = c->name;
	node->type = c->type;
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

static const struct flag {
	const char *name;
	unsigned bit, clears;
} flag_names[] = {
	{ "Q", LF_QUOTE, 0 },        { "X", LF_HEX, 0 },          { "E", LF_ESCAPE, 0 },
	{ "json", LF_JSON, LF_CBOR }, { "cbor", LF_CBOR, LF_JSON }, { "bin", LF_BIN, 0 },
};

static const struct flag *flag_find(struct span word)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(flag_names); i++)
		if (span_equal(word, span_of(flag_names[i].name)))
			return &flag_names[i];
	return NULL;
}

/* "%{+Q,-X}": changes *flags. Behind the brace afterwards. */
static int compiler_flags(struct compiler *c, unsigned *flags)
{
	const char *end = strchr(c->at, '}');
	bool followed = end && (end[1] == '[' || name_start(end[1]));

	if (!end)
		return err_set(c->err, "the '}' after '%%{%s' is missing", c->at);
	while (c->at < end) {
		size_t len = strcspn(c->at, ",}");
		const struct flag *flag = NULL;

		if (*c->at == '+' || *c->at == '-')
			flag = flag_find((struct span){ c->at + 1, len - 1 });
		if (!flag && !followed)
			break; /* "%{name}" is refused as a whole */
		if (!flag)
			compiler_warn(
				c,
				"unknown flag ignored (Q, X, E, json, cbor, bin with + or - are "
				"known):",
				(struct span){ c->at, len });
		else if (*c->at == '+')
			*flags = (*flags & ~flag->clears) | flag->bit;
		else
			*flags &= ~flag->bit;
		c->at += len;
		if (c->at < end)
			c->at++;
	}
	c->at = end + 1;
	return 0;
}

/* -- named items: "%(name:type){flags}alias" -------------------------------------------- */

static bool compiler_type(struct compiler *c, struct span word)
{
	static const struct {
		const char *name;
		enum sample_type type;
	} types[] = { { "str", SMP_STR }, { "sint", SMP_INT }, { "bool", SMP_BOOL } };
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++)
		if (span_equal(word, span_of(types[i].name))) {
			c->type = types[i].type;
			return true;
		}
	return false;
}

static size_t name_length(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || (s[len] && strchr("_-.@/", s[len])))
		len++;
	return len;
}

/* At the parenthesis. 1: it is none of a name, as texts of earlier versions may have it; 0: behind
 * it, with name and type; -1. */
static int compiler_name(struct compiler *c)
{
	struct span name = { c->at + 1, name_length(c->at + 1) }, type = { "", 0 };
	const char *end = name.ptr + name.len;

	if (*end == ':') {
		type = (struct span){ end + 1, name_length(end + 1) };
		end = type.ptr + type.len;
	}
	if (*end != ')' || (end[1] != '{' && end[1] != '[' && !name_start(end[1])))
		return 1;
	if (type.len && !compiler_type(c, type))
		return err_set(c->err, "'%%(%.*s)': the type is str, sint or bool, not '%.*s'",
			       (int)(end - name.ptr), name.ptr, (int)type.len, type.ptr);
	if (name.len)
		c->name = (struct span){ arena_strndup(c->arena, name.ptr, name.len), name.len };
	c->at = end + 1;
	return 0;
}

/* For all that is written: the last %{+json}o counts, wherever it stands. */
static int compiler_whole(struct compiler *c, unsigned flags)
{
	unsigned whole = flags & (LF_JSON | LF_CBOR | LF_BIN);

	if (c->name.ptr)
		return err_set(c->err, "'%%o' is no value: it cannot have the name '%s'",
			       c->name.ptr);
	if (whole & LF_BIN && c->format->style != FORMAT_LOG && c->format->style != FORMAT_RAW)
		return err_set(c->err,
			       "'+bin' is for log lines and variables: bytes as they are would "
			       "break what stands here");
	c->whole = whole;
	c->flags = flags & ~(LF_JSON | LF_CBOR);
	return 0;
}

static unsigned compiler_item(struct compiler *c, unsigned flags)
{
	if (flags & LF_BIN && !(c->flags & LF_BIN)) {
		compiler_warn(c, "flag ignored, it is for all the line, with 'o':",
			      (struct span){ "+bin", 4 });
		flags &= ~(unsigned)LF_BIN;
	}
	return flags;
}

/* Leaves the named items of an object. 0, or -1: a name stands there twice. */
static int compiler_object(struct compiler *c)
{
	struct node **link = &c->format->nodes, *node, *other;

	while ((node = *link)) {
		if (node->name.ptr) {
			for (other = c->format->nodes; other != node; other = other->next)
				if (span_equal(other->name, node->name))
					return err_set(c->err,
						       "the name '%s' stands in the object twice",
						       node->name.ptr);
			link = &node->next;
			continue;
		}
		if (node->kind == NODE_ALIAS)
			compiler_warn(c, "without a name it is no part of the object:",
				      span_of(node->alias->name));
		else if (node->kind == NODE_EXPR)
			compiler_warn(c, "without a name it is no part of the object:",
				      span_of(expr_text(node->expr)));
		*link = node->next;
	}
	c->format->encoding = c->whole & LF_JSON ? ENCODE_JSON :
			      c->whole & LF_BIN	 ? ENCODE_CBOR :
						   ENCODE_CBOR_HEX;
	logformat_keys(c->format, c->arena);
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
		return err_set(c->err, "the ']' after '%%[%s' is missing%s", expr_text(expr),
			       !*c->at || *c->at == ' ' ? " (it holds no blanks; converters follow "
							  "a comma: '%[path,lower]')" : "");
	c->at++;
	if (!expr_allowed(expr, c->format->place, c->ctx->cfg, &c->ctx->loc))
		return err_set(
			c->err,
			"'%s' cannot be used here: it looks at the %s, which is out of sight here",
			expr_text(expr), expr_source(expr));
	if (c->ctx->proxy && proxy_is_udp(c->ctx->proxy) && !expr_of_datagram(expr))
		return err_set(c->err,
			       "'%s' finds nothing in an udp-lb section: datagrams have no %s",
			       expr_text(expr), expr_missing_in_datagrams(expr));
	compiler_add(c, NODE_EXPR, compiler_item(c, flags))->expr = expr;
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
	if (name.len == 1 && name.ptr[0] == 'o')
		return compiler_whole(c, flags);
	alias = alias_find(name);
	nearest = alias ? NULL : alias_nearest(name);
	if (!alias && nearest)
		return err_set(c->err, "there is no '%%%.*s', did you mean '%%%s'?", (int)name.len,
			       name.ptr, nearest);
	if (!alias)
		return err_set(c->err, "there is no '%%%.*s'; a percent sign is written '%%%%'",
			       (int)name.len, name.ptr);
	compiler_add(c, NODE_ALIAS, compiler_item(c, flags))->alias = alias;
	c->format->late |= alias->needs == NEEDS_END;
	c->format->numbers = true;
	c->format->uri |= (alias->traits & ALIAS_URI) != 0;
	if (alias->traits & ALIAS_HTTP)
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
	if (*c->at == '(' && compiler_name(c) < 0)
		return -1;
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
		return err_set(c->err, "an alias or [expression] must follow '%%%.*s'%s",
			       (int)(c->at - start), start,
			       *start == '{' && isalpha((unsigned char)start[1])
				       ? "; a value is written %[...]" : "");
	} else if (!*c->at || isdigit((unsigned char)*c->at) || *c->at == ' ') {
		return err_set(c->err, "a name must follow '%%'; a percent sign is written '%%%%'");
	} else {
		compiler_warn(c, "a '%' is dropped, a percent sign is written '%%':",
			      (struct span){ c->at - 1, 1 + (size_t)str_char(c->at) });
		return 0;
	}
	c->name = (struct span){ NULL, 0 };
	c->type = SMP_ANY;
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
	if (compiler_run(&c, &literal) ||
	    (c.whole & (LF_JSON | LF_CBOR) && compiler_object(&c)))
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
