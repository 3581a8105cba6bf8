/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and converters that are scripts: lua.NAME. */
#ifndef LUA_SAMPLE_SCRIPTS_H
#define LUA_SAMPLE_SCRIPTS_H

#include "expr/expr.h"

#include <lua.h>

/* Functions of core. */
int register_fetches(lua_State *L);
int register_converters(lua_State *L);

/* What their rows run. */
fetch_run fetch_script;
converter_run convert_script;

#endif
