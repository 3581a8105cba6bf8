/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of servers, which scripts subscribe to. */
#ifndef LUA_EVENTS_H
#define LUA_EVENTS_H

#include <lua.h>

struct server;

/* core.event_sub({ types }, function) */
int core_event_sub(lua_State *L);
/* The same for one server: of the table and the function at 2 and 3. Pushes the subscription. */
int events_subscribe(lua_State *L, int types, const struct server *server);

/* Subscriptions of files that each process reads for itself: they are read anew. */
void events_forget_own(void);
/* This process serves from now on: events are told. Those of files that were read for all in the
 * process that checks servers. */
void events_start(void);
void events_stop(void);

#endif
