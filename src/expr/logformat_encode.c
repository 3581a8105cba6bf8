/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log formats whose values are encoded as JSON or CBOR: the whole line as one object, or a value
 * within a text. Called by logformat_write.c. An alias writes its bare value at the end of the line, and
 * base/encode.h makes of it, in place, what the encoding wants; most values are there already.
 * Whole numbers and booleans are such, other values text, of CBOR also bytes; what is absent or
 * cannot be turned into the wanted type is null.
 */
#include "expr/logformat_node.h"

#include "base/arena.h"
#include "base/bug.h"
#include "expr/expr.h"
#include "expr/logformat_alias.h"

/* -- a value ---------------------------------------------------------------------------- */

static void put_null(struct text *t, bool json)
{
	if (json)
		text_add(t, "null", 4);
	else
		text_char(t, (char)CBOR_NULL);
}

static void put_bool(struct text *t, bool value, bool json)
{
	if (!json)
		text_char(t, (char)(value ? CBOR_TRUE : CBOR_FALSE));
	else if (value)
		text_add(t, "true", 4);
	else
		text_add(t, "false", 5);
}

/* Cuts t back to `from`, but remembers that it was cut. */
static void text_back(struct text *t, size_t from)
{
	t->len = from;
	t->ptr[from] = 0;
}

static void put_sample(struct text *t, const struct sample *smp, bool json)
{
	size_t from;

	if (smp->type == SMP_BOOL) {
		put_bool(t, smp->num, json);
		return;
	}
	if (smp->type == SMP_INT) {
		if (json)
			text_num(t, smp->num);
		else
			cbor_int(t, smp->num);
		return;
	}
	if (json)
		text_char(t, '"');
	from = t->len;
	text_add(t, smp->str.ptr, smp->str.len);
	if (json) {
		json_escape(t, from);
		text_char(t, '"');
	} else if (smp->type == SMP_BIN) {
		cbor_bytes(t, from);
	} else {
		cbor_text(t, from);
	}
}

static bool encodable(enum sample_type type)
{
	return type == SMP_BOOL || type == SMP_INT || type == SMP_STR || type == SMP_BIN;
}

static void put_expr(struct text *t, const struct node *node, const struct logformat *format,
		     const struct view *view, bool json)
{
	struct sample smp;

	if (expr_eval_as(node->expr, view, format->place, node->type, &smp) == EXPR_FOUND &&
	    (encodable(smp.type) || sample_cast(&smp, SMP_STR)))
		put_sample(t, &smp, json);
	else
		put_null(t, json);
}

static unsigned bare_flags(const struct node *node)
{
	return (node->flags & LF_HEX) | LF_BARE;
}

/* A value that is not what the encoding wants as it stands there since `from`. */
COLD static void turn_alias(struct text *t, size_t from, const struct node *node,
			    enum sample_type type, bool json)
{
	char memory[1024];
	struct text own;
	struct sample smp = { .type = SMP_STR };

	text_init(&own, memory, sizeof(memory));
	text_add(&own, t->ptr + from, t->len - from);
	smp.str = (struct span){ own.ptr, own.len };
	text_back(t, from);
	if (sample_cast(&smp, node->type ? node->type : type))
		put_sample(t, &smp, json);
	else
		put_null(t, json);
}

static void put_alias_json(struct text *t, const struct node *node, const struct view *view,
			   bool number)
{
	enum sample_type own = number ? SMP_INT : SMP_STR;
	size_t from = t->len;

	if (node->type && node->type != own) {
		node->alias->write(t, view, bare_flags(node));
		if (t->len > from)
			turn_alias(t, from, node, own, true);
	} else if (number) {
		node->alias->write(t, view, bare_flags(node));
	} else {
		text_char(t, '"');
		node->alias->write(t, view, bare_flags(node));
		if (t->len > from + 1) {
			json_escape(t, from + 1);
			text_char(t, '"');
		} else {
			text_back(t, from);
		}
	}
	if (t->len == from)
		put_null(t, true);
}

static void put_alias(struct text *t, const struct node *node, const struct view *view, bool json)
{
	bool number = node->alias->traits & ALIAS_NUMBER &&
		      !(node->flags & LF_HEX && node->alias->traits & ALIAS_HEX);
	size_t from = t->len;

	if (json) {
		put_alias_json(t, node, view, number);
		return;
	}
	node->alias->write(t, view, bare_flags(node));
	if (t->len == from)
		put_null(t, false);
	else if (number || node->type)
		turn_alias(t, from, node, number ? SMP_INT : SMP_STR, false);
	else
		cbor_text(t, from);
}

static void put_node(struct text *t, const struct node *node, const struct logformat *format,
		     const struct view *view, bool json)
{
	if (node->kind == NODE_ALIAS)
		put_alias(t, node, view, json);
	else
		put_expr(t, node, format, view, json);
}

void logformat_write_encoded(const struct node *node, const struct logformat *format,
			     const struct view *view, struct text *t)
{
	size_t from = t->len;

	put_node(t, node, format, view, node->flags & LF_JSON);
	if (node->flags & LF_CBOR)
		encode_hex(t, from);
}

/* -- an object -------------------------------------------------------------------------- */

void logformat_keys(struct logformat *format, struct arena *arena)
{
	struct node *node;
	struct text t;

	for (node = format->nodes; node; node = node->next) {
		size_t size = 6 * node->name.len + 16;

		text_init(&t, arena_alloc(arena, size), size);
		if (format->encoding == ENCODE_JSON) {
			text_str(&t, node == format->nodes ? "\"" : ",\"");
			text_add(&t, node->name.ptr, node->name.len);
			json_escape(&t, t.len - node->name.len);
			text_str(&t, "\":");
		} else {
			text_add(&t, node->name.ptr, node->name.len);
			cbor_text(&t, 0);
		}
		BUG_ON(t.cut);
		node->key = (struct span){ t.ptr, t.len };
	}
}

/* What does not fit any more is left out, so that the object stays one. */
COLD static void object_cut(const struct logformat *format, struct text *t, size_t from,
			    size_t room)
{
	enum encoding raw = format->encoding == ENCODE_JSON ? ENCODE_JSON : ENCODE_CBOR;
	struct span object = { t->ptr + from, t->len - from }, closing;
	size_t keep = encoded_cut(raw, object, room, &closing);

	text_back(t, from + keep);
	text_add(t, closing.ptr, closing.len);
	t->cut = true;
}

void logformat_write_object(const struct logformat *format, const struct view *view, struct text *t)
{
	bool json = format->encoding == ENCODE_JSON, hex = format->encoding == ENCODE_CBOR_HEX;
	size_t from = t->len, room = t->size - 1 - from;
	const struct node *node;

	text_char(t, json ? '{' : (char)CBOR_MAP);
	for (node = format->nodes; node; node = node->next) {
		text_add(t, node->key.ptr, node->key.len);
		put_node(t, node, format, view, json);
	}
	text_char(t, json ? '}' : (char)CBOR_END);
	if (unlikely(t->cut || (hex && t->len - from > room / 2)))
		object_cut(format, t, from, hex ? room / 2 : room);
	if (hex)
		encode_hex(t, from);
}
