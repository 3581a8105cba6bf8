/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and converters that scripts call. Classes whose methods are the fetches (converters) of
 * the configuration's language: a method is made when a script first names it, and keeps what it
 * has compiled for its arguments. */
#include "lua/sample_calls.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/tables.h"
#include "expr/arg.h"
#include "expr/regex.h"
#include "expr/rule_conf.h"
#include "expr/view.h"
#include "lua/classes.h"
#include "lua/command.h"
#include "lua/sample_scripts.h"
#include "lua/stream.h"
#include "lua/value.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <stdlib.h>

#include <lauxlib.h>

/* ---- what was compiled ---------------------------------------------------------------------- */

struct config *sample_calls_config;

enum { CALLS_MOST = 200 }; /* of a method, with different arguments */

/* A userdata, kept by the method under the text of its arguments. */
struct compiled {
	struct arena *arena;
	struct expr *fetch;              /* of a fetch */
	struct regex *regex;             /* of "regsub", which the arena does not have alone */
	struct expr_arg args[ARG_MAX];   /* of a converter */
};
static const char compiled_kind;

static void compiled_end(void *memory)
{
	struct compiled *c = memory;

	if (c->regex)
		regex_forget(c->regex);
	arena_free(&c->arena);
}

static struct compiled *compiled_new(lua_State *L, const char *text)
{
	struct compiled *c = collected_new(L, sizeof(*c), &compiled_kind, compiled_end);

	c->arena = arena_new_limited(512 + 3 * strlen(text));
	if (!c->arena)
		luaL_error(L, "not enough memory");
	return c;
}

/* What a parser has to say where its memory ran out is of no use. */
static void compiled_check(lua_State *L, const struct compiled *c, bool good, const struct err *err)
{
	if (c->arena->failed)
		luaL_error(L, "not enough memory");
	if (!good)
		luaL_error(L, "%s", err->text);
}

/* The string at `at`, in quotes of the configuration's language. Nothing may lie on top of the
 * buffer while it grows. */
static void add_quoted(luaL_Buffer *b, lua_State *L, int at)
{
	size_t len, i;
	const char *text = lua_tolstring(L, at, &len);

	luaL_addchar(b, '"');
	for (i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			luaL_addchar(b, '\\');
		luaL_addchar(b, text[i]);
	}
	luaL_addchar(b, '"');
}

/* "(a,b)" of the values from `first` on; on the stack. Empty: there are none. */
static const char *arguments(lua_State *L, int first)
{
	int last = lua_gettop(L), i;
	luaL_Buffer b;

	if (last < first) {
		lua_pushliteral(L, "");
		return lua_tostring(L, -1);
	}
	luaL_argcheck(L, last - first < ARG_MAX, first + ARG_MAX, "there are too many");
	luaL_checkstack(L, 2 * ARG_MAX + LUA_MINSTACK, "arguments");
	for (i = first; i <= last; i++)
		luaL_argcheck(L, lua_type(L, i) == LUA_TSTRING || lua_isnumber(L, i) ||
			      lua_isboolean(L, i), i, "a string or a number is expected");
	for (i = first; i <= last; i++) { /* buffers and values do not share the stack's top */
		luaL_tolstring(L, i, NULL);
		lua_replace(L, i);
		luaL_buffinit(L, &b);
		add_quoted(&b, L, i);
		luaL_pushresult(&b);
		lua_replace(L, i);
	}
	lua_pushliteral(L, "(");
	for (i = first; i <= last; i++) {
		lua_pushvalue(L, i);
		lua_pushstring(L, i < last ? "," : ")");
	}
	lua_concat(L, 2 * (last - first + 1) + 1);
	return lua_tostring(L, -1);
}

/* Upvalues of a method, behind those of all: its row, what it has compiled. */
enum { ROW = METHOD_UPVALUES + 1, KEPT };

/* What the method has compiled for the text; it stays on the stack, as it is used. NULL: nothing.
 */
static struct compiled *kept(lua_State *L, const char *text)
{
	struct compiled *c;

