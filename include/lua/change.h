/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of servers and frontends that scripts ask for. */
#ifndef LUA_CHANGE_H
#define LUA_CHANGE_H

#include "event/change.h"

#include <lua.h>

/* What a script may change, by name. */
enum { CHANGE_SAYS = 1,   /* the function returns what was said, or what is wrong; nil: nothing */
       CHANGE_RAISES = 2, /* it returns nothing, what is wrong is an error of Lua */
       CHANGE_RESULT = 3  /* it returns true, or nil and what is wrong */ }; /* 0: it returns nothing */

/* `return change_ask(L, "weight", "backend/server", arg, arg2, says)`: the change goes through the
 * ordered log, and the script waits until it is made here. Where it may not wait, it is made later;
 * in core.register_init at once. arg, arg2: NULL where there is none. */
int change_ask(lua_State *L, const char *what, const char *object, const char *arg,
	       const char *arg2, int says);
/* `return change_send(...)`: the same for a change of any kind. The bytes may lie in a value of the
 * function's stack. */
int change_send(lua_State *L, const struct change_kind *kind, const void *bytes, size_t len, int says);
/* The processes do not run yet: changes are made at once. */
extern bool change_at_once;

/* On its way to all processes. */
extern const struct change_kind lua_change, cert_cache_change;

#endif
