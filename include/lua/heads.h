/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of scripts on heads, which the classes HTTP and HTTPMessage have. The object is at 1;
 * name and value at 2 and 3, as in the manual. function: their name, for errors. They change the
 * heads of requests for actions of requests and in http_headers of filters, those of responses alike;
 * elsewhere they raise. In filters, Content-Length may be deleted or set: the body is another one. */
#ifndef LUA_HEADS_H
#define LUA_HEADS_H

#include "exchange/edit.h"

#include <stdbool.h>

#include <lua.h>

int heads_get(lua_State *L, bool response, const char *function);
int heads_put(lua_State *L, bool response, const char *function, bool set);
int heads_delete(lua_State *L, bool response, const char *function);
int heads_replace(lua_State *L, bool response, const char *function, bool elements);
/* Of requests; of responses. */
int heads_set_part(lua_State *L, enum edit_part part);
int heads_set_status(lua_State *L);

#endif
