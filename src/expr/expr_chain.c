/* SPDX-License-Identifier: BSD-2-Clause */
/* Sample expressions: a fetch and a chain of converters, compiled from text once, evaluated
 * often. Called by ACLs, rules, log formats and maps. Evaluation allocates nothing; it writes
 * only to the ring of scratch buffers. Compiled expressions never change. */
#include "expr/expr.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/arg.h"
#include "expr/meant.h"
#include "expr/names.h"
#include "expr/view.h"
#include "expr/watch.h"

#include <ctype.h>
#include <stdio.h>

struct expr_step {
	struct expr_step *next;
	const struct converter *row;
	struct expr_arg args[ARG_MAX];
};

struct expr {
	const struct fetch *row;
	struct expr_arg args[ARG_MAX];
	struct expr_step *steps, **tail;
	enum sample_type type; /* declared, of the result */
	const char *text;
};

/* -- parsing ---------------------------------------------------------------------------- */

static struct span expr_word(const char **text)
{
	const char *start = *text, *p = start;

	while (isalnum((unsigned char)*p) || (*p && strchr("_.+-", *p)))
		p++;
	*text = p;
	return (struct span){ start, (size_t)(p - start) };
}

static int expr_hint(struct err *err, const char *kind, struct span name, bool known,
		     const char *near)
{
	int len = (int)(name.len > 64 ? str_whole(name.ptr, 64) : name.len);

	if (name_needs_openssl(name))
		return err_set(err, "%s '%.*s' needs OpenSSL, which this build is without", kind,
			       len, name.ptr);
	if (name_explained(name))
		return err_set(err, "%s '%.*s' %s", kind, len, name.ptr, name_explained(name));
	if (known)
		return err_set(err, "%s '%.*s' is not supported yet", kind, len, name.ptr);
	if (near)
		return err_set(err, "unknown %s '%.*s'; did you mean '%s'?", kind, len, name.ptr,
			       near);
	return err_set(err, "unknown %s '%.*s'", kind, len, name.ptr);
}

/* A word where a fetch must stand, but none of ours. */
static int expr_no_fetch(struct span name, struct err *err)
{
	if (!name.len)
		return err_set(err, "the name of a fetch is missing");
	if (!fetch_known(name) && expr_converter_find(name))
		return err_set(err, "'%.*s' is a converter: it follows a fetch and a comma",
			       (int)name.len, name.ptr);
	return expr_hint(err, "fetch", name, fetch_known(name),
			 fetch_meant(name) ? fetch_meant(name) : fetch_nearest(name));
}

static int expr_no_converter(struct span name, struct err *err)
{
	if (!name.len)
		return err_set(err, "the name of a converter is missing behind the comma%s",
			       *name.ptr && *name.ptr != ' ' ? "" : " (no blank stands there)");
	return expr_hint(err, "converter", name, converter_known(name),
			 converter_meant(name) ? converter_meant(name) : converter_nearest(name));
}

static int expr_args(const char **text, const struct arg_spec *spec, args_check *check,
		     struct expr_arg *args, const char *what, const struct expr_context *ctx,
		     struct err *err)
{
	if (expr_args_parse(text, spec, args, what, ctx, err))
		return -1;
	if (check && check(args, ctx, err))
		return err_prefix(err, "%s", what);
	return 0;
}

static int expr_add_step(struct expr *e, const char **text, const struct expr_context *ctx,
			 struct err *err)
{
	struct span name = expr_word(text);
	const struct converter *row = expr_converter_find(name);
	struct expr_context here = *ctx;
	struct expr_step *step;
	char what[80];

	if (!row)
		return expr_no_converter(name, err);
	if (!sample_castable(e->type, row->in))
		return err_set(err, "converter '%s' cannot be applied to a value of type %s",
			       row->name, sample_type_name(e->type));
	step = arena_alloc(ctx->arena, sizeof(*step));
	if (!step)
		return err_set(err, "out of memory");
	step->row = row;
	snprintf(what, sizeof(what), "converter '%s'", row->name);
	here.value = e->type;
	here.what = what;
	here.data = row->data;
	if (expr_args(text, &row->args, row->check, step->args, what, &here, err))
		return -1;
	if (row->out != SMP_SAME)
		e->type = row->out;
	*e->tail = step;
	e->tail = &step->next;
	return 0;
}

