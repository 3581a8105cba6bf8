/* SPDX-License-Identifier: BSD-2-Clause */
/* See lua/pieces.h. A luaL_Buffer would not do: it does not survive a wait. */
#include "lua/pieces.h"

#include <lauxlib.h>

void pieces_add(lua_State *L, int at, const char *bytes, size_t len)
{
	at = lua_absindex(L, at);
	lua_pushlstring(L, bytes, len);
	lua_rawseti(L, at, (lua_Integer)lua_rawlen(L, at) + 1);
}

void pieces_push(lua_State *L, int at)
{
	lua_Integer i, count;
	luaL_Buffer b;

	at = lua_absindex(L, at);
	count = (lua_Integer)lua_rawlen(L, at);
	if (count == 1) {
		lua_rawgeti(L, at, 1);
		return;
	}
	luaL_buffinit(L, &b);
	for (i = 1; i <= count; i++) {
		lua_rawgeti(L, at, i);
		luaL_addvalue(&b);
	}
	luaL_pushresult(&b);
}
