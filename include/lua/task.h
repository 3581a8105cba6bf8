/* SPDX-License-Identifier: BSD-2-Clause */
/* What scripts do by themselves: before the service begins, and beside the traffic. */
#ifndef LUA_TASK_H
#define LUA_TASK_H

#include <stdbool.h>

#include <lua.h>

struct err;

/* Functions of core. */
int register_init(lua_State *L);
int register_task(lua_State *L);

/* Forgets what files of this process have registered: they are read anew. */
void tasks_forget_own(void);
/* Runs what register_init was given since the last call; own: by which files. 0, or -1 and err. */
int inits_run(bool own, struct err *err);
/* This process serves from now on. Tasks of files that were read for all run in one process: in
 * that which checks servers, as long as it does. Others run here. */
void tasks_start(void);
void tasks_stop(void);

#endif
