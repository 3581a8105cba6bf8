/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps and lists of ACLs, as scripts see them. */
#ifndef LUA_MAP_H
#define LUA_MAP_H

#include <lua.h>

struct config;
struct location;

/* Files of patterns are loaded for this configuration and line; NULL: nobody can load one now. */
void map_reading(struct config *cfg, const struct location *loc);

/* Functions of core. */
int core_add_acl(lua_State *L);
int core_del_acl(lua_State *L);
int core_set_map(lua_State *L);
int core_del_map(lua_State *L);

#endif
