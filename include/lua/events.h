/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of servers and of files of patterns, which scripts subscribe to. */
#ifndef LUA_EVENTS_H
#define LUA_EVENTS_H

#include <lua.h>

struct pattern_ref;
struct server;
struct server_part;

extern struct server_part lua_server_part;

/* core.event_sub({ types }, function) */
int core_event_sub(lua_State *L);
/* The same for one server, or one file of patterns (the other is NULL): of the table at `types` and
 * the function behind it. Pushes the subscription. */
int events_subscribe(lua_State *L, int types, const struct server *server, const struct pattern_ref *ref);

/* Subscriptions of files that each process reads for itself: they are read anew. */
void events_forget_own(void);
/* This process serves from now on: events are told. Those of files that were read for all in the
 * process that checks servers. push: what functions are given of a server, on the stack
 * (server_push). */
void events_start(void (*push)(lua_State *L, struct server *s));
void events_stop(void);

#endif
