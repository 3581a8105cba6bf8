/* SPDX-License-Identifier: BSD-2-Clause */
/* What Lua's own libraries have and scripts here do not. */
#ifndef LUA_WITHHELD_H
#define LUA_WITHHELD_H

#include <lua.h>

/* Puts functions that say why in the place of those; for a function that Lua calls. */
void withhold(lua_State *L);

#endif