/* ",conv,conv": stops at whatever is no comma. A comma at the very end is let through, since
 * further words may be converters, too. */
static int expr_add_steps(struct expr *e, const char **text, bool words,
			  const struct expr_context *ctx, struct err *err)
{
	while (**text == ',') {
		++*text;
		if (words && !**text)
			return 0;
		if (expr_add_step(e, text, ctx, err))
			return -1;
	}
	return 0;
}

static struct expr *expr_begin(const char **text, const struct expr_context *ctx, struct err *err)
{
	struct expr_context here = *ctx;
	const struct fetch *row;
	struct span name;
	struct expr *e;
	char what[80];

	name = expr_word(text);
	row = expr_fetch_find(name);
	if (!row) {
		expr_no_fetch(name, err);
		return NULL;
	}
	e = arena_alloc(ctx->arena, sizeof(*e));
	if (!e) {
		err_set(err, "out of memory");
		return NULL;
	}
	e->row = row;
	e->type = row->type;
	e->tail = &e->steps;
	snprintf(what, sizeof(what), "fetch '%s'", row->name);
	here.what = what;
	here.data = row->data;
	if (expr_args(text, &row->args, row->check, e->args, what, &here, err))
		return NULL;
	return e;
}

static struct expr *expr_compile(const char **text, bool words, const struct expr_context *given,
				 struct err *err)
{
	struct expr_context ctx = *given;
	const char *start = *text;
	struct expr *e;

	if (!ctx.arena)
		ctx.arena = ctx.cfg->arena;
	e = expr_begin(text, &ctx, err);
	if (!e || expr_add_steps(e, text, words, &ctx, err))
		return NULL;
	e->text = arena_strndup(ctx.arena, start, (size_t)(*text - start));
	return e;
}

struct expr *expr_parse(const char **text, const struct expr_context *ctx, struct err *err)
{
	return expr_compile(text, false, ctx, err);
}

static int expr_no_rest(const char *rest, struct err *err)
{
	return *rest ? err_set(err, "a comma or the end is expected before '%s'", rest) : 0;
}

struct expr *expr_parse_all(const char *text, const struct expr_context *ctx, struct err *err)
{
	struct expr *e = expr_compile(&text, true, ctx, err);

	if (e && expr_no_rest(text, err))
		return NULL;
	return e;
}

/* Is this word of a statement a converter, and not the next thing of the statement? */
static bool expr_continues(const char *word)
{
	struct span name;

	if (!word || !strcmp(word, "if") || !strcmp(word, "unless"))
		return false;
	name = expr_word(&word);
	return name.len && (expr_converter_find(name) || converter_known(name));
}

static int expr_more_words(struct expr *e, struct statement *st, const struct expr_context *ctx,
			   struct err *err)
{
	while (expr_continues(stmt_peek(st))) {
		const char *word = stmt_next(st);

		if (expr_add_step(e, &word, ctx, err) || expr_add_steps(e, &word, true, ctx, err) ||
		    expr_no_rest(word, err))
			return -1;
	}
	return 0;
}

struct expr *expr_parse_words(struct statement *st, struct proxy *proxy)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = proxy };
	const char *word = stmt_need(st, "a sample expression");
	struct err err;
	struct expr *e;

	if (!word)
		return NULL;
	e = expr_parse_all(word, &ctx, &err);
	if (e && !expr_more_words(e, st, &ctx, &err))
		return e;
	stmt_error(st, st->at - 1, "%s", err.text);
	return NULL;
}

/* -- what is known of a compiled one ---------------------------------------------------- */

enum sample_type expr_type(const struct expr *e)
{
	return e->type;
}

unsigned expr_where(const struct expr *e)
{
	return e->row->where;
}

bool expr_allowed(const struct expr *e, unsigned where, struct config *cfg, const struct location *loc)
{
	if (e->row->where & where)
		return true;
	if (where != AT_CHECK || !(e->row->where & ~(unsigned)FROM_REQUEST))
		return false;
	if (cfg)
		config_warning(cfg, loc, "a health check has no client: '%s' finds nothing here", e->text);
	return true;
}

bool expr_looks(const struct expr *e)
{
	return e->row->looks || !(e->row->where & ~(unsigned)(FROM_REQUEST | FROM_RESPONSE));
}

const char *expr_fetch_name(const struct expr *e)
{
	return e->row->name;
}

const char *expr_text(const struct expr *e)
{
	return e->text;
}

