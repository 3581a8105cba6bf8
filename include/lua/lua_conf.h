/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the global section about Lua. Manual 3.1, 3.2. */
#ifndef LUA_LUA_CONF_H
#define LUA_LUA_CONF_H

#include "config/module.h"

extern const struct module lua_module;
/* What scripts do by themselves: behind all other modules. */
extern const struct module lua_tasks_module;

#endif
