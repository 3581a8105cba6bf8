/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of Lua in this process: made when the configuration names the first file, shared by all
 * scripts. Nothing that a script does gets past the functions here: memory is bounded, errors have
 * a sentence. */
#ifndef LUA_STATE_H
#define LUA_STATE_H

#include "lua/running.h"

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

struct err;

/* Makes the state, with its libraries. most: bytes that it may take; 0: any number. 0, or -1 and
 * err. Again does nothing. */
int state_begin(size_t most, struct err *err);
/* Bytes that it may take from now on; 0: any number. */
void state_limit(size_t most);
size_t state_used(void);
/* A script has read a body: large strings, which cost the collector nothing but that it looks at
 * all else. A small state collects less often from now on. */
void state_pace(void);
void state_end(void);

/* Runs a file, with the words as its arguments ("..."), while the configuration is read. 0; or -1
 * and err: where Lua stopped, and its traceback. */
int state_load(const char *path, const char *const *words, int count, struct err *err);

/* A protected call of what lies on the stack of L, with arguments on top of it: as lua_pcall, but
 * an error comes with the traceback of where it was raised. */
int state_call(lua_State *L, int args, int results);
/* The text of an error value on top of the stack of L, which is popped; cut at size - 1 bytes. */
void state_error_text(lua_State *L, char *text, size_t size);

#endif
