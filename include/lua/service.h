/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that scripts register: "use-service lua.NAME". */
#ifndef LUA_SERVICE_H
#define LUA_SERVICE_H

#include "exchange/http_service.h"
#include "stream/service.h"

#include <lua.h>

struct registered;

struct service {
	const struct registered *function;
	const char *shown;          /* in logs: "<lua.NAME>" */
	struct http_service http;   /* the row of its mode */
	struct stream_service tcp;
	struct service *next;
};

/* A function of core. */
int register_service(lua_State *L);

#endif
