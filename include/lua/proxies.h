/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of proxies, servers, listeners and tables, made once the configuration is complete. */
#ifndef LUA_PROXIES_H
#define LUA_PROXIES_H

#include <lua.h>

struct bind_conf;
struct handle;
struct proxy;
struct server;
struct stat_row;
struct stick_line;

/* On the stack: a row of show stat as a table, without what it has not. */
void row_push(lua_State *L, const struct stat_row *row);
/* core.proxies, core.backends, core.frontends; the table core is on top of the stack. */
void proxies_push(lua_State *L);
/* On the stack: new objects. */
void proxy_push(lua_State *L, struct proxy *px);
void server_push(lua_State *L, struct server *s);
/* On the stack: the servers of a backend, by name. */
void servers_push(lua_State *L, struct proxy *px);
/* The proxy of a handle; an error of Lua when it has gone. */
struct proxy *proxy_of_handle(lua_State *L, const struct handle *h);
/* On the stack: the table of a stick table's line. */
void stick_table_push(lua_State *L, const struct stick_line *line);

#endif
