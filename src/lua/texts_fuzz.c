/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzer: functions of core that read texts of scripts. The first byte chooses one, the second one says
 * where the text is cut into two arguments. Words that are cut out make the text again, networks have
 * themselves, a date in several forms is one date; errors are those of Lua. */
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "lua/classes.h"
#include "lua/state.h"

#include <stdint.h>
#include <string.h>

#include <lauxlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LAST_MOST = 4000 };

static int make(lua_State *L)
{
	classes_begin(L);
	return 0;
}

static void begin(void)
{
	struct err err;

	BUG_ON(state_begin(64 << 20, &err));
	lua_pushcfunction(lua_running, make);
	BUG_ON(lua_pcall(lua_running, 0, 0, 0) != LUA_OK);
}

/* core.NAME(a, b): one result, on the stack; false: it raised. */
static bool call(lua_State *L, const char *name, struct span a, struct span b)
{
	lua_getglobal(L, "core");
	lua_getfield(L, -1, name);
	lua_remove(L, -2);
	lua_pushlstring(L, a.ptr, a.len);
	if (b.ptr)
		lua_pushlstring(L, b.ptr, b.len);
	return lua_pcall(L, b.ptr ? 2 : 1, 1, 0) == LUA_OK;
}

/* All bytes of the text are in a word, or separate. */
static void check_words(lua_State *L, struct span text, struct span separators)
{
	size_t len = strnlen(text.ptr, text.len), i, at = 0, word;
	size_t most = strnlen(separators.ptr, separators.len);

	if (!call(L, "tokenize", text, separators))
		return;
	for (i = 1; i <= lua_rawlen(L, -1); i++) {
		lua_rawgeti(L, -1, (lua_Integer)i);
		word = lua_rawlen(L, -1);
		BUG_ON(at + word > len || memcmp(text.ptr + at, lua_tostring(L, -1), word) != 0);
		at += word;
		BUG_ON(at < len && !memchr(separators.ptr, text.ptr[at], most));
		at++;
		lua_pop(L, 1);
	}
	BUG_ON(at != len + 1);
}

static void check_network(lua_State *L, struct span text)
{
	if (!call(L, "parse_addr", text, (struct span){ NULL, 0 }) || lua_isnil(L, -1))
		return;
	lua_getglobal(L, "core");
	lua_getfield(L, -1, "match_addr");
	lua_pushvalue(L, -3);
	lua_pushvalue(L, -1);
	BUG_ON(lua_pcall(L, 2, 1, 0) != LUA_OK || !lua_toboolean(L, -1));
}

static void check_date(lua_State *L, struct span text)
{
	static const char *const forms[] = { "imf_date", "rfc850_date", "asctime_date" };
	const struct span none = { NULL, 0 };
	bool any = false;
	unsigned i;

	if (!call(L, "http_date", text, none))
		return;
	for (i = 0; i < sizeof(forms) / sizeof(*forms) && !any; i++) {
		BUG_ON(!call(L, forms[i], text, none));
		any = !lua_isnil(L, -1);
		BUG_ON(any && !lua_rawequal(L, -1, 1));
	}
	BUG_ON(any == lua_isnil(L, 1));
}

/* What scripts ask of an expression does not depend on what they asked before. */
static void check_regex(lua_State *L, struct span expression, struct span text)
{
	static const char code[] =
		"local e, t = ... local ok, r = Regex.new(e, true) if not ok then return end"
		" local found, groups = r:match(t)"
		" assert(found == r:exec(t) and (not found or t:find(groups[1], 1, true)))";

	if (luaL_loadstring(L, code) != LUA_OK)
		BUG_ON("the code is wrong");
	lua_pushlstring(L, expression.ptr, expression.len);
	lua_pushlstring(L, text.ptr, text.len);
	if (lua_pcall(L, 2, 0, 0) != LUA_OK)
		BUG_ON(strstr(lua_tostring(L, -1), "assertion") != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = { (const char *)data + 2, size - 2 }, rest = { NULL, 0 };

	if (size < 2 || size > LAST_MOST)
		return 0;
	if (!lua_running)
		begin();
	rest.ptr = text.ptr + (data[1] < text.len ? data[1] : text.len);
	rest.len = text.len - (size_t)(rest.ptr - text.ptr);
	switch (data[0] % 4) {
	case 0:
		text.len -= rest.len;
		check_words(lua_running, rest, text);
		break;
	case 1:
		check_network(lua_running, text);
		break;
	case 2:
		check_date(lua_running, text);
		break;
	default:
		text.len -= rest.len;
		check_regex(lua_running, text, rest);
	}
	lua_settop(lua_running, 0);
	return 0;
}
