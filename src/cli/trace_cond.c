/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions of "trace request" (cli/trace_cond.h): ACLs that the configuration has, and anonymous
 * ones of an expression, a matching method and values. They are evaluated by the functions of
 * rules; nothing of the running configuration is changed, so files of patterns cannot be named. */
#include "cli/trace_cond.h"

#include "base/arena.h"
#include "base/err.h"
#include "expr/acl_conf.h"
#include "expr/expr.h"
#include "expr/pattern.h"
#include "expr/view.h"
#include "expr/watch.h"
#include "proxy/proxy.h"
#include "stream/stream.h"
#include "stream/view.h"

struct trace_cond {
	struct trace_cond *next;
	bool negated;
	const char *name;             /* of an ACL; NULL: anonymous */
	struct expr *expr;
	enum match match;
	struct pattern_set *patterns;
};

struct reader {
	struct arena *arena;
	const struct proxy *frontend;
	char **at;
	struct err *err;
};

/* ---- reading ------------------------------------------------------------------------------- */

/* Does some frontend that is meant have it? */
static bool name_is_known(const struct reader *r, const char *name)
{
	struct proxy *px;

	if (r->frontend)
		return acl_of(r->frontend, name) != NULL;
	list_for_each(px, &proxies_running->list, node)
		if (px->caps & PROXY_FRONTEND && acl_of(px, name))
			return true;
	return false;
}

/* The expression, in whose place one of the words of ACLs may stand ("path_beg"). */
static int read_expression(struct reader *r, struct trace_cond *c)
{
	struct expr_context ctx = { .arena = r->arena,
				    .proxy = (struct proxy *)(uintptr_t)r->frontend,
				    .no_files = true };
	const char *text = *r->at;
	const struct acl_word *w = acl_words;
	size_t len;

	if (!text || !strcmp(text, "}"))
		return err_set(r->err, "Behind '{' an expression is expected.");
	len = strcspn(text, "(,");
	while (w->name && (strlen(w->name) != len || memcmp(w->name, text, len) != 0))
		w++;
	if (w->name)
		text = arena_printf(r->arena, "%s%s", w->fetch, text + len);
	c->expr = text ? expr_parse_all(text, &ctx, r->err) : NULL;
	if (!c->expr)
		return text ? -1 : err_set(r->err, "Out of memory.");
	if (!(expr_where(c->expr) & AT_REQUEST))
		return err_set(r->err, "'%s' looks at the %s, which is not there yet when a "
				       "request comes.",
			       expr_text(c->expr), expr_source(c->expr));
	c->match = w->name && !expr_has_converters(c->expr) ? w->match
							    : match_default(expr_type(c->expr));
	r->at++;
	return 0;
}

static int read_flags(struct reader *r, struct trace_cond *c, unsigned *flags)
{
	for (; *r->at && **r->at == '-' && r->at[0][1]; r->at++) {
		if (!strcmp(*r->at, "-i")) {
			*flags |= PATTERN_ICASE;
		} else if (!strcmp(*r->at, "-m") && r->at[1]) {
			c->match = match_find(*++r->at);
			if (c->match == MATCH_NONE)
				return err_set(r->err, "Unknown matching method '%s'.", *r->at);
		} else if (!strcmp(*r->at, "--")) {
			r->at++;
			break;
		} else {
			return err_set(r->err, "'%s' cannot stand here; -i, -m and -- can.",
				       *r->at);
		}
	}
	if (c->match == MATCH_NONE || c->match == MATCH_GROUP ||
	    !match_fits(c->match, expr_type(c->expr)))
		return err_set(r->err, "'%s' needs another matching method (-m).",
			       expr_text(c->expr));
	return 0;
}

