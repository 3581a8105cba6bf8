/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and converters: those that scripts call (txn.f, txn.sf, txn.c, txn.sc), and those that are
 * scripts (lua.NAME). */
#ifndef LUA_SAMPLE_CALLS_H
#define LUA_SAMPLE_CALLS_H

#include "expr/expr.h"

#include <lua.h>

struct config;
struct registered;

/* The configuration in force, whose proxies, servers and tables scripts name. */
extern struct config *sample_calls_config;

/* Fields of the classes of services and commands: f, sf, c, sc. */
int calls_field(lua_State *L);

/* Of rows made by register.c, by their `data`. */
const struct registered *registered_fetch(int data);
const struct registered *registered_converter(int data);
fetch_run fetch_script;
converter_run convert_script;

#endif
