/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables, and the fetches and converters that read and write them. Lists are short (a
 * configuration names few of them), so they are searched one by one, comparing pointers of
 * names. Called through expressions and the set-var actions; the owner of a list frees it.
 * Never holds pointers into a stream's bytes: values are copied. */
#include "expr/vars.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/memory.h"
#include "expr/proc_vars.h"
#include "expr/tables.h"
#include "expr/track.h"
#include "expr/view.h"
#include "expr/watch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct var {
	struct var *next;
	const struct var_name *name;
	size_t size;
	struct sample value; /* strings point to bytes */
	char bytes[];
};

struct vars_limits vars_limits;
struct vars_stats vars_stats;
unsigned var_names_left = UINT32_MAX;

/* By their texts: scripts name variables while they run, and may make many. */
enum { NAME_LISTS = 1024 };
static struct var_name *names[NAME_LISTS];
static struct vars process_vars;

/* Dropped while the sample of the expression that did so lay in it: its bytes are valid until
 * another one is dropped in this way, and so longer than the sample is. Linked nowhere. */
static struct var *outlived;

static const char *const scope_names[VAR_SCOPES] = { "proc", "sess", "txn",
						     "req",  "res",  "check" };

/* -- names ------------------------------------------------------------------------------ */

static int var_scope(struct span text)
{
	const char *dot = memchr(text.ptr, '.', text.len);
	struct span scope;
	int i;

	if (!dot || dot == text.ptr + text.len - 1)
		return -1;
	scope = (struct span){ text.ptr, (size_t)(dot - text.ptr) };
	for (i = 0; i < VAR_SCOPES; i++) {
		if (span_equal(scope, span_of(scope_names[i])))
			return i;
	}
	return -1;
}

static struct var_name **name_list(struct span text)
{
	return &names[hash_djb2(text.ptr, text.len) % NAME_LISTS];
}

static const struct var_name *var_name_add(struct span text, enum var_scope scope)
{
	struct var_name *name = malloc(sizeof(*name) + text.len + 1), **list = name_list(text);

	if (!name)
		return NULL;
	name->scope = scope;
	name->under_way = false;
	name->stamp = 0;
	list_init(&name->waits);
	memcpy(name->text, text.ptr, text.len);
	name->text[text.len] = 0;
	name->next = *list;
	*list = name;
	return name;
}

const struct var_name *var_name_known(struct span text)
{
	const struct var_name *name;

	for (name = *name_list(text); name; name = name->next) {
		if (span_equal(text, span_of(name->text)))
			return name;
	}
	return NULL;
}

/* "tnx.a": its scope is near to one that there is. */
static void no_scope(struct span text, struct err *err)
{
	const char *dot = memchr(text.ptr, '.', text.len);
	size_t len = dot ? (size_t)(dot - text.ptr) : 0;
	char scope[8], hint[96] = "";
	int i;

	for (i = 0; len && len < sizeof(scope) && i < VAR_SCOPES && !*hint; i++) {
		snprintf(scope, sizeof(scope), "%.*s", (int)len, text.ptr);
		if (str_distance(scope, scope_names[i], 2) <= (len > 2 ? 2 : 1))
			snprintf(hint, sizeof(hint), "; did you mean '%s%.*s'?", scope_names[i],
				 (int)(text.len - len), dot);
	}
	err_set(err,
		"'%.*s' is no name of a variable: it begins with its scope (proc, sess, txn, req, "
		"res or check) and a dot%s",
		(int)text.len, text.ptr, hint);
}

static const struct var_name *var_name_make(struct span text, struct err *err)
{
	int scope = var_scope(text);
	const struct var_name *name;
	size_t i;

	if (scope < 0) {
		no_scope(text, err);
		return NULL;
	}
	for (i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (!isalnum(c) && c != '_' && c != '.') {
			err_set(err, "letters, digits, '.' and '_' are expected in the name of a "
				     "variable, not '%.*s'",
				(int)(text.len - i), text.ptr + i);
			return NULL;
		}
	}
	name = var_name_add(text, (enum var_scope)scope);
	if (!name)
		err_set(err, "out of memory");
	return name;
}

