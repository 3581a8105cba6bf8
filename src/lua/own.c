/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that each process runs for itself (lua-load-per-thread): they have a world of their own.
 * Both worlds of a process lie in its one state of Lua, with one collector and one limit of
 * memory. What belongs to a world is what scripts can change: the globals, the libraries and what
 * they have, the loaded modules and where they are looked for, the metatable of strings. Whoever
 * runs code of a world enters it first; that costs nothing where there is only one. Several
 * processes run the files twice: once while the configuration is read, for the names that they
 * register, and then each for itself. */
#include "lua/own.h"

#include "base/err.h"
#include "event/change.h"
#include "expr/state.h"
#include "lua/change.h"
#include "lua/classes.h"
#include "lua/events.h"
#include "lua/filter.h"
#include "lua/proxies.h"
#include "lua/register.h"
#include "lua/running.h"
#include "lua/script.h"
#include "lua/state.h"
#include "lua/task.h"
#include "lua/withheld.h"
#include "proxy/proxy.h"

#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

/* In the registry, under the addresses of the members: what a world has. Of `first` it is as files
 * find it first, with copies of the libraries, which nobody changes. */
struct world {
	char globals, loaded, strings; /* strings: their metatable */
};
static const struct world first, common, own;
static const char any_string; /* in the registry: a string */

struct own_file {
	struct own_file *next;
	const char *path, *const *words;
	int count;
};
static struct own_file *files, **files_tail = &files;

/* ---- a world -------------------------------------------------------------------------------- */

static const struct world *in_force = &common;

/* Needs no memory: scripts that have none left are ended in their own world. */
static void world_enter(const struct world *world)
{
	lua_State *L = lua_running;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &world->globals);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &world->loaded);
	lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &any_string);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &world->strings);
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
	in_force = world;
}

static void enter(bool into_own)
{
	const struct world *world = into_own ? &own : &common;

	if (world != in_force)
		world_enter(world);
}

/* A copy of the table on top of the stack in its place. */
static void copy_table(lua_State *L)
{
	lua_newtable(L);
	lua_pushnil(L);
	while (lua_next(L, -3)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, -4);
	}
	if (lua_getmetatable(L, -2))
		lua_setmetatable(L, -2);
	lua_remove(L, -2);
}

/* The same for a table of globals: libraries and classes are copied as well. Nobody asks for the
 * _G of the copy before it is set. */
static void copy_globals(lua_State *L)
{
	copy_table(L);
	lua_pushnil(L);
	lua_setfield(L, -2, "_G");
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2); /* table, key, key, value */
		if (lua_istable(L, -1)) {
			copy_table(L);
			lua_rawset(L, -4);
		} else {
			lua_pop(L, 2);
		}
	}
}

/* Modules are the libraries among the globals below, or what they are there. */
static void copy_loaded(lua_State *L)
{
	copy_table(L);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pop(L, 1);
		lua_pushvalue(L, -1);
		lua_pushvalue(L, -1);
		lua_rawget(L, -5);
		if (lua_istable(L, -1))
			lua_rawset(L, -4);
		else
			lua_pop(L, 2);
	}
}

static void push_string_metatable(lua_State *L)
{
	lua_pushliteral(L, "");
	lua_getmetatable(L, -1);
	lua_remove(L, -2);
}

void own_begin(lua_State *L)
{
	lua_pushglobaltable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &common.globals);
	copy_globals(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &first.globals);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &common.loaded);
	copy_table(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &first.loaded);
	push_string_metatable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &common.strings);
	copy_table(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &first.strings);
	lua_pushliteral(L, "");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &any_string);
}

/* require and its searchers look at the table package that they were made with: the library is
 * opened anew, in the world that is in force. What was taken out of it, or put in the place of
 * others, is as in the first one, whose globals are at `at`. */
static void open_package(lua_State *L, int at)
{
	lua_pushcfunction(L, luaopen_package);
	lua_pushliteral(L, LUA_LOADLIBNAME);
	lua_call(L, 1, 1);
	withhold_compiled_modules(L);
	lua_getfield(L, at, LUA_LOADLIBNAME);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		if (lua_istable(L, -1))
			lua_pop(L, 2); /* searchers, preload, loaded */
		else
			lua_rawset(L, -5);
	}
	lua_pop(L, 1);
	lua_pushglobaltable(L);
	lua_pushvalue(L, -2);
	lua_setfield(L, -2, LUA_LOADLIBNAME);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, LUA_LOADLIBNAME);
	lua_pop(L, 3);
}

