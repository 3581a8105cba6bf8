/* SPDX-License-Identifier: BSD-2-Clause */
/* What of Lua runs in this process: its state, and whose files are read. A file that each process
 * runs for itself (lua/own.h) registers for that process. */
#ifndef LUA_RUNNING_H
#define LUA_RUNNING_H

#include <stdbool.h>

#include <lua.h>

/* Made by state_begin. NULL: no file was named. */
extern lua_State *lua_running;

/* A file of this process runs: what is registered now belongs to it. Set by own.c. */
extern bool own_reading;
/* The number for struct script.state: of files of this process, or of those for all. */
unsigned own_state(bool is_own);

#endif
