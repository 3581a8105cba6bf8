/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Regex: expressions of the configuration's language, which Lua has none of. An
 * expression lies in memory of its own, given back with the object. A search is bounded as those of
 * rules are; one that was given up has found nothing. */
#include "expr/regex.h"

#include "base/arena.h"
#include "base/err.h"
#include "lua/classes.h"
#include "lua/value.h"

#include <lauxlib.h>

static const char regex_kind;

/* A userdata, kept by the handle's user value. */
struct compiled {
	struct arena *arena;
	struct regex *regex;
};

static void compiled_end(void *memory)
{
	struct compiled *c = memory;

	if (c->regex)
		regex_forget(c->regex);
	c->regex = NULL;
	arena_free(&c->arena);
}

/* On the stack, with nothing in it. */
static struct compiled *compiled_new(lua_State *L)
{
	struct compiled *c = collected_new(L, sizeof(*c), &regex_kind, compiled_end);

	c->arena = arena_new_limited(1024);
	if (!c->arena)
		luaL_error(L, "not enough memory");
	return c;
}

/* Regex.new(expression, case_sensitive): true and the object, or false and why */
static int regex_new(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);
	struct compiled *c;
	struct err err;

	luaL_checktype(L, 2, LUA_TBOOLEAN);
	c = compiled_new(L);
	c->regex = regex_compile_as(text, !lua_toboolean(L, 2), REGEX_SAID_SHORT, c->arena, &err);
	lua_pushboolean(L, c->regex != NULL);
	if (!c->regex) {
		lua_pushlstring(L, err.text, strcspn(err.text, "\n") - 1); /* without its dot */
		return 2;
	}
	handle_new(L, &regex_kind, c);
	lua_pushvalue(L, -3);
	lua_setiuservalue(L, -2, 1);
	object_new(L, &regex_class, -1, 0);
	lua_remove(L, -2);
	return 2;
}

/* The collector may have ended it before an object that asks in its own end. */
static const struct regex *regex_of(lua_State *L)
{
	const struct compiled *c = object_of(L, 1, &regex_kind);

	if (!c->regex)
		luaL_error(L, "this object is over");
	return c->regex;
}

static int regex_exec(lua_State *L)
{
	lua_pushboolean(L, regex_test(regex_of(L), value_span(L, 2)));
	return 1;
}

/* The groups, as they are counted. One that took no part is an empty string, if one behind it
 * did. */
static int regex_match_text(lua_State *L)
{
	const struct regex *re = regex_of(L);
	struct span text = value_span(L, 2);
	struct regex_match match;
	bool found = regex_find(re, text, 0, &match);
	int i;

	lua_pushboolean(L, found);
	lua_newtable(L);
	for (i = 0; found && i < match.count; i++) {
		lua_pushlstring(L, match.group[i].ptr ? match.group[i].ptr : "",
				match.group[i].ptr ? match.group[i].len : 0);
		lua_rawseti(L, -2, i + 1);
	}
	return 2;
}

static const struct class_method methods[] = {
	{ "exec", regex_exec, "text", "boolean", "does it match anywhere in the text?", 0 },
	{ "match", regex_match_text, "text", "boolean, table",
	  "the same, and what has matched: as a whole, then group by group", 0 },
	{ 0 },
};

const struct class regex_class = { "Regex", methods, .help = "a regular expression: Regex.new()" };

static const struct class_method functions[] = {
	{ "new", regex_new, "expression, case_sensitive", "true, Regex; or false, string",
	  "compiles an expression", 0 },
	{ 0 },
};

const struct class regex_table = { "Regex", functions, .is_table = true,
				   .help = "regular expressions, compiled once" };

void regex_begin(lua_State *L)
{
	table_new(L, &regex_table);
	lua_setglobal(L, "Regex");
}
