/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes of the API; each stands in the file of its name. src/classes.c lists them. */
#ifndef LUA_CLASSES_H
#define LUA_CLASSES_H

#include "lua/object.h"

extern const struct class core_class;
extern const struct class txn_class;
extern const struct class fetches_class;
extern const struct class string_fetches_class;
extern const struct class converters_class;
extern const struct class string_converters_class;
extern const struct class http_class;
extern const struct class reply_class;
extern const struct class applet_http_class;
extern const struct class applet_tcp_class;
extern const struct class socket_class;
extern const struct class httpclient_class;
extern const struct class concat_class;
extern const struct class regex_class;
extern const struct class regex_table;
extern const struct class map_class;
extern const struct class map_table;
extern const struct class proxy_class;
extern const struct class server_class;
extern const struct class listener_class;
extern const struct class stick_table_class;
extern const struct class command_class;
extern const struct class channel_class;
extern const struct class http_message_class;
extern const struct class filter_table;
extern const struct class queue_class;
extern const struct class cert_cache_table;
extern const struct class subscription_class;
extern const struct class patref_class;
extern const struct class proxy_list_class;
extern const struct class server_list_class;

/* All of them, ended by NULL; those whose name is a table of scripts among them ("core"). */
extern const struct class *const classes[];

/* Makes them known, and the tables that scripts begin with: core, act, Map, Regex. For a function
 * that Lua calls. */
void classes_begin(lua_State *L);
/* core, act. */
void core_begin(lua_State *L);
void regex_begin(lua_State *L);
void map_begin(lua_State *L);
void cert_cache_begin(lua_State *L);

/* Functions of core that stand elsewhere. */
int core_http_date(lua_State *L);
int core_imf_date(lua_State *L);
int core_rfc850_date(lua_State *L);
int core_asctime_date(lua_State *L);
int core_parse_addr(lua_State *L);
int core_match_addr(lua_State *L);
int core_concat(lua_State *L);
int core_queue(lua_State *L);

#endif
