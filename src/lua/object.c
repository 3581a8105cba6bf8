/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes and objects of the API: metatables, methods that know their class, handles. Called by the
 * files of the classes; knows none of them. A script can reach everything in its tables, but makes no
 * handle and no metatable by itself: what methods believe is checked by these two. */
#include "lua/object.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <lauxlib.h>

/* Address in the registry of the metatable of handles. */
static const char handles;

/* Behind the bytes of a userdata that is collected. Lua does not call a finalizer where the stack of the
 * script that happens to collect cannot grow, and forgets it: then the allocator finds the mark, and
 * takes it off, lest it be found in what lies there next. No script can write one, as it does not know
 * the secret. */
struct mark {
	uint64_t secret;
	void *memory;
	void (*end)(void *memory); /* NULL: it was called */
};

static uint64_t mark_secret(void)
{
	static uint64_t secret;

	while (!secret)
		if (getrandom(&secret, sizeof(secret), 0) != sizeof(secret))
			secret = (uintptr_t)&secret ^ (uint64_t)getpid();
	return secret;
}

static void mark_end(struct mark *mark)
{
	void (*end)(void *memory) = mark->end;

	mark->end = NULL;
	if (end)
		end(mark->memory);
}

void collected_freed(void *block, size_t size)
{
	struct mark mark;
	char *at;

	if (size < sizeof(mark))
		return;
	at = (char *)block + size - sizeof(mark);
	memcpy(&mark, at, sizeof(mark));
	if (mark.secret != mark_secret())
		return;
	memset(at, 0, sizeof(mark));
	mark_end(&mark);
}

static int collected_gc(lua_State *L)
{
	char *memory = lua_touserdata(L, 1);

	mark_end((struct mark *)(memory + lua_rawlen(L, 1) - sizeof(struct mark)));
	return 0;
}

void *collected_new(lua_State *L, size_t size, const void *kind, void (*end)(void *memory))
{
	size_t room = (size + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	char *memory = lua_newuserdatauv(L, room + sizeof(struct mark), 0);
	struct mark *mark = (struct mark *)(memory + room);

	memset(memory, 0, room);
	*mark = (struct mark){ mark_secret(), memory, end };
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, kind) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_createtable(L, 0, 3);
		lua_pushcfunction(L, collected_gc);
		lua_setfield(L, -2, "__gc");
		lua_pushcfunction(L, collected_gc);
		lua_setfield(L, -2, "__close");
		lua_pushboolean(L, 0);
		lua_setfield(L, -2, "__metatable");
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, kind);
	}
	lua_setmetatable(L, -2);
	return memory;
}

struct handle *handle_new(lua_State *L, const void *kind, void *of)
{
	struct handle *h = lua_newuserdatauv(L, sizeof(*h), 1);

	h->kind = kind;
	h->of = of;
	h->serial = 0;
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &handles) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_createtable(L, 0, 1);
		lua_pushboolean(L, 0);
		lua_setfield(L, -2, "__metatable");
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &handles);
	}
	lua_setmetatable(L, -2);
	return h;
}

void method_push(lua_State *L, const struct class *class, lua_CFunction run, int more)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, class);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &handles);
	lua_rotate(L, -2 - more, 2);
	lua_pushcclosure(L, run, METHOD_UPVALUES + more);
}

/* A name that the table of methods (at 1) does not have yet. Upvalue: the class. */
static int find_method(lua_State *L)
{
	const struct class *class = lua_touserdata(L, lua_upvalueindex(1));

	if (!class->find(L, class) || lua_isnil(L, -1))
		return 0;
	lua_pushvalue(L, 2);
	lua_pushvalue(L, -2);
	lua_rawset(L, 1);
	return 1;
}

/* Upvalues, behind those of a method: the table of methods, the class. */
static int index_object(lua_State *L)
{
	const struct class *class;

	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(METHOD_UPVALUES + 1)) != LUA_TNIL)
		return 1;
	lua_pop(L, 1);
	class = lua_touserdata(L, lua_upvalueindex(METHOD_UPVALUES + 2));
	return class->field(L);
}

/* Methods of the class go into the table at -1. */
static void fill(lua_State *L, const struct class *class)
{
	const struct class_method *m;

	for (m = class->methods; m && m->name; m++) {
		method_push(L, class, m->run, 0);
		lua_setfield(L, -2, m->name);
	}
	if (!class->find)
		return;
	lua_createtable(L, 0, 1);
	lua_pushlightuserdata(L, (void *)class);
	lua_pushcclosure(L, find_method, 1);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
}

/* tostring(), as scripts that print objects know it. */
static int say_class(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	return 1;
}