/* Makes the world of such files anew, and enters it. At 1 the number that is core.thread. */
static int make_world(lua_State *L)
{
	lua_settop(L, 1);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &first.globals);
	lua_pushvalue(L, -1);
	copy_globals(L); /* at 3 */
	lua_pushvalue(L, 3);
	lua_setfield(L, 3, "_G");
	lua_getfield(L, 3, "core");
	lua_pushvalue(L, 1);
	lua_setfield(L, -2, "thread");
	lua_pop(L, 1);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &first.loaded);
	copy_loaded(L); /* at 4 */
	lua_pushvalue(L, 3);
	lua_setfield(L, 4, "_G");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &first.strings);
	copy_table(L);
	lua_getfield(L, 3, LUA_STRLIBNAME);
	lua_setfield(L, -2, "__index");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own.strings);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own.loaded);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own.globals);
	world_enter(&own);
	open_package(L, 2);
	return 0;
}

static int run(lua_State *L, lua_CFunction function, lua_Integer number, struct err *err)
{
	char text[200];

	lua_pushcfunction(L, function);
	lua_pushinteger(L, number);
	if (lua_pcall(L, 1, 0, 0) == LUA_OK)
		return 0;
	state_error_text(L, text, sizeof(text));
	return err_set(err, "Lua: %s", text);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int run_file(const struct own_file *f, struct err *err)
{
	int rc;

	enter(true);
	own_reading = true;
	rc = state_load(f->path, f->words, f->count, err);
	own_reading = false;
	enter(false);
	return rc;
}

static int make(struct err *err)
{
	int rc = run(lua_running, make_world, expr_process.number, err);

	enter(false);
	return rc;
}

int own_load(const char *path, const char *const *words, int count, struct err *err)
{
	struct own_file *f = calloc(1, sizeof(*f));

	if (!f)
		return err_set(err, "out of memory");
	if (!files && make(err)) {
		free(f);
		return -1;
	}
	script_enter = enter;
	*f = (struct own_file){ .path = path, .words = words, .count = count };
	*files_tail = f;
	files_tail = &f->next;
	return run_file(f, err);
}

static int add_common_proxies(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &core_class);
	proxies_push(L);
	return 0;
}

/* A script may have put something else in the place of core. */
static int add_own_proxies(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &own.globals);
	lua_pushliteral(L, "core");
	if (lua_rawget(L, -2) == LUA_TTABLE)
		proxies_push(L);
	return 0;
}

static int run_anew(struct err *err)
{
	const struct own_file *f;
	int rc;

	tasks_forget_own();
	events_forget_own();
	rc = make(err);
	if (!rc)
		rc = run(lua_running, add_own_proxies, 0, err);
	register_again(true);
	for (f = files; f && !rc; f = f->next)
		rc = run_file(f, err);
	register_again(false);
	return rc ? rc : register_agrees(err);
}

int own_start(struct err *err)
{
	int rc;

	if (!files)
		return 0;
	if (change_is_shared() && (run_anew(err) || script_filters_make(false, err)))
		return -1;
	change_at_once = !change_is_shared();
	rc = inits_run(true, err);
	change_at_once = false;
	return rc;
}

int own_add_proxies(struct err *err)
{
	if (run(lua_running, add_common_proxies, 0, err))
		return -1;
	return files ? run(lua_running, add_own_proxies, 0, err) : 0;
}

/* ---- where modules are looked for ------------------------------------------------------------ */

struct prefix {
	const char *path, *field;
};

/* The globals on top of the stack, which are popped. */
static void prepend(lua_State *L, const struct prefix *prefix)
{
	lua_getfield(L, -1, LUA_LOADLIBNAME);
	luaL_argcheck(L, lua_istable(L, -1), 1, "a script has taken the table package away");
	lua_getfield(L, -1, prefix->field);
	lua_pushfstring(L, "%s;%s", prefix->path, luaL_optstring(L, -1, ""));
	lua_setfield(L, -3, prefix->field);
	lua_pop(L, 3);
}

static int prepend_all(lua_State *L)
{
	const struct prefix *prefix = lua_touserdata(L, 1);

	lua_rawgetp(L, LUA_REGISTRYINDEX, &first.globals);
	prepend(L, prefix);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &common.globals);
	prepend(L, prefix);
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &own.globals) == LUA_TTABLE)
		prepend(L, prefix);
	return 0;
}

int own_prepend_path(const char *path, bool c, struct err *err)
{
	struct prefix prefix = { path, c ? "cpath" : "path" };
	char text[200];

	lua_pushcfunction(lua_running, prepend_all);
	lua_pushlightuserdata(lua_running, &prefix);
	if (lua_pcall(lua_running, 1, 0, 0) == LUA_OK)
		return 0;
	state_error_text(lua_running, text, sizeof(text));
	return err_set(err, "no path can be set: %s", text);
}
