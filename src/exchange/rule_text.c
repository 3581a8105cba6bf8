/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of HTTP rules: log formats whose control characters become %XX, so that nothing that a
 * client says ends a field or a line. Those that mention nothing are made when the configuration
 * is read. Called by the actions; a made text lies in the exchange's arena. */
#include "base/arena.h"
#include "base/err.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "expr/logformat.h"
#include "expr/regex.h"
#include "http/chars.h"

enum { LONGEST = 65536 }; /* bytes of a text; a head has to fit into a buffer anyway */

static char memory[LONGEST];

static int compile(struct statement *st, const struct rule *rule, int word, const char *source,
		   enum logformat_style style, struct rule_text *text)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = rule->proxy };
	struct err err;

	if (!strchr(source, '%')) {
		text->fixed = span_of(source);
		return 0;
	}
	text->format = logformat_compile_as(style, source, &ctx, rule_place_bit(rule->where), &err);
	return text->format ? 0 : stmt_error(st, word, "%s", err.text);
}

int rule_text_compile(struct statement *st, const struct rule *rule, int word, const char *source,
		      struct rule_text *text)
{
	return compile(st, rule, word, source, FORMAT_HTTP, text);
}

static bool has_control(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!char_is(s.ptr[i], CHAR_VALUE))
			return true;
	return false;
}

/* What is written cannot leave so: in a field a blank stands for it, a target with it is
 * refused. */
static void warn_controls(struct statement *st, const char *word, enum logformat_style style)
{
	const struct regex_match none = { 0 };
	size_t len = strlen(word);
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (style == FORMAT_REPLACEMENT)
		regex_expand(&t, (struct span){ word, len }, &none);
	if (has_control((struct span){ word, len }) || has_control((struct span){ t.ptr, t.len }))
		stmt_warning(st, st->at - 1, "a control character: it cannot be part of a line of HTTP, "
			     "and a blank leaves in its place");
}

static int parse(struct statement *st, const struct rule *rule, const char *what,
		 enum logformat_style style, struct rule_text *text)
{
	const char *word = stmt_need(st, what);

	if (!word)
		return -1;
	if (!*word)
		return stmt_error(st, st->at - 1, "%s must not be empty; \"%%[str()]\" makes an "
				  "empty text", what);
	warn_controls(st, word, style);
	return compile(st, rule, st->at - 1, word, style, text);
}

int rule_text_parse(struct statement *st, const struct rule *rule, const char *what,
		    struct rule_text *text)
{
	return parse(st, rule, what, FORMAT_HTTP, text);
}

int rule_text_parse_replacement(struct statement *st, const struct rule *rule,
				struct rule_text *text)
{
	return parse(st, rule, "the replacement", FORMAT_REPLACEMENT, text);
}

bool rule_text_make(const struct rule_text *text, struct view *view, struct span *made)
{
	struct text t;

	*made = text->fixed;
	if (!text->format)
		return true;
	text_init(&t, memory, sizeof(memory));
	logformat_write(text->format, view, &t);
	*made = arena_keep(view->arena, (struct span){ t.ptr, t.len });
	return !t.cut && !view->arena->failed;
}
