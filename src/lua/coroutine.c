/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coroutines that scripts make by themselves. Such a coroutine waits together with its script. Its
 * resume is ours: when the coroutine inside has asked to wait (`pausing`), the one outside yields
 * as well, up to script_run, and each resumes the one inside when it goes on.
 */
#include "lua/coroutine.h"

#include "lua/running.h"
#include "lua/script.h"

#include <lauxlib.h>

static int co_go(lua_State *L, lua_State *co, int args, bool wrap);

static int co_go_on(lua_State *L, int status, lua_KContext wrap)
{
	(void)status;
	return co_go(L, lua_tothread(L, 1), 0, wrap);
}

/* Its error is an error of who has called it. */
static int co_raise(lua_State *L, lua_State *co)
{
	if (lua_status(co) != LUA_OK && lua_status(co) != LUA_YIELD)
		lua_resetthread(co);
	if (lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

static int co_failed(lua_State *L, lua_State *co, bool wrap)
{
	lua_xmove(co, L, 1);
	if (script_now && script_now->over != OVER_NOT)
		return script_leave(L, (enum script_over)script_now->over);
	if (wrap)
		return co_raise(L, co);
	lua_pushboolean(L, 0);
	lua_insert(L, -2);
	return 2;
}

/* The thread is at 1 of L, args values are on co. */
static int co_go(lua_State *L, lua_State *co, int args, bool wrap)
{
	struct script *s = script_now;
	lua_State *outer = script_at_work;
	bool barrier = s && !lua_isyieldable(L);
	int got, status;

	if (barrier)
		s->barriers++;
	script_at_work = co;
	status = lua_resume(co, L, args, &got);
	script_at_work = outer;
	if (barrier)
		s->barriers--;
	if (status == LUA_YIELD && s && s->over != OVER_NOT)
		return script_leave(L, (enum script_over)s->over);
	if (status == LUA_YIELD && s && s->pausing) {
		lua_pop(co, got);
		lua_settop(L, 1);
		return lua_yieldk(L, 0, wrap, co_go_on);
	}
	if (status != LUA_OK && status != LUA_YIELD)
		return co_failed(L, co, wrap);
	if (!lua_checkstack(L, got + 1)) {
		lua_pop(co, got);
		return luaL_error(L, "too many results to resume");
	}
	if (!wrap)
		lua_pushboolean(L, 1);
	lua_xmove(co, L, got);
	return got + !wrap;
}

/* The thread is at 1, its arguments are above. */
static int co_begin(lua_State *L, bool wrap)
{
	lua_State *co = lua_tothread(L, 1);
	int args = lua_gettop(L) - 1;
	const char *wrong = NULL;

	luaL_argexpected(L, co, 1, "coroutine");
	if (lua_status(co) == LUA_OK && !lua_gettop(co))
		wrong = "cannot resume dead coroutine";
	else if (!lua_checkstack(co, args))
		wrong = "too many arguments to resume";
	if (!wrong) {
		lua_xmove(L, co, args);
		return co_go(L, co, args, wrap);
	}
	if (wrap)
		return luaL_error(L, "%s", wrong);
	lua_pushboolean(L, 0);
	lua_pushstring(L, wrong);
	return 2;
}

static int co_resume(lua_State *L)
{
	return co_begin(L, false);
}

static int co_wrapped(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	return co_begin(L, true);
}

static int co_wrap(lua_State *L)
{
	lua_State *co;

	luaL_checktype(L, 1, LUA_TFUNCTION);
	co = lua_newthread(L);
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	lua_pushcclosure(L, co_wrapped, 1);
	return 1;
}

/* Coroutines that close each other: Lua counts no calls of C here. */
enum { CLOSES_MOST = 8 };

static int co_close(lua_State *L)
{
	static unsigned closes;
	lua_State *co = lua_tothread(L, 1), *outer = script_at_work;
	lua_Debug ar;
	int status;

	luaL_argexpected(L, co, 1, "coroutine");
	if (co == L || co == lua_running || (lua_status(co) == LUA_OK && lua_getstack(co, 0, &ar)))
		return luaL_error(L, "cannot close a running coroutine");
	if (closes == CLOSES_MOST)
		return luaL_error(L, "too many coroutines that close each other");
	/* What it has to close could run for ever: it does not run. */
	if (script_was_unwound(co)) {
		lua_pushboolean(L, 0);
		lua_pushliteral(L, "it was ended");
		return 2;
	}
	closes++;
	script_at_work = co;
	status = lua_resetthread(co);
	script_at_work = outer;
	closes--;
	lua_pushboolean(L, status == LUA_OK);
	if (status == LUA_OK)
		return 1;
	lua_xmove(co, L, 1);
	return 2;
}

void coroutine_begin(lua_State *L)
{
	lua_getglobal(L, "coroutine");
	lua_pushcfunction(L, co_resume);
	lua_setfield(L, -2, "resume");
	lua_pushcfunction(L, co_wrap);
	lua_setfield(L, -2, "wrap");
	lua_pushcfunction(L, co_close);
	lua_setfield(L, -2, "close");
	lua_pop(L, 1);
}