const struct var_name *var_name_heard(struct span text, struct err *err)
{
	const struct var_name *name = var_name_known(text);

	return name ? name : var_name_make(text, err);
}

const struct var_name *var_name(struct span text, struct err *err)
{
	const struct var_name *name = var_name_known(text);

	if (name)
		return name;
	if (!var_names_left) {
		err_set(err, "too many names of variables were made at run time");
		return NULL;
	}
	name = var_name_make(text, err);
	if (name)
		var_names_left--;
	return name;
}

unsigned var_condition(struct span word)
{
	static const char *const words[] = { "ifexists", "ifnotexists", "ifempty", "ifnotempty",
					     "ifset",    "ifnotset",    "ifgt",    "iflt" };
	unsigned i;

	for (i = 0; i < ARRAY_LEN(words); i++) {
		if (span_equal(word, span_of(words[i])))
			return 1u << i;
	}
	return 0;
}

/* -- lists ------------------------------------------------------------------------------ */

static struct vars *vars_of(enum var_scope scope, const struct view *view)
{
	switch (scope) {
	case VAR_PROC:
		return &process_vars;
	case VAR_SESS:
		return view->session_vars;
	case VAR_TXN:
		return view->stream_vars;
	case VAR_REQ:
		return view->responding ? NULL : view->stream_vars;
	case VAR_RES:
		return view->responding ? view->stream_vars : NULL;
	case VAR_CHECK:
		return view->check_vars;
	case VAR_SCOPES:
		break;
	}
	return NULL;
}

static struct var *vars_find(const struct vars *vars, const struct var_name *name)
{
	struct var *v;

	for (v = vars->first; v; v = v->next) {
		if (v->name == name)
			return v;
	}
	return NULL;
}

static void vars_unlink(struct vars *vars, const struct var *v)
{
	struct var **at;

	for (at = &vars->first; *at != v; at = &(*at)->next)
		;
	*at = v->next;
	vars_stats.used -= v->size;
}

static void vars_drop(struct vars *vars, const struct var *v)
{
	vars_unlink(vars, v);
	free((void *)v);
}

static bool sample_is_text(const struct sample *smp)
{
	return smp->type == SMP_STR || smp->type == SMP_BIN || smp->type == SMP_METH;
}

static bool sample_lies_in(const struct sample *smp, const struct var *v)
{
	uintptr_t bytes = (uintptr_t)v->bytes, at = (uintptr_t)smp->str.ptr;

	return sample_is_text(smp) && at >= bytes && at - bytes <= v->size - sizeof(*v);
}

/* smp: what the expression goes on with, or what the caller holds. */
static void vars_drop_under(struct vars *vars, struct var *v, const struct sample *smp)
{
	vars_unlink(vars, v);
	if (sample_lies_in(smp, v)) {
		free(outlived);
		outlived = v;
	} else {
		free(v);
	}
}

void vars_free(struct vars *vars)
{
	while (vars->first)
		vars_drop(vars, vars->first);
	if (unlikely(vars->tracks != NULL))
		tracks_free(vars);
}

void vars_free_scope(struct vars *vars, enum var_scope scope)
{
	struct var *v, *next;

	for (v = vars->first; v; v = next) {
		next = v->next;
		if (v->name->scope == scope)
			vars_drop(vars, v);
	}
}

/* Bytes in the scopes from `from` on. */
static size_t vars_size(const struct vars *vars, enum var_scope from)
{
	const struct var *v;
	size_t sum = 0;

	for (v = vars ? vars->first : NULL; v; v = v->next) {
		if (v->name->scope >= from)
			sum += v->size;
	}
	return sum;
}

static bool vars_above(size_t limit, size_t used, size_t more)
{
	return limit && used + more > limit;
}

