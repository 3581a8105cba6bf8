/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracebacks of scripts: which functions are at work in a coroutine. */
#ifndef LUA_TRACEBACK_H
#define LUA_TRACEBACK_H

#include <lua.h>

struct text;

/* Adds where the thread is, in one line, the innermost function first: " from FILE:LINE: in ...,
 * ...", of at most 20 functions; nothing where no function has a name. It needs no memory and
 * raises nothing: a handler of signals may call it. */
void traceback_say(struct text *t, lua_State *thread);

#endif