bool expr_has_converters(const struct expr *e)
{
	return e->steps != NULL;
}

const struct expr_arg *expr_argument(const struct expr *e, unsigned n)
{
	return &e->args[n];
}

const char *expr_source(const struct expr *e)
{
	unsigned where = e->row->where;

	if (where == FROM_REQUEST)
		return "request";
	if (where == FROM_RESPONSE)
		return "response";
	if (where == FROM_SERVER)
		return "server";
	if (where == FROM_STATE)
		return "proxies at work";
	if (where == FROM_BACKEND)
		return "backend";
	if (where == (FROM_REQUEST | FROM_RESPONSE))
		return "request or response";
	return "client connection";
}

/* -- evaluation ------------------------------------------------------------------------- */

unsigned expr_place;

static bool expr_convert(const struct expr *e, const struct view *view, unsigned place,
			 struct sample *smp)
{
	const struct expr_step *step;

	for (step = e->steps; step; step = step->next) {
		expr_place = place;
		if (!sample_cast(smp, step->row->in) ||
		    !step->row->run(step->args, smp, view, step->row))
			return false;
	}
	return true;
}

/* Will the bytes that are there stay all? */
static bool expr_final(const struct view *view, unsigned place)
{
	if (place & AT_FINAL)
		return true;
	if (place & AT_REQUESTS)
		return view->request_final;
	return !(place & AT_RESPONSE) || view->response_final;
}

static inline enum expr_result expr_eval_one(const struct expr *e, const struct view *view,
					     unsigned place, struct expr_walk *walk,
					     struct sample *smp)
{
	struct fetch_call call = { .view = view, .args = e->args, .row = e->row,
				   .place = place & ~(unsigned)AT_FINAL,
				   .final = expr_final(view, place), .all = walk->all,
				   .nth = walk->nth };
	enum expr_result result;

	if (!(e->row->where & place))
		return EXPR_NONE;
	memcpy(call.walk, walk->walk, sizeof(call.walk));
	smp->flags = 0;
	smp->type = e->row->type;
	result = e->row->run(&call, smp);
	walk->nth++;
	memcpy(walk->walk, call.walk, sizeof(call.walk));
	if (call.final) {
		smp->flags &= ~(unsigned)SMP_MAY_CHANGE;
		result = result == EXPR_WAIT && !call.later ? EXPR_NONE : result;
	}
	if (result != EXPR_FOUND || !e->steps ||
	    expr_convert(e, view, call.place | (call.final ? AT_FINAL : 0), smp))
		return result;
	/* What cannot be converted now may be complete later. */
	return smp->flags & SMP_MAY_CHANGE ? EXPR_WAIT : EXPR_NONE;
}

COLD static enum expr_result expr_eval_watched(const struct expr *e, const struct view *view,
					       unsigned place, struct expr_walk *walk,
					       struct sample *smp)
{
	enum expr_result result = expr_eval_one(e, view, place, walk, smp);

	watch->sample(e, result, smp);
	return result;
}

enum expr_result expr_eval_next(const struct expr *e, const struct view *view, unsigned place,
				struct expr_walk *walk, struct sample *smp)
{
	if (unlikely(watch != NULL))
		return expr_eval_watched(e, view, place, walk, smp);
	return expr_eval_one(e, view, place, walk, smp);
}

enum expr_result expr_eval(const struct expr *e, const struct view *view, unsigned place,
			   struct sample *smp)
{
	struct expr_walk walk = { 0 };

	return expr_eval_next(e, view, place, &walk, smp);
}

enum expr_result expr_eval_as(const struct expr *e, const struct view *view, unsigned place,
			      enum sample_type type, struct sample *smp)
{
	enum expr_result result = expr_eval(e, view, place, smp);

	if (result == EXPR_FOUND && !sample_cast(smp, type))
		return EXPR_NONE;
	return result;
}

const char *expr_fixed_text(const struct expr *e, struct server *server, struct arena *arena)
{
	struct view view = { .server = server };
	struct sample smp;

	if (!e || !(expr_where(e) & AT_CONFIG) ||
	    expr_eval_as(e, &view, AT_CONFIG | AT_FINAL, SMP_STR, &smp) != EXPR_FOUND ||
	    !smp.str.len)
		return NULL;
	return arena_strndup(arena, smp.str.ptr, smp.str.len);
}
