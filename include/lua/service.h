/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that scripts register: "use-service lua.NAME". */
#ifndef LUA_SERVICE_H
#define LUA_SERVICE_H

#include <lua.h>

/* A function of core. */
int register_service(lua_State *L);

#endif
