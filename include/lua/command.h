/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the stats socket that are scripts. */
#ifndef LUA_COMMAND_H
#define LUA_COMMAND_H

#include <lua.h>

/* A function of core. */
int register_cli(lua_State *L);

#endif
