/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and converters that scripts call: txn.f, txn.sf, txn.c, txn.sc. */
#ifndef LUA_SAMPLE_CALLS_H
#define LUA_SAMPLE_CALLS_H

#include <lua.h>

struct config;

/* The configuration in force, whose proxies, servers and tables scripts name. */
extern struct config *sample_calls_config;

/* Fields of the classes of services and commands: f, sf, c, sc. */
int calls_field(lua_State *L);

#endif
