/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of Lua: memory that is counted and bounded, libraries, files. Called while the
 * configuration is read, and by script.c. */
#include "lua/state.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/memory.h"
#include "lua/object.h"
#include "lua/running.h"
#include "lua/script.h"
#include "lua/small.h"
#include "lua/withheld.h"

#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

static size_t used, most;

/* Memory runs out on purpose. Lua collects its garbage then, and asks once more: that fails as
 * well. */
static bool denied(const void *ptr, size_t size)
{
	static const void *last_ptr;
	static size_t last_size;

	if (last_size && ptr == last_ptr && size == last_size) {
		last_size = 0;
		return true;
	}
	last_ptr = ptr;
	last_size = memory_denied() ? size : 0;
	return last_size;
}

/* Lua collects when there is twice as much as was left the last time. A small state, as most are,
 * would be looked through for each body that a filter reads: it may grow to more before. (Where
 * garbage is small objects, that costs more than it saves: they lie farther apart.) */
enum { PAUSE_USUAL = 200, PAUSE_SMALL = 600, SMALL_STATE = 768 << 10 };
static int pause_now = PAUSE_USUAL; /* 0: a script has chosen one */

/* Changes nothing but how long the next pause is: the allocator may call it. */
static void pause_set(int percent)
{
	int had = pause_now ? lua_gc(lua_running, LUA_GCSETPAUSE, percent) : 0;

	if (had < 0) /* it is collecting, and takes no word */
		return;
	if (had != pause_now)
		lua_gc(lua_running, LUA_GCSETPAUSE, had);
	pause_now = had == pause_now && had ? percent : 0;
}

void state_pace(void)
{
	if (pause_now == PAUSE_USUAL && used < SMALL_STATE / 2)
		pause_set(PAUSE_SMALL);
}

/* lua_Alloc. What shrinks never fails, as Lua asks. */
static void *allocate(void *ud, void *ptr, size_t old, size_t new)
{
	void *got;

	(void)ud;
	if (!ptr)
		old = 0;
	if (!new) {
		collected_freed(ptr, old);
		small_free(ptr, old);
		used -= old;
		return NULL;
	}
	if (new > old && most && used - old + new > most)
		return NULL;
	if (unlikely(memory_debug.how & MEMORY_FAILS) && new > old && denied(ptr, new))
		return NULL;
	got = small_resize(ptr, old, new);
	if (!got)
		return new <= old ? ptr : NULL;
	used += new - old;
	if (new > old)
		script_moved(new);
	if (unlikely(pause_now == PAUSE_SMALL && used > SMALL_STATE))
		pause_set(PAUSE_USUAL);
	return got;
}

/* Lua has nobody left to tell: an error outside any protected call is a bug of ours. */
static int panic(lua_State *L)
{
	(void)L;
	BUG_ON("an error of Lua that nobody catches");
	return 0;
}

/* Texts of more than a kilobyte are made in a box, whose metatable comes with the first box.
 * Where memory fails in the middle of that, the metatable stays as it is, and no such text can be
 * made any more ("got a non-closable value"). So the first box is made while the state begins. */
static void make_first_box(lua_State *L)
{
	luaL_Buffer b;

	luaL_buffinitsize(L, &b, 2 * LUAL_BUFFERSIZE);
	luaL_pushresultsize(&b, 0);
	lua_pop(L, 1);
}

static int open_libraries(lua_State *L)
{
	luaL_openlibs(L);
	make_first_box(L);
	withhold(L);
	return 0;
}

int state_begin(size_t limit, struct err *err)
{
	lua_State *L;

	most = limit;
	if (lua_running)
		return 0;
	L = lua_newstate(allocate, NULL);
	if (L) {
		lua_atpanic(L, panic);
		lua_pushcfunction(L, open_libraries);
	}
	if (!L || lua_pcall(L, 0, 0, 0) != LUA_OK || !script_begin(L)) {
		if (L)
			lua_close(L);
		small_end();
		return err_set(err, "Lua does not start: there is no memory (tune.lua.maxmem)");
	}
	lua_running = L;
	return 0;
}

void state_limit(size_t limit)
{
	most = limit;
}

size_t state_used(void)
{
	return used;
}

void state_end(void)
{
	if (lua_running)
		lua_close(lua_running);
	lua_running = NULL;
	pause_now = PAUSE_USUAL;
	small_end();
}

/* ---- errors --------------------------------------------------------------------------------- */

/* What an error value says: its text, or what it is. */
static int message_handler(lua_State *L)
{
	const char *text = lua_tostring(L, 1);

	if (!text && luaL_callmeta(L, 1, "__tostring") && lua_isstring(L, -1))
		text = lua_tostring(L, -1);
	if (!text)
		text = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
	luaL_traceback(L, L, text, 1);
	return 1;
}

int state_call(lua_State *L, int args, int results)
{
	int at = lua_gettop(L) - args, status;

	lua_pushcfunction(L, message_handler);
	lua_insert(L, at);
	status = lua_pcall(L, args, results, at);
	lua_remove(L, at);
	return status;
}

void state_error_text(lua_State *L, char *text, size_t size)
{
	size_t len = 0;
	const char *said = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &len) : NULL;

	if (!said) {
		said = lua_isnil(L, -1) ? "no error text" : luaL_typename(L, -1);
		len = strlen(said);
	}
	if (len >= size)
		len = size - 1;
	memcpy(text, said, len);
	text[len] = 0;
	lua_pop(L, 1);
}

/* ---- files ---------------------------------------------------------------------------------- */

static int refuse(lua_State *L, const char *what, struct err *err)
{
	char text[400];

	state_error_text(L, text, sizeof(text));
	return err_set(err, "%s: %s", what, text);
}

/* What a protected function is given. */
struct load {
	const char *path;
	const char *const *words;
	int count;
};

/* Leaves the compiled file on the stack, below its arguments. */
static int compile(lua_State *L)
{
	const struct load *load = lua_touserdata(L, 1);
	int i;

	if (luaL_loadfilex(L, load->path, "t") != LUA_OK) /* no compiled code: withheld.c */
		return lua_error(L);
	luaL_checkstack(L, load->count + 4, "arguments of lua-load");
	for (i = 0; i < load->count; i++)
		lua_pushstring(L, load->words[i]);
	return load->count + 1;
}

int state_load(const char *path, const char *const *words, int count, struct err *err)
{
	struct load load = { .path = path, .words = words, .count = count };
	lua_State *L = lua_running;

	lua_pushcfunction(L, compile);
	lua_pushlightuserdata(L, &load);
	if (lua_pcall(L, 1, LUA_MULTRET, 0) != LUA_OK)
		return refuse(L, "Lua does not take the file", err);
	if (state_call(L, count, 0) != LUA_OK)
		return refuse(L, "the script failed", err);
	return 0;
}
