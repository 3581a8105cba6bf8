/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the log that scripts write. */
#ifndef LUA_SAY_H
#define LUA_SAY_H

#include "base/str.h"

#include <stdbool.h>

#include <lua.h>

struct log_conf;

/* core.silent: for TXN:set_loglevel. */
enum { LEVEL_SILENT = -1 };

/* tune.lua.log.loggers, tune.lua.log.stderr. */
enum say_stderr { SAY_STDERR_OFF, SAY_STDERR_AUTO, SAY_STDERR_ON };
extern struct say_conf {
	bool loggers;
	int stderr_too; /* enum say_stderr */
} say_conf;

/* A line of this level (an enum log_level, or an error of Lua) to the logs, and to whoever has started
 * the process. For functions that Lua calls. conf NULL: there are no logs. */
void say_line(lua_State *L, lua_Integer level, struct span text, const struct log_conf *conf);

#endif
