/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as values of Lua, and back. Called by the classes and by fetches that are scripts. */
#include "lua/value.h"

#include "expr/expr.h"
#include "http/chars.h"

#include <lauxlib.h>

bool value_true_bools;

void value_push_text(lua_State *L, const struct sample *smp)
{
	struct sample text = *smp;

	if (smp->type == SMP_BIN || sample_cast(&text, SMP_STR)) /* a cast ends at a zero byte */
		lua_pushlstring(L, text.str.ptr, text.str.len);
	else
		lua_pushliteral(L, "");
}

void value_push(lua_State *L, const struct sample *smp)
{
	switch (smp->type) {
	case SMP_BOOL:
		if (value_true_bools)
			lua_pushboolean(L, smp->num != 0);
		else
			lua_pushinteger(L, smp->num != 0);
		break;
	case SMP_INT:
		lua_pushinteger(L, smp->num);
		break;
	case SMP_STR:
	case SMP_BIN:
		lua_pushlstring(L, smp->str.ptr, smp->str.len);
		break;
	case SMP_IPV4:
	case SMP_IPV6:
	case SMP_METH:
		value_push_text(L, smp);
		break;
	default:
		lua_pushnil(L);
	}
}

void value_sample(lua_State *L, int at, struct sample *smp)
{
	smp->flags = SMP_CONST;
	smp->type = SMP_INT;
	smp->num = 0;
	switch (lua_type(L, at)) {
	case LUA_TBOOLEAN:
		smp->type = SMP_BOOL;
		smp->num = lua_toboolean(L, at);
		break;
	case LUA_TNUMBER:
		smp->num = lua_tointeger(L, at); /* 0: it is not whole */
		break;
	case LUA_TSTRING:
		smp->type = SMP_STR;
		smp->str.ptr = lua_tolstring(L, at, &smp->str.len);
		break;
	default:
		break;
	}
}

struct span value_span(lua_State *L, int at)
{
	struct span text;

	text.ptr = luaL_checklstring(L, at, &text.len);
	return text;
}

void value_push_lower(lua_State *L, struct span name)
{
	luaL_Buffer b;
	char *to = luaL_buffinitsize(L, &b, name.len);
	size_t i;

	for (i = 0; i < name.len; i++)
		to[i] = char_lower(name.ptr[i]);
	luaL_pushresultsize(&b, name.len);
}

void value_add_field(lua_State *L, struct span name, struct span value)
{
	lua_Integer n = 0;

	value_push_lower(L, name);
	lua_pushvalue(L, -1);
	if (lua_rawget(L, -3) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_createtable(L, 0, 1);
		lua_pushvalue(L, -2);
		lua_pushvalue(L, -2);
		lua_rawset(L, -5);
	} else {
		n = (lua_Integer)lua_rawlen(L, -1) + 1; /* [0] does not count */
	}
	lua_pushlstring(L, value.ptr, value.len);
	lua_rawseti(L, -2, n);
	lua_pop(L, 2);
}