/* Coarse limits include the finer ones. `less` bytes are about to be freed. */
static bool vars_room(const struct var_name *name, const struct view *view, size_t size,
		      size_t less)
{
	size_t stream, session;

	if (vars_above(vars_limits.global, vars_stats.used - less, size) ||
	    vars_above(vars_limits.proc, vars_stats.used - less, size))
		return false;
	if (name->scope == VAR_PROC)
		return true;
	if (name->scope == VAR_CHECK)
		return !vars_above(vars_limits.check,
				   vars_size(view->check_vars, VAR_CHECK) - less, size);
	stream = vars_size(view->stream_vars, VAR_TXN);
	session = vars_size(view->session_vars, VAR_SESS);
	if (vars_above(vars_limits.sess, session + stream - less, size))
		return false;
	if (name->scope >= VAR_TXN && vars_above(vars_limits.txn, stream - less, size))
		return false;
	return name->scope < VAR_REQ ||
	       !vars_above(vars_limits.reqres, vars_size(view->stream_vars, VAR_REQ) - less, size);
}

bool var_get(const struct var_name *name, const struct view *view, struct sample *smp)
{
	const struct vars *vars = vars_of(name->scope, view);
	const struct var *v = vars ? vars_find(vars, name) : NULL;
	unsigned flags = smp->flags;

	if (!v)
		return false;
	*smp = v->value;
	smp->flags = flags | SMP_CONST;
	return true;
}

/* Process variables exist from the moment that the configuration mentions them. */
static bool var_may_set(const struct var_name *name, const struct var *old,
			const struct sample *smp, unsigned c)
{
	bool set = old != NULL, empty = sample_is_text(smp) && !smp->str.len;
	bool numbers = set && old->value.type == SMP_INT && smp->type == SMP_INT;
	bool exists = old || name->scope == VAR_PROC;

	if ((c & VAR_IF_EXISTS && !exists) || (c & VAR_IF_NOT_EXISTS && exists))
		return false;
	if ((c & VAR_IF_SET && !set) || (c & VAR_IF_NOT_SET && set))
		return false;
	if ((c & VAR_IF_EMPTY && !empty) || (c & VAR_IF_NOT_EMPTY && empty))
		return false;
	return !(numbers && ((c & VAR_IF_GT && !(old->value.num > smp->num)) ||
			     (c & VAR_IF_LT && !(old->value.num < smp->num))));
}

/* An exchange ends: a rule that is about to ask for the variable would decide without it. */
COLD static bool var_no_memory(const struct view *view)
{
	vars_stats.failed++;
	if (view->arena)
		arena_fail(view->arena);
	return false;
}

/* In the place of `old`, which may be NULL; under limits or not. */
static bool var_keep(struct vars *vars, const struct var_name *name, const struct sample *smp,
		     struct var *old)
{
	size_t len = sample_is_text(smp) ? smp->str.len : 0, size = sizeof(struct var) + len;
	struct var *v = memory_take(size);

	if (!v)
		return false;
	*v = (struct var){ .name = name, .size = size, .value = *smp };
	if (sample_is_text(smp)) {
		memcpy(v->bytes, smp->str.ptr, len);
		v->value.str.ptr = v->bytes;
	}
	if (old)
		vars_drop_under(vars, old, smp); /* smp may be needed once more: set-var is a
						  * converter */
	v->next = vars->first;
	vars->first = v;
	vars_stats.used += size;
	return true;
}

bool var_put(const struct var_name *name, const struct sample *smp)
{
	return var_keep(&process_vars, name, smp, vars_find(&process_vars, name));
}

void var_take_away(const struct var_name *name)
{
	const struct var *v = vars_find(&process_vars, name);

	if (v)
		vars_drop(&process_vars, v);
}