	lua_getfield(L, lua_upvalueindex(KEPT), text);
	c = lua_touserdata(L, -1);
	if (!c)
		lua_pop(L, 1);
	return c;
}

/* c lies on top of the stack, and stays there: what it evaluates may be scripts, which call the
 * same method so often that it is forgotten here. */
static void keep(lua_State *L, const char *text)
{
	lua_Integer count;

	lua_pushvalue(L, -1);
	lua_rawgeti(L, lua_upvalueindex(KEPT), 1);
	count = lua_tointeger(L, -1) + 1;
	lua_pop(L, 1);
	if (count > CALLS_MOST) {
		lua_newtable(L);
		lua_replace(L, lua_upvalueindex(KEPT));
		count = 1;
	}
	lua_pushinteger(L, count);
	lua_rawseti(L, lua_upvalueindex(KEPT), 1);
	lua_setfield(L, lua_upvalueindex(KEPT), text);
}

/* Where a method is called. */
struct surroundings {
	const struct view *view;
	unsigned place; /* AT_* */
	const struct proxy *proxy;
};

/* Of the object at 1: a stream's, in its turn, or a command's. */
static struct surroundings surroundings_of(lua_State *L)
{
	const struct stream_scripts *ss;
	const struct view *view;

	if (object_is(L, 1, &command_kind)) {
		view = command_view(L);
		return (struct surroundings){ view, AT_SESSION, view->frontend };
	}
	ss = stream_of_object(L, 1);
	view = ss->view;
	return (struct surroundings){ view, ss->place, ss->rule ? ss->rule->proxy :
				      view->backend ? view->backend : view->frontend };
}

static struct expr_context context(const struct surroundings *here, struct arena *arena)
{
	return (struct expr_context){ .arena = arena, .proxy = (struct proxy *)here->proxy, .no_files = true,
				      .running = sample_calls_config };
}

/* ---- txn.f, txn.sf -------------------------------------------------------------------------- */

static struct compiled *compile_fetch(lua_State *L, const struct surroundings *here,
				      const struct fetch *row, const char *text)
{
	struct compiled *c = compiled_new(L, text);
	struct expr_context ctx = context(here, c->arena);
	const char *whole = lua_pushfstring(L, "%s%s", row->name, text);
	struct err err;

	c->fetch = expr_parse_all(whole, &ctx, &err);
	lua_pop(L, 1);
	compiled_check(L, c, c->fetch, &err);
	keep(L, text);
	return c;
}

static enum expr_result eval_fetch(lua_State *L, struct sample *smp)
{
	struct surroundings here = surroundings_of(L);
	const struct fetch *row = lua_touserdata(L, lua_upvalueindex(ROW));
	const char *text = arguments(L, 2);
	struct compiled *c = kept(L, text);

	if (!c)
		c = compile_fetch(L, &here, row, text);
	return expr_eval(c->fetch, here.view, here.place | AT_FINAL, smp);
}

static int fetch_value(lua_State *L)
{
	struct sample smp;

	if (eval_fetch(L, &smp) == EXPR_FOUND)
		value_push(L, &smp);
	else
		lua_pushnil(L);
	return 1;
}

static int fetch_text(lua_State *L)
{
	struct sample smp;

	if (eval_fetch(L, &smp) == EXPR_FOUND)
		value_push_text(L, &smp);
	else
		lua_pushliteral(L, "");
	return 1;
}

/* Lua's names have no dots, dashes and plus signs. */
static bool name_is(const char *name, const char *wanted)
{
	for (; *name && *wanted; name++, wanted++)
		if (strchr(".-+", *name) ? *wanted != '_' : *name != *wanted)
			return false;
	return !*name && !*wanted;
}

static void push_method(lua_State *L, const struct class *class, lua_CFunction run, const void *row)
{
	lua_pushlightuserdata(L, (void *)row);
	lua_newtable(L);
	method_push(L, class, run, 2);
}

