/* SPDX-License-Identifier: BSD-2-Clause */
/* The classes of the API; each stands in the file of its name. */
#ifndef LUA_CLASSES_H
#define LUA_CLASSES_H

#include "lua/object.h"

extern const struct class core_class, txn_class, fetches_class, string_fetches_class,
	converters_class, string_converters_class, http_class, reply_class, applet_http_class,
	applet_tcp_class, socket_class, httpclient_class, concat_class, regex_class, regex_table,
	map_class, map_table, proxy_class, server_class, listener_class, stick_table_class,
	command_class, channel_class, http_message_class, filter_table, queue_class, cert_cache_table,
	subscription_class, patref_class, proxy_list_class, server_list_class;

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
