/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of servers and frontends that scripts ask for. */
#ifndef LUA_CHANGE_H
#define LUA_CHANGE_H

#include "event/change.h"

#include <lua.h>

/* What a script may change, by name. */
enum { CHANGE_SAYS = 1 }; /* the function returns what was said, or nil; else nothing */

/* `return change_ask(L, "weight", "backend/server", arg, arg2, says)`: the change goes through the
 * ordered log, and the script waits until it is made here. Where it may not wait, it is made later;
 * in core.register_init at once. arg, arg2: NULL where there is none. */
int change_ask(lua_State *L, const char *what, const char *object, const char *arg,
	       const char *arg2, int says);
/* The processes do not run yet: changes are made at once. */
extern bool change_at_once;

/* On its way to all processes. */
extern const struct change_kind lua_change;

#endif