static int find_fetch(lua_State *L, const struct class *class)
{
	const char *name = luaL_checkstring(L, 2);
	struct tables_walk walk = { 0 };
	const struct fetch *row;

	while ((row = expr_fetch_next(&walk))) /* those of scripts call scripts by themselves */
		if (row->run != fetch_script && name_is(row->name, name))
			break;
	if (!row)
		return 0;
	push_method(L, class, class == &fetches_class ? fetch_value : fetch_text, row);
	return 1;
}

const struct class fetches_class = {
	"Fetches", .find = find_fetch,
	.help = "the fetches of the configuration's language, dots as underscores: values in their types",
	.where = "actions, fetches, services and commands, in the turn of the stream",
};
const struct class string_fetches_class = {
	"Fetches", .find = find_fetch, .help = "the same as strings: empty where there is nothing",
	.where = "actions, fetches, services and commands, in the turn of the stream",
};

/* ---- txn.c, txn.sc -------------------------------------------------------------------------- */

static struct compiled *compile_converter(lua_State *L, const struct surroundings *here,
					  const struct converter *row, const char *text)
{
	struct compiled *c = compiled_new(L, text);
	struct expr_context ctx = context(here, c->arena);
	const char *rest = text;
	char what[80];
	struct err err;
	bool good;

	snprintf(what, sizeof(what), "converter '%s'", row->name);
	ctx.value = SMP_ANY;
	ctx.what = what;
	ctx.data = row->data;
	good = !expr_args_parse(&rest, &row->args, c->args, what, &ctx, &err) &&
	       (!row->check || !row->check(c->args, &ctx, &err));
	if (good && !strcmp(row->name, "regsub"))
		c->regex = c->args[0].ptr;
	compiled_check(L, c, good, &err);
	keep(L, text);
	return c;
}

static bool eval_converter(lua_State *L, struct sample *smp)
{
	struct surroundings here = surroundings_of(L);
	const struct converter *row = lua_touserdata(L, lua_upvalueindex(ROW));
	struct compiled *c;
	const char *text;

	if (lua_gettop(L) < 2)
		lua_settop(L, 2);
	text = arguments(L, 3);
	c = kept(L, text);
	if (!c)
		c = compile_converter(L, &here, row, text);
	value_sample(L, 2, smp);
	return sample_cast(smp, row->in) && row->run(c->args, smp, here.view, row);
}

static int convert_value(lua_State *L)
{
	struct sample smp;

	if (eval_converter(L, &smp))
		value_push(L, &smp);
	else
		lua_pushnil(L);
	return 1;
}

static int convert_text(lua_State *L)
{
	struct sample smp;

	if (eval_converter(L, &smp))
		value_push_text(L, &smp);
	else
		lua_pushliteral(L, "");
	return 1;
}

static int find_converter(lua_State *L, const struct class *class)
{
	const char *name = luaL_checkstring(L, 2);
	struct tables_walk walk = { 0 };
	const struct converter *row;

	while ((row = expr_converter_next(&walk)))
		if (row->run != convert_script && name_is(row->name, name))
			break;
	if (!row)
		return 0;
	push_method(L, class, class == &converters_class ? convert_value : convert_text, row);
	return 1;
}

const struct class converters_class = {
	"Converters", .find = find_converter,
	.help = "the converters of the configuration's language: values in their types",
	.where = "actions, fetches, services and commands, in the turn of the stream",
};
const struct class string_converters_class = {
	"Converters", .find = find_converter, .help = "the same as strings: empty where there is nothing",
	.where = "actions, fetches, services and commands, in the turn of the stream",
};

/* ---- where they are ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const struct class *class;
} fields[] = {
	{ "f", &fetches_class }, { "sf", &string_fetches_class },
	{ "c", &converters_class }, { "sc", &string_converters_class },
};

int calls_field(lua_State *L)
{
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
	unsigned i;

	for (i = 0; name && i < ARRAY_LEN(fields); i++)
		if (!strcmp(fields[i].name, name))
			return object_member(L, fields[i].class, name);
	lua_pushnil(L);
	return 1;
}
