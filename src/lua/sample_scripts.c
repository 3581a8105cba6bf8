/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and converters that are scripts: rows whose function is a script, which runs to its end
 * at once. Registered by scripts while the files are read; the parsers of later lines find the rows
 * (base/tables.h). */
#include "lua/sample_scripts.h"

#include "base/err.h"
#include "base/tables.h"
#include "expr/arg.h"
#include "expr/view.h"
#include "log/log.h"
#include "lua/object.h"
#include "lua/register.h"
#include "lua/script.h"
#include "lua/stream.h"
#include "lua/value.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <string.h>

#include <lauxlib.h>

/* ---- rows ----------------------------------------------------------------------------------- */

enum { ROWS_MOST = 1000 };

static struct fetch fetches[ROWS_MOST + 1];
static struct converter converters[ROWS_MOST + 1];

/* Rows know their function by a number. */
static struct sample_functions {
	const struct registered *all[ROWS_MOST];
	int count;
} fetch_functions, converter_functions;

/* ---- running -------------------------------------------------------------------------------- */

/* What such a script begins with. */
struct begin {
	const struct registered *function;
	struct stream_scripts *ss;      /* of a fetch */
	const struct sample *value;     /* of a converter */
	const struct expr_arg *args;
};

static int begin(lua_State *L)
{
	const struct begin *b = lua_touserdata(L, 1);
	int i, n = 1;

	lua_settop(L, 0);
	lua_rawgeti(L, LUA_REGISTRYINDEX, b->function->ref);
	if (b->value)
		value_push(L, b->value);
	else
		stream_push_txn(L, b->ss);
	for (i = 0; i < ARG_MAX && b->args[i].type == ARG_STR; i++, n++)
		lua_pushlstring(L, b->args[i].str.ptr, b->args[i].str.len);
	lua_call(L, n, LUA_MULTRET);
	return lua_gettop(L);
}

/* The last result in memory that lasts. False: there is none, or it is too long. */
static bool take_result(const struct script *s, struct sample *smp)
{
	char *memory;

	if (!s->results && s->over != OVER_DONE)
		return false;
	if (s->results)
		value_sample(s->thread, -1, smp);
	else
		*smp = (struct sample){ .type = SMP_INT }; /* core.done() */
	if (smp->type != SMP_STR)
		return true;
	if (smp->str.len > expr_scratch_size)
		return false;
	memory = expr_scratch();
	memcpy(memory, smp->str.ptr, smp->str.len);
	smp->str.ptr = memory;
	smp->flags = 0;
	return true;
}

static const char *said(const struct begin *b, const struct script *s)
{
	return b->value && s->fault == SCRIPT_NO_YIELD ?
	       "yield functions like core.tcp() or core.sleep() are not allowed" : s->error;
}

static bool run(const struct begin *b, const struct view *view, struct sample *smp)
{
	const struct proxy *px = view && view->backend ? view->backend : view ? view->frontend : NULL;
	bool found = false;
	struct script s;

	if (!script_new(&s, NULL, NULL, script_limits.session_ms))
		return false;
	s.state = registered_state(b->function);
	s.may_yield = false;
	s.name = b->function->name;
	s.stream = view ? view->stream : NULL;
	lua_pushcfunction(s.thread, begin);
	lua_pushlightuserdata(s.thread, (void *)b);
	switch (script_run(&s, 1)) {
	case SCRIPT_DONE:
		found = take_result(&s, smp);
		break;
	case SCRIPT_FAILED:
		registered_failed(b->function, b->value ? "converter" : "sample-fetch", said(b, &s),
				  px ? px->set.log : log_global());
		break;
	case SCRIPT_WAIT:
		break;
	}
	script_end(&s);
	return found;
}

enum expr_result fetch_script(struct fetch_call *call, struct sample *smp)
{
	struct begin b = { fetch_functions.all[call->row->data], NULL, NULL, call->args };
	struct stream_scripts *ss, outer;
	bool found;

	ss = call->view->stream ? stream_scripts_get(call->view->stream) : NULL;
	if (!ss)
		return EXPR_NONE;
	b.ss = ss;
	outer = *ss;
	ss->view = (struct view *)call->view;
	ss->place = call->place;
	ss->rule = NULL;
	found = run(&b, call->view, smp) && sample_cast(smp, SMP_STR);
	ss->view = outer.view;
	ss->place = outer.place;
	ss->rule = outer.rule;
	return found ? EXPR_FOUND : EXPR_NONE;
}

bool convert_script(const struct expr_arg *args, struct sample *smp, const struct view *view,
		    const struct converter *row)
{
	struct sample given = *smp;
	struct begin b = { converter_functions.all[row->data], NULL, &given, args };

	return run(&b, view, smp) && sample_cast(smp, SMP_STR);
}

/* ---- registering ---------------------------------------------------------------------------- */

static int registered_again(const struct sample_functions *f, const char *name)
{
	int i;

	for (i = 0; i < f->count; i++)
		if (!strcmp(f->all[i]->name + 4, name))
			return i;
	return -1;
}

/* The function at 2 under the name at 1. by: of core. what: for messages. Its number, for a row
 * that is to be made; -1: it has taken the place of another one. */
static int add_function(lua_State *L, const char *by, const char *what, struct sample_functions *f)
{
	const struct registered *r;
	const char *name;
	int again;

	arguments_check(L, by, 2, 2);
	name = register_name(L, by);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	luaL_argcheck(L, f->count < ROWS_MOST, 1, "too many of them");
	again = registered_again(f, name);
	r = registered_new(L, name, 2);
	if (again >= 0)
		registered_twice(what, r->name);
	f->all[again >= 0 ? again : f->count] = r;
	return again >= 0 ? -1 : f->count++;
}

/* core.register_fetches(name, func) */
int register_fetches(lua_State *L)
{
	int n = add_function(L, "register_fetches", "sample-fetch", &fetch_functions);
	struct err err;

	if (n < 0)
		return 0;
	fetches[n] = (struct fetch){
		fetch_functions.all[n]->name, ARGS(0, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR),
		SMP_STR, AT_ANY, fetch_script, .data = n, .help = "a fetch that is a script" };
	if (!n && expr_add_fetches(fetches, &err))
		return luaL_error(L, "%s", err.text);
	return 0;
}

/* core.register_converters(name, func) */
int register_converters(lua_State *L)
{
	int n = add_function(L, "register_converters", "converter", &converter_functions);
	struct err err;

	if (n < 0)
		return 0;
	converters[n] = (struct converter){
		converter_functions.all[n]->name, ARGS(0, ARG_STR, ARG_STR, ARG_STR, ARG_STR, ARG_STR),
		SMP_STR, SMP_STR, convert_script, NULL, n, "a converter that is a script" };
	if (!n && expr_add_converters(converters, &err))
		return luaL_error(L, "%s", err.text);
	return 0;
}
