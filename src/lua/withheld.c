/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of Lua's libraries that scripts do not have, since one of them could end the service
 * or take its limits away: each raises an error that says so. Functions that look into others do
 * so for functions of Lua alone: what those of C have on their stack, and keep, they rely on.
 * What the filter of system calls refuses (files that are written, commands) fails by itself,
 * with the system's words. Commands inherit no signal that is blocked. */
#include "lua/withheld.h"

#include "base/bug.h"
#include "event/signals.h"
#include "lua/script.h"

#include <limits.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

static const struct withheld {
	const char *library, *name, *why;
} all[] = {
	{ "os", "exit", "it would end the service" },
	{ "os", "setlocale", "the process has one locale" },
	{ "debug", "sethook", "the hook bounds the time of scripts" },
	{ "debug", "setupvalue", "it could change what functions of the program rely on" },
	{ "debug", "upvaluejoin", "it could change what functions of the program rely on" },
	{ "debug", "setmetatable", "objects of the program are known by their metatables" },
	{ "debug", "setuservalue", "objects of the program are known by it" },
	{ "debug", "getregistry", "it has what the program keeps" },
	{ "debug", "debug", "nobody is at the terminal" },
};

static int refuse(lua_State *L)
{
	const struct withheld *w = lua_touserdata(L, lua_upvalueindex(1));

	return luaL_error(L, "%s.%s is not there: %s", w->library, w->name, w->why);
}

/* Puts `by` in the place of a field of the table on top; its upvalue is what was there. */
static void wrap(lua_State *L, const char *name, lua_CFunction by)
{
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, by, 1);
	lua_setfield(L, -2, name);
}

/* ---- compiled code: Lua does not check what was compiled elsewhere, and it can do anything --- */

/* Calls the upvalue, load or loadfile, whose mode is the argument `at`: text alone, and nothing
 * where it forbids text. */
static int load_as_text(lua_State *L, int at)
{
	int args = lua_gettop(L) < at ? at : lua_gettop(L);

	lua_settop(L, args);
	lua_pushstring(L, strchr(luaL_optstring(L, at, "bt"), 't') ? "t" : "");
	lua_replace(L, at);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, args, LUA_MULTRET);
	return lua_gettop(L);
}

static int load_text(lua_State *L)
{
	return load_as_text(L, 3);
}

static int load_file(lua_State *L)
{
	return load_as_text(L, 2);
}

static int done(lua_State *L, int status, lua_KContext context)
{
	(void)status;
	(void)context;
	return lua_gettop(L) - 1;
}

static int do_file(lua_State *L)
{
	const char *path = luaL_optstring(L, 1, NULL);

	lua_settop(L, 1);
	if (luaL_loadfilex(L, path, "t") != LUA_OK)
		return lua_error(L);
	lua_callk(L, 0, LUA_MULTRET, 0, done);
	return done(L, LUA_OK, 0);
}

/* Of require: finds a file of Lua. Upvalues: the table package, its searchpath. */
static int search_text(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	const char *path;

	lua_pushvalue(L, lua_upvalueindex(2));
	lua_pushvalue(L, 1);
	if (lua_getfield(L, lua_upvalueindex(1), "path") != LUA_TSTRING)
		return luaL_error(L, "'package.path' must be a string");
	lua_call(L, 2, 2);
	path = lua_tostring(L, -2);
	if (!path)
		return 1; /* where it is not */
	if (luaL_loadfilex(L, path, "t") != LUA_OK)
		return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path,
				  lua_tostring(L, -1));
	lua_pushvalue(L, -3);
	return 2;
}

void withhold_compiled_modules(lua_State *L)
{
	lua_getfield(L, -1, "searchers");
	lua_pushvalue(L, -2);
	lua_getfield(L, -1, "searchpath");
	lua_pushcclosure(L, search_text, 2);
	lua_rawseti(L, -2, 2);
	lua_pop(L, 1);
}

static void withhold_compiled(lua_State *L)
{
	lua_pushglobaltable(L);
	wrap(L, "load", load_text);
	wrap(L, "loadfile", load_file);
	wrap(L, "dofile", do_file);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_LOADLIBNAME);
	withhold_compiled_modules(L);
	lua_pop(L, 1);
}

/* ---- what has no bound ------------------------------------------------------------------------
 */

/* Lua runs finalizers without a hook: nothing could bound their time. So tables have none, while
 * the field __gc stays the script's. */
static int set_metatable(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
	if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
		return luaL_error(L, "cannot change a protected metatable");
	lua_settop(L, 2);
	if (lua_isnil(L, 2)) {
		lua_setmetatable(L, 1);
		return 1;
	}
	lua_pushliteral(L, "__gc");
	lua_pushvalue(L, -1);
	if (lua_rawget(L, 2) != LUA_TNIL) {
		lua_pushvalue(L, 3);
		lua_pushnil(L);
		lua_rawset(L, 2);
	}
	lua_pushvalue(L, 2);
	lua_setmetatable(L, 1);
	if (!lua_isnil(L, 4))
		lua_rawset(L, 2);
	lua_settop(L, 1);
	return 1;
}

