/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as values of Lua, and back. */
#ifndef LUA_VALUE_H
#define LUA_VALUE_H

#include "base/sample.h"

#include <stdbool.h>

#include <lua.h>

/* tune.lua.bool-sample-conversion normal: booleans are booleans of Lua; else 0 and 1. */
extern bool value_true_bools;

/* On the stack: integer, string (addresses and methods as text), or by value_true_bools. */
void value_push(lua_State *L, const struct sample *smp);
/* The same as a string, as `sf` and `sc` give it. */
void value_push_text(lua_State *L, const struct sample *smp);
/* The value at `at` as a sample; a string stays Lua's. What is neither string, number nor boolean is
 * the integer 0, as is a number that is not whole. */
void value_sample(lua_State *L, int at, struct sample *smp);
/* A string at `at`, which may be a number, as a span of Lua's; raises an error where it is none. */
struct span value_span(lua_State *L, int at);

/* A name in lower case; on the stack. */
void value_push_lower(lua_State *L, struct span name);
/* The table of headers at -1 gets one more value: lists by names in lower case, which count from 0. */
void value_add_field(lua_State *L, struct span name, struct span value);

#endif
