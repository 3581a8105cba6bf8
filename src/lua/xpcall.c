/* SPDX-License-Identifier: BSD-2-Clause */
/* xpcall of scripts: that of Lua, but for who is being left (lua/script.h). Lua's own is replaced as a
 * state begins. */
#include "lua/script.h"

#include <lauxlib.h>

/* Upvalue: the message handler of a script. Where the hook raises the error Lua calls no hook any more,
 * so a handler could run for ever: who is being left has none. */
static int handle_message(lua_State *L)
{
	if (script_now && script_now->over != OVER_NOT)
		return 1;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, 1);
	return 1;
}

static int protected_done(lua_State *L, int status, lua_KContext first)
{
	if (status == LUA_OK || status == LUA_YIELD)
		return lua_gettop(L) - (int)first;
	lua_pushboolean(L, 0);
	lua_pushvalue(L, -2);
	return 2;
}

int script_xpcall(lua_State *L)
{
	int count = lua_gettop(L), status;

	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushvalue(L, 2);
	lua_pushcclosure(L, handle_message, 1);
	lua_replace(L, 2);
	lua_pushboolean(L, 1); /* what is returned first */
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2);   /* the arguments on top of the function */
	status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, protected_done);
	return protected_done(L, status, 2);
}