void class_add(lua_State *L, const struct class *class)
{
	handle_new(L, NULL, NULL); /* its metatable is there from now on */
	lua_pop(L, 1);
	lua_createtable(L, 0, 4);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, class);
	lua_pushstring(L, class->name);
	lua_setfield(L, -2, "__name");
	lua_pushfstring(L, "HAProxy class %s", class->name);
	lua_pushcclosure(L, say_class, 1);
	lua_setfield(L, -2, "__tostring");
	lua_pushstring(L, class->name); /* setmetatable and getmetatable of scripts stop here */
	lua_setfield(L, -2, "__metatable");
	lua_newtable(L);
	fill(L, class);
	if (class->field) {
		lua_pushlightuserdata(L, (void *)class);
		method_push(L, class, index_object, 2);
	}
	lua_setfield(L, -2, "__index");
	if (class->pairs) {
		lua_pushcfunction(L, class->pairs);
		lua_setfield(L, -2, "__pairs");
	}
	lua_pop(L, 1);
}

void table_new(lua_State *L, const struct class *class)
{
	const struct class_method *m;

	lua_newtable(L);
	for (m = class->methods; m->name; m++) {
		lua_pushcfunction(L, m->run);
		lua_setfield(L, -2, m->name);
	}
}

void object_new(lua_State *L, const struct class *class, int handle, int fields)
{
	handle = lua_absindex(L, handle);
	lua_createtable(L, 0, fields + 1);
	lua_pushvalue(L, handle);
	lua_rawseti(L, -2, 0);
	lua_rawgetp(L, LUA_REGISTRYINDEX, class);
	lua_setmetatable(L, -2);
}

int object_member(lua_State *L, const struct class *class, const char *name)
{
	lua_rawgeti(L, 1, 0);
	object_new(L, class, -1, 0);
	lua_pushvalue(L, -1);
	lua_setfield(L, 1, name);
	return 1;
}

void arguments_check(lua_State *L, const char *name, int least, int most)
{
	int count = lua_gettop(L);

	if (count >= least && count <= most)
		return;
	if (least == most)
		luaL_error(L, "'%s' needs %d arguments", name, least);
	luaL_error(L, "'%s' needs between %d and %d arguments", name, least, most);
}

static int refuse_object(lua_State *L, int at)
{
	if (lua_gettop(L) < at)
		lua_settop(L, at);
	lua_getfield(L, lua_upvalueindex(1), "__name");
	return luaL_typeerror(L, at, lua_tostring(L, -1));
}

/* Is the table on top the one of an upvalue? Tables are the same where they lie in one place: each
 * call of a method asks this twice. */
static bool is_upvalue(lua_State *L, int n)
{
	return lua_topointer(L, -1) == lua_topointer(L, lua_upvalueindex(n));
}

static const struct handle *peek(lua_State *L, int at)
{
	const struct handle *h = NULL;
	int top = lua_gettop(L);

	lua_rawgetp(L, LUA_REGISTRYINDEX, &handles);
	if (lua_rawgeti(L, at, 0) == LUA_TUSERDATA && lua_getmetatable(L, -1) &&
	    lua_rawequal(L, -1, top + 1))
		h = lua_touserdata(L, -2);
	lua_settop(L, top);
	return h;
}

const struct handle *object_handle_peek(lua_State *L, int at, const void *kind)
{
	const struct handle *h = lua_istable(L, at) ? peek(L, at) : NULL;

	return h && h->kind == kind ? h : NULL;
}

void *object_peek(lua_State *L, int at, const void *kind)
{
	const struct handle *h = object_handle_peek(L, at, kind);

	return h ? h->of : NULL;
}

bool object_is(lua_State *L, int at, const void *kind)
{
	return object_handle_peek(L, at, kind);
}

bool object_leads_to(lua_State *L, int at, const void *of, uint32_t serial)
{
	const struct handle *h = peek(L, lua_absindex(L, at));

	return h && h->of == of && h->serial == serial;
}

struct handle *object_handle(lua_State *L, int at, const void *kind)
{
	struct handle *h = NULL;
	int top = lua_gettop(L);

	if (!lua_istable(L, at) || !lua_getmetatable(L, at) || !is_upvalue(L, 1))
		refuse_object(L, at);
	if (lua_rawgeti(L, at, 0) == LUA_TUSERDATA && lua_getmetatable(L, -1) && is_upvalue(L, 2))
		h = lua_touserdata(L, -2);
	lua_settop(L, top);
	if (!h || h->kind != kind)
		refuse_object(L, at);
	return h;
}

void *object_of(lua_State *L, int at, const void *kind)
{
	const struct handle *h = object_handle(L, at, kind);

	if (!h->of)
		luaL_error(L, "this object is over: what it stood for has ended");
	return h->of;
}
