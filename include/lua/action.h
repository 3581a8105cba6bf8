/* SPDX-License-Identifier: BSD-2-Clause */
/* The action lua.NAME of rules. */
#ifndef LUA_ACTION_H
#define LUA_ACTION_H

#include <lua.h>

/* A function of core. */
int register_action(lua_State *L);
/* The table act: what an action may return. For a function that Lua calls. */
void action_begin(lua_State *L);

#endif
