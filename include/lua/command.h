/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the stats socket that are scripts. */
#ifndef LUA_COMMAND_H
#define LUA_COMMAND_H

#include <lua.h>

struct view;

/* The kind of handles of their objects. */
extern const char command_kind;

/* What fetches see, for a method of an object of that kind at 1 whose script runs; raises an error
 * otherwise. */
const struct view *command_view(lua_State *L);

/* A function of core. */
int register_cli(lua_State *L);

#endif
