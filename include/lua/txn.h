/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of TXN that other objects of a stream have, too. */
#ifndef LUA_TXN_H
#define LUA_TXN_H

#include <lua.h>

int txn_set_var(lua_State *L);
int txn_unset_var(lua_State *L);
int txn_get_var(lua_State *L);
int txn_set_priv(lua_State *L);
int txn_get_priv(lua_State *L);

/* Rows of a class. */
#define TXN_METHODS_OF_STREAMS                                                                    \
	{ "set_var", txn_set_var, "name, value [, ifexist]", "boolean", "as TXN:set_var", 0 },     \
	{ "unset_var", txn_unset_var, "name", "boolean", "as TXN:unset_var", 0 },                  \
	{ "get_var", txn_get_var, "name", "value or nil", "as TXN:get_var", 0 },                   \
	{ "set_priv", txn_set_priv, "value", NULL, "as TXN:set_priv", 0 },                         \
	{ "get_priv", txn_get_priv, "", "value", "as TXN:get_priv", 0 }

#endif