/* Calls the upvalue with all arguments. */
static int call_original(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

/* Upvalue: debug.getupvalue. */
static int get_upvalue(lua_State *L)
{
	return lua_iscfunction(L, 1) ? 0 : call_original(L);
}

/* Upvalue: debug.getlocal or debug.setlocal, which is called from one level further in. */
static int local(lua_State *L)
{
	lua_State *of = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
	int level = 1 + lua_isthread(L, 1);
	lua_Integer n = lua_isnumber(L, level) ? lua_tointeger(L, level) : -1;
	lua_Debug ar;

	if (n >= 0 && n < INT_MAX) {
		if (!lua_getstack(of, (int)n, &ar))
			return luaL_argerror(L, level, "level out of range");
		lua_getinfo(of, "S", &ar);
		if (*ar.what == 'C')
			return 0;
		lua_pushinteger(L, of == L ? n + 1 : n);
		lua_replace(L, level);
	}
	return call_original(L);
}

/* Upvalue: debug.getinfo, which is called from one level further in. What calls a script is a
 * function of C that believes its arguments: no script gets hold of one. */
static int get_info(lua_State *L)
{
	lua_State *of = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
	int what = 1 + lua_isthread(L, 1);
	lua_Integer n = lua_isnumber(L, what) ? lua_tointeger(L, what) : -1;
	bool given = lua_isfunction(L, what);

	if (of == L && n >= 0 && n < INT_MAX) {
		lua_pushinteger(L, n + 1);
		lua_replace(L, what);
	}
	call_original(L);
	if (given || !lua_istable(L, -1))
		return 1;
	lua_getfield(L, -1, "func");
	if (lua_iscfunction(L, -1)) {
		lua_pushnil(L);
		lua_setfield(L, -3, "func");
	}
	lua_pop(L, 1);
	return 1;
}

/* Loops of C have no hook that could end them: what would take them longer than any script needs is
 * an error. */
enum { STEPS_MOST = 10000000 };

static void check_steps(lua_State *L, lua_Number steps)
{
	if (steps > STEPS_MOST)
		luaL_error(L, "more than %d elements in one call", STEPS_MOST);
}

static int table_move(lua_State *L)
{
	lua_Number steps = luaL_checknumber(L, 3) - luaL_checknumber(L, 2);

	check_steps(L, steps);
	if (steps > 0)
		script_moved((size_t)steps * sizeof(lua_Number));
	return call_original(L);
}

/* Of insert, remove, concat and sort: a table may say to be longer than it is; the elements of one
 * that is long may all have to move. */
static int table_long(lua_State *L)
{
	if (!lua_istable(L, 1))
		return call_original(L);
	if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL) {
		lua_pop(L, 1);
		check_steps(L, (lua_Number)luaL_len(L, 1));
	}
	script_moved(lua_rawlen(L, 1) * sizeof(lua_Number));
	return call_original(L);
}

/* One that has an element for each number: which is asked of it. */
static int table_concat(lua_State *L)
{
	lua_Number first = luaL_optnumber(L, 3, 1);

	if (!lua_isnoneornil(L, 4))
		check_steps(L, luaL_checknumber(L, 4) - first);
	return table_long(L);
}

/* Nothing, repeated, is nothing. */
static int string_rep(lua_State *L)
{
	size_t len, gap;

	luaL_checklstring(L, 1, &len);
	luaL_optlstring(L, 3, "", &gap);
	if (len + gap)
		return call_original(L);
	luaL_checkinteger(L, 2);
	lua_pushliteral(L, "");
	return 1;
}

/* ---- programs ------------------------------------------------------------------------------ */

struct program {
	lua_State *L;
	int status;
};

static void program_call(void *arg)
{
	struct program *p = arg;

	p->status = lua_pcall(p->L, lua_gettop(p->L) - 1, LUA_MULTRET, 0);
}

/* Of os.execute and io.popen: the command must hear signals. */
static int run_program(lua_State *L)
{
	struct program p = { .L = L };

	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	signals_around(program_call, &p);
	return p.status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

/* A metatable that is protected stays so for debug.getmetatable. */
static void withhold_debug(lua_State *L)
{
	lua_getglobal(L, LUA_DBLIBNAME);
	wrap(L, "getupvalue", get_upvalue);
	wrap(L, "getinfo", get_info);
	wrap(L, "getlocal", local);
	wrap(L, "setlocal", local);
	lua_getglobal(L, "getmetatable");
	lua_setfield(L, -2, "getmetatable");
	lua_pop(L, 1);
	luaL_getmetatable(L, LUA_FILEHANDLE); /* its __gc */
	lua_pushliteral(L, LUA_FILEHANDLE);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

static void withhold_loops(lua_State *L)
{
	static const char *const of_length[] = { "insert", "remove", "sort" };
	unsigned i;

	lua_getglobal(L, LUA_TABLIBNAME);
	wrap(L, "move", table_move);
	wrap(L, "concat", table_concat);
	for (i = 0; i < ARRAY_LEN(of_length); i++)
		wrap(L, of_length[i], table_long);
	lua_getglobal(L, LUA_STRLIBNAME);
	wrap(L, "rep", string_rep);
	lua_pop(L, 2);
}

static void withhold_signals(lua_State *L)
{
	lua_getglobal(L, LUA_OSLIBNAME);
	wrap(L, "execute", run_program);
	lua_getglobal(L, LUA_IOLIBNAME);
	wrap(L, "popen", run_program);
	lua_pop(L, 2);
}

void withhold(lua_State *L)
{
	unsigned i;

	for (i = 0; i < ARRAY_LEN(all); i++) {
		if (lua_getglobal(L, all[i].library) == LUA_TTABLE) {
			lua_pushlightuserdata(L, (void *)&all[i]);
			lua_pushcclosure(L, refuse, 1);
			lua_setfield(L, -2, all[i].name);
		}
		lua_pop(L, 1);
	}
	withhold_compiled(L);
	lua_pushcfunction(L, set_metatable);
	lua_setglobal(L, "setmetatable");
	withhold_debug(L);
	withhold_loops(L);
	withhold_signals(L);
}
