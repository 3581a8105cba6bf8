/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that each process runs for itself (lua-load-per-thread). The state of Lua is the process's
 * one; what these files have of their own are the globals and the loaded modules, which lie in
 * other tables while such a file runs. Functions keep the globals that they were made with. Several
 * processes run the files twice: once while the configuration is read, for the names that they
 * register, and then each for itself. */
#include "lua/own.h"

#include "base/err.h"
#include "event/change.h"
#include "expr/state.h"
#include "lua/classes.h"
#include "lua/filter.h"
#include "lua/proxies.h"
#include "lua/register.h"
#include "lua/state.h"
#include "lua/task.h"
#include "proxy/proxy.h"

#include <stdlib.h>

#include <lauxlib.h>

/* In the registry: globals and modules as files find them first, and those of such files. */
static const char first_globals, first_loaded, own_globals, own_loaded;

struct own_file {
	struct own_file *next;
	const char *path, *const *words;
	int count;
};
static struct own_file *files, **files_tail = &files;

/* ---- tables --------------------------------------------------------------------------------- */

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
	lua_remove(L, -2);
}

void own_begin(lua_State *L)
{
	lua_pushglobaltable(L);
	copy_table(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &first_globals);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	copy_table(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &first_loaded);
}

/* Makes the tables anew. At 1 the number that is core.thread. */
static int make_tables(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &first_globals);
	copy_table(L);
	lua_pushvalue(L, -1);
	lua_setfield(L, -2, "_G");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &core_class);
	copy_table(L);
	lua_pushvalue(L, 1);
	lua_setfield(L, -2, "thread");
	lua_setfield(L, -2, "core");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &first_loaded);
	copy_table(L);
	lua_pushvalue(L, -2);
	lua_setfield(L, -2, "_G");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own_loaded);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own_globals);
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

/* The tables in force lie at the key's places afterwards, and those of the keys are in force. */
static void swap_tables(lua_State *L)
{
	lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &own_globals);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own_globals);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &own_loaded);
	lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &own_loaded);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int run_file(const struct own_file *f, struct err *err)
{
	int rc;

	tasks_own = true;
	swap_tables(lua_running);
	rc = state_load(f->path, f->words, f->count, err);
	swap_tables(lua_running);
	tasks_own = false;
	return rc;
}

int own_load(const char *path, const char *const *words, int count, struct err *err)
{
	struct own_file *f = calloc(1, sizeof(*f));

	if (!f)
		return err_set(err, "out of memory");
	if (!files && run(lua_running, make_tables, 1, err)) {
		free(f);
		return -1;
	}
	*f = (struct own_file){ .path = path, .words = words, .count = count };
	*files_tail = f;
	files_tail = &f->next;
	return run_file(f, err);
}

static int run_anew(struct err *err)
{
	const struct own_file *f;
	int rc;

	tasks_forget_own();
	rc = run(lua_running, make_tables, expr_process.number, err);
	register_again(true);
	for (f = files; f && !rc; f = f->next)
		rc = run_file(f, err);
	register_again(false);
	return rc;
}

int own_start(struct err *err)
{
	if (!files)
		return 0;
	if (change_is_shared() && (run_anew(err) || script_filters_make(false, err)))
		return -1;
	return inits_run(true, err);
}

/* ---- proxies -------------------------------------------------------------------------------- */

static int add_proxies(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &core_class);
	proxies_push(L, proxies_running);
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &own_globals) == LUA_TTABLE) {
		lua_pushliteral(L, "core");
		if (lua_rawget(L, -2) == LUA_TTABLE)
			proxies_push(L, proxies_running);
	}
	return 0;
}

int own_add_proxies(struct err *err)
{
	return run(lua_running, add_proxies, 0, err);
}
