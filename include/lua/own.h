/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that each process runs for itself: lua-load-per-thread. They have globals and modules of
 * their own. */
#ifndef LUA_OWN_H
#define LUA_OWN_H

#include <stdbool.h>

#include <lua.h>

struct err;

/* Globals and modules are as files find them: keeps how that is. For a function that Lua calls. */
void own_begin(lua_State *L);
/* Puts `path` and a semicolon in front of package.path, or of package.cpath, for all files. 0, or
 * -1 and err. */
int own_prepend_path(const char *path, bool c, struct err *err);
/* Runs the file while the configuration is read, so that what it registers is known; arguments as
 * of state_load, which stay. 0, or -1 and err. */
int own_load(const char *path, const char *const *words, int count, struct err *err);
/* In a process that serves: runs all of them anew where there are several processes, and what they
 * have given register_init. 0, or -1 and err. */
int own_start(struct err *err);
/* The configuration is complete: core.proxies and its like are there from now on. 0, or -1 and
 * err. */
int own_add_proxies(struct err *err);

#endif
