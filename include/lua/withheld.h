/* SPDX-License-Identifier: BSD-2-Clause */
/* What Lua's own libraries have and scripts here do not. */
#ifndef LUA_WITHHELD_H
#define LUA_WITHHELD_H

#include <lua.h>

/* Puts functions that say why in the place of those; for a function that Lua calls. */
void withhold(lua_State *L);

/* The same of the table package on top of the stack: its second searcher takes no compiled code. */
void withhold_compiled_modules(lua_State *L);

#endif
