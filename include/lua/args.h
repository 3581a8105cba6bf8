/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of functions of the API. */
#ifndef LUA_ARGS_H
#define LUA_ARGS_H

#include <lua.h>

struct stats_field;
struct stats_value;

/* Pushes a value of the statistics: an integer, a number, a string; nil. */
void args_push_stat(lua_State *L, const struct stats_value *v);
/* Pushes a table of such values by the names of their fields: those that have both. */
void args_push_stats(lua_State *L, const struct stats_field *fields, const struct stats_value *values,
		     unsigned count);

#endif