static int read_values(struct reader *r, struct trace_cond *c, unsigned flags)
{
	c->patterns = pattern_set_new(c->match, r->arena);
	for (; *r->at && strcmp(*r->at, "}") != 0; r->at++)
		if (match_has_patterns(c->match) &&
		    (!c->patterns || pattern_add(c->patterns, *r->at, NULL, OP_EQUAL,
						 flags | PATTERN_NO_NAMES, r->err)))
			return c->patterns ? -1 : err_set(r->err, "Out of memory.");
	if (!*r->at++)
		return err_set(r->err, "The '}' that closes the condition is missing.");
	return 0;
}

static int read_anonymous(struct reader *r, struct trace_cond *c)
{
	unsigned flags = 0;

	return read_expression(r, c) || read_flags(r, c, &flags) || read_values(r, c, flags) ? -1
											     : 0;
}

static int read_term(struct reader *r, struct trace_cond *c)
{
	const char *word = *r->at++;

	for (; *word == '!'; word++)
		c->negated = !c->negated;
	if (!*word && *r->at)
		word = *r->at++;
	if (!strcmp(word, "{"))
		return read_anonymous(r, c);
	if (!strcmp(word, "or") || !strcmp(word, "||"))
		return err_set(r->err, "Alternatives ('%s') are not possible here.", word);
	if (!name_is_known(r, word))
		return err_set(r->err, "There is no ACL '%s' in %s.", word,
			       r->frontend ? r->frontend->name : "any frontend");
	c->name = arena_strdup(r->arena, word);
	return c->name ? 0 : err_set(r->err, "Out of memory.");
}

struct trace_cond *trace_cond_parse(struct arena *arena, const struct proxy *frontend, char **words,
				    struct err *err)
{
	struct reader r = { .arena = arena, .frontend = frontend, .at = words, .err = err };
	struct trace_cond *first = NULL, **tail = &first, *c;

	if (!*words) {
		err_set(err, "Behind 'if' a condition is expected.");
		return NULL;
	}
	while (*r.at) {
		c = arena_alloc(arena, sizeof(*c));
		if (c) {
			*tail = c;
			tail = &c->next;
		}
		if (!c || read_term(&r, c) < 0) {
			if (!c)
				err_set(err, "Out of memory.");
			trace_cond_free(first);
			return NULL;
		}
	}
	return first;
}

/* ---- asking -------------------------------------------------------------------------------- */

static bool anonymous_holds(const struct trace_cond *c, const struct view *view)
{
	struct expr_walk walk = { .all = true };
	struct sample smp;

	do {
		if (expr_eval_next(c->expr, view, AT_REQUEST | AT_FINAL, &walk, &smp) != EXPR_FOUND)
			return false;
		if (c->match == MATCH_FOUND)
			return true;
		if (c->match == MATCH_BOOL ? sample_cast(&smp, SMP_BOOL) && smp.num :
					     pattern_match(c->patterns, &smp) != NULL)
			return true;
	} while (smp.flags & SMP_NOT_LAST);
	return false;
}

static bool term_holds(const struct trace_cond *c, struct stream *s, const struct view *view)
{
	const struct acl *acl;

	if (!c->name)
		return anonymous_holds(c, view);
	acl = acl_of(s->origin->frontend, c->name);
	return acl && acl_eval(acl, view, AT_REQUEST | AT_FINAL) == COND_YES;
}

/* This question is no part of what is told. */
bool trace_cond_holds(const struct trace_cond *c, struct stream *s)
{
	const struct watch *kept = watch;
	struct view view;
	bool holds = true;

	watch = NULL;
	stream_view(s, &view, NULL);
	for (; c && holds; c = c->next)
		holds = term_holds(c, s, &view) != c->negated;
	watch = kept;
	return holds;
}

void trace_cond_free(struct trace_cond *c)
{
	const struct pattern *p;

	for (; c; c = c->next)
		for (p = c->patterns ? pattern_first(c->patterns) : NULL; p; p = p->next)
			pattern_forget(c->patterns, (struct pattern *)(uintptr_t)p);
}
