/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects for one direction of a stream: classes Channel (its bytes) and HTTPMessage (its message,
 * for filters). Both have the handle of the stream; at 1 the object says which direction. */
#ifndef LUA_CHANNEL_H
#define LUA_CHANNEL_H

#include "lua/bytes.h"
#include "lua/object.h"

#include <stdbool.h>

struct stream_scripts;

/* The object TXN of the stream is at `txn`: pushes its channel of that direction, which it keeps.
 */
void channel_push(lua_State *L, int txn, bool response);
/* The same of any class of that kind, in the field `name` of TXN; made when it is needed. */
void side_push(lua_State *L, int txn, const struct class *class, const char *name, bool response);
/* Of which direction is the object at `at`? */
bool channel_is_response(lua_State *L, int at);

/* Functions that both classes have. */
int channel_is_resp(lua_State *L);
int channel_is_full(lua_State *L, bytes_find *find);
int channel_may_recv(lua_State *L, bytes_find *find);

/* Bytes that scripts have let go leave for a client that is there. For an action that has run. */
void channel_flush(struct stream_scripts *ss);

#endif