static bool var_is(const struct var *v, const struct sample *smp)
{
	if (!v || v->value.type != smp->type)
		return false;
	if (sample_is_text(smp))
		return span_equal(v->value.str, smp->str);
	if (smp->type == SMP_IPV4)
		return v->value.v4.s_addr == smp->v4.s_addr;
	if (smp->type == SMP_IPV6)
		return !memcmp(&v->value.v6, &smp->v6, sizeof(smp->v6));
	return v->value.num == smp->num;
}

bool var_set(const struct var_name *name, const struct view *view, const struct sample *smp,
	     unsigned conditions)
{
	struct vars *vars = vars_of(name->scope, view);
	size_t size = sizeof(struct var) + (sample_is_text(smp) ? smp->str.len : 0);
	struct var *old;

	if (!vars)
		return false;
	old = vars_find(vars, name);
	if (!var_may_set(name, old, smp, conditions))
		return false;
	if (name->scope == VAR_PROC && var_is(old, smp))
		return true; /* nobody needs to hear of it */
	if (!vars_room(name, view, size, old ? old->size : 0)) {
		vars_stats.failed++;
		return false;
	}
	if (!var_keep(vars, name, smp, old))
		return var_no_memory(view);
	if (unlikely(watch != NULL))
		watch->variable(name, smp);
	if (name->scope == VAR_PROC)
		proc_vars_changed(name);
	return true;
}

void var_unset(const struct var_name *name, const struct view *view)
{
	struct vars *vars = vars_of(name->scope, view);
	struct var *v = vars ? vars_find(vars, name) : NULL;

	if (!v)
		return;
	vars_drop(vars, v);
	if (unlikely(watch != NULL))
		watch->variable(name, NULL);
	if (name->scope == VAR_PROC)
		proc_vars_changed(name);
}

/* -- fetch and converters --------------------------------------------------------------- */

static enum expr_result fetch_var(struct fetch_call *call, struct sample *smp)
{
	if (var_get(call->args[0].var, call->view, smp))
		return EXPR_FOUND;
	if (call->args[1].type == ARG_NONE)
		return EXPR_NONE;
	smp->type = SMP_STR;
	smp->flags |= SMP_CONST;
	smp->str = call->args[1].str;
	return EXPR_FOUND;
}

static bool convert_set_var(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	(void)row;
	return var_set(args[0].var, view, smp, (unsigned)args[1].num);
}

static bool convert_unset_var(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	struct vars *vars = vars_of(args[0].var->scope, view);
	struct var *v = vars ? vars_find(vars, args[0].var) : NULL;

	(void)row;
	if (!v)
		return true;
	vars_drop_under(vars, v, smp);
	if (args[0].var->scope == VAR_PROC)
		proc_vars_changed(args[0].var);
	return true;
}

/* Condition words of set-var become one set of bits in argument 1. */
static int check_conditions(struct expr_arg *args, const struct expr_context *ctx,
			    struct err *err)
{
	unsigned bits = 0, bit;
	int i;

	(void)ctx;
	for (i = 1; i < 5 && args[i].type == ARG_STR; i++) {
		bit = var_condition(args[i].str);
		if (!bit)
			return err_set(err, "unknown condition '%s'; ifexists, ifnotexists, "
					    "ifempty, ifnotempty, ifset, ifnotset, ifgt and iflt "
					    "exist", args[i].str.ptr);
		bits |= bit;
	}
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = bits };
	return 0;
}

const struct fetch fetch_vars[] = {
	{ "var", ARGS(1, ARG_VAR, ARG_STR), SMP_ANY, FROM_PROCESS, fetch_var,
	  .help = "value of a variable, or the default given" },
	{ 0 },
};

const struct converter converter_vars[] = {
	{ "set-var", ARGS(1, ARG_VAR, ARG_STR, ARG_STR, ARG_STR, ARG_STR), SMP_ANY, SMP_SAME,
	  convert_set_var, check_conditions, .help = "keeps the value in a variable" },
	{ "unset-var", ARGS(1, ARG_VAR), SMP_ANY, SMP_SAME, convert_unset_var,
	  .help = "forgets a variable" },
	{ 0 },
};
