/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that a function of C collects over several waits of its script: strings in a table, which
 * lies on the stack like everything that outlives a wait. */
#ifndef LUA_PIECES_H
#define LUA_PIECES_H

#include <stddef.h>

#include <lua.h>

/* Adds bytes to the table at `at`. May raise an error: nothing was added. */
void pieces_add(lua_State *L, int at, const char *bytes, size_t len);
/* Pushes all of them as one string. */
void pieces_push(lua_State *L, int at);

#endif
