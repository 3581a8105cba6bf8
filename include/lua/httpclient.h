/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTPClient. */
#ifndef LUA_HTTPCLIENT_H
#define LUA_HTTPCLIENT_H

#include <lua.h>

/* A function of core. */
int httpclient_new(lua_State *L);

#endif
