/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers that scripts give. */
#ifndef LUA_REPLY_H
#define LUA_REPLY_H

#include <lua.h>

struct exchange;
struct reply;

/* txn:reply([table]): an object of the class Reply. */
int txn_reply(lua_State *L);
/* The answer that the table at 2 of the stack describes, in the exchange's arena: for functions that
 * Lua calls. One that cannot be (a name that is none, a status of an interim response, larger than a
 * buffer) becomes the error answer 500. NULL: no memory. */
struct reply *reply_of_table(lua_State *L, struct exchange *x);

#endif
