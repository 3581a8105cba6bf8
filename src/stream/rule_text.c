/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of HTTP rules: log formats whose control characters become %XX, so that nothing that a
 * client says ends a field or a line. Those that mention nothing are made when the configuration
 * is read. Called by the actions; a made text lies in the exchange's arena. */
#include "base/arena.h"
#include "base/err.h"
#include "expr/logformat.h"
#include "stream/exchange.h"
#include "stream/http_action.h"

enum { LONGEST = 65536 }; /* bytes of a text; a head has to fit into a buffer anyway */

static char memory[LONGEST];

int rule_text_compile(struct statement *st, const struct rule *rule, int word, const char *source,
		      struct rule_text *text)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = rule->proxy };
	struct err err;

	if (!strchr(source, '%')) {
		text->fixed = span_of(source);
		return 0;
	}
	text->format = logformat_compile_as(FORMAT_HTTP, source, &ctx,
					    rule_place_bit(rule->where), &err);
	return text->format ? 0 : stmt_error(st, word, "%s", err.text);
}

int rule_text_parse(struct statement *st, const struct rule *rule, const char *what,
		    struct rule_text *text)
{
	const char *word = stmt_need(st, what);

	if (!word)
		return -1;
	if (!*word)
		return stmt_error(st, st->at - 1, "%s must not be empty; \"%%[str()]\" makes an "
				  "empty text", what);
	return rule_text_compile(st, rule, st->at - 1, word, text);
}

bool rule_text_make(const struct rule_text *text, struct view *view, struct span *made)
{
	struct text t;

	*made = text->fixed;
	if (!text->format)
		return true;
	text_init(&t, memory, sizeof(memory));
	logformat_write(text->format, view, &t);
	*made = (struct span){ arena_strndup(view->arena, t.ptr, t.len), t.len };
	return !t.cut;
}
