/* SPDX-License-Identifier: BSD-2-Clause */
/* The action lua.NAME of rules. */
#ifndef LUA_ACTION_H
#define LUA_ACTION_H

#include "expr/rule_conf.h"

#include <lua.h>

struct registered;

/* What rules that name a script have as their data: the words behind it. */
struct script_words {
	const struct registered *function;
	const char **words;   /* function->args of them */
};
/* Parses them; for rows of actions. */
int action_parse_words(struct statement *st, struct rule *rule, const struct registered *function);
/* Runs the script of such a rule, from where it has waited if it has. */
enum action_result action_run_script(const struct rule *rule, struct view *view, unsigned place);
/* The table act: what an action may return. For a function that Lua calls. */
void action_begin(lua_State *L);

#endif
