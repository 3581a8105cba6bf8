/* SPDX-License-Identifier: BSD-2-Clause */
/* The message of one direction of a stream, for filters: class HTTPMessage. */
#ifndef LUA_HTTP_MESSAGE_H
#define LUA_HTTP_MESSAGE_H

#include <stdbool.h>

#include <lua.h>

/* The object TXN of the stream is at `txn`: pushes its message of that direction, which it keeps.
 */
void message_push(lua_State *L, int txn, bool response);

#endif
