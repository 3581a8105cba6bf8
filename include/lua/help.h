/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables of the API say of themselves: penstock help lua.CLASS.FUNCTION, -dKlua. */
#ifndef LUA_HELP_H
#define LUA_HELP_H

#include <stdbool.h>
#include <stdio.h>

/* "lua": names the classes; "lua.TXN", "lua.TXN.set_var": that class, that function; case does not
 * matter. False: there is none of that name. any: something stands above. */
bool lua_help(FILE *out, const char *word, bool any);
/* All classes as Markdown: the reference of doc/lua.md. */
void lua_manual(FILE *out);

#endif
