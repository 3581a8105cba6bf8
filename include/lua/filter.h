/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters that are scripts: core.register_filter, "filter lua.NAME". */
#ifndef LUA_FILTER_H
#define LUA_FILTER_H

#include <stdbool.h>

#include <lua.h>

struct err;

/* A function of core. */
int register_filter(lua_State *L);
/* The table filter. For a function that Lua calls. */
void filter_begin(lua_State *L);
/* The filter of each line is made by its script: of all when the configuration is complete, of those
 * in files that a process has read for itself when it has. 0, or -1 and err. */
int script_filters_make(bool all, struct err *err);

#endif
