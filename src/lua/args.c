/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that several classes have in common. Called by the files of the classes. */
#include "lua/args.h"

#include "stats/value.h"

void args_push_stat(lua_State *L, const struct stats_value *v)
{
	switch (v->type) {
	case STATS_NONE:
		lua_pushnil(L);
		break;
	case STATS_S32:
		lua_pushinteger(L, v->num);
		break;
	case STATS_U32:
	case STATS_U64:
		lua_pushinteger(L, (lua_Integer)v->u64);
		break;
	case STATS_FLT:
		lua_pushnumber(L, v->flt);
		break;
	case STATS_STR:
		lua_pushstring(L, v->str);
		break;
	}
}

void args_push_stats(lua_State *L, const struct stats_field *fields, const struct stats_value *values,
		     unsigned count)
{
	unsigned i;

	lua_createtable(L, 0, (int)count);
	for (i = 0; i < count; i++) {
		if (!fields[i].name || values[i].type == STATS_NONE)
			continue;
		args_push_stat(L, &values[i]);
		lua_setfield(L, -2, fields[i].name);
	}
}
