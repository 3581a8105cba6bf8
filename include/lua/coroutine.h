/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines that scripts make by themselves: they wait together with their script. */
#ifndef LUA_COROUTINE_H
#define LUA_COROUTINE_H

#include <lua.h>

/* Puts our resume, wrap and close into the table "coroutine". For a function that Lua calls. */
void coroutine_begin(lua_State *L);

#endif
