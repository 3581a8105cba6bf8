/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Patref: files of patterns. */
#ifndef LUA_PATREF_H
#define LUA_PATREF_H

#include <lua.h>

/* core.get_patref(name) */
int core_get_patref(lua_State *L);
/* The configuration ends before the state of Lua does: nothing is read or asked for any more. */
void patrefs_end(void);

#endif
