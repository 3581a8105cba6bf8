/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of the API and their objects. An object is a table, which scripts may add to; at 0 it has a
 * handle, which leads to what it stands for as long as that lives. Each method checks its object, and
 * raises an error of Lua where it is another one, or over. */
#ifndef LUA_OBJECT_H
#define LUA_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <lua.h>

/* A function of the API. Classes are arrays of rows, whose last has no name; doc/lua.md is printed
 * from them. */
struct class_method {
	const char *name;
	lua_CFunction run;
	const char *args;  /* as the manual writes them: "name, value[, ifexist]" */
	const char *gives; /* what it returns; NULL: nothing */
	const char *help;
	unsigned flags;    /* METHOD_* */
};
enum {
	METHOD_WAITS = 1 << 0,   /* the script may wait in it */
	METHOD_LOADING = 1 << 1, /* only while the files are read */
};

struct class {
	const char *name;
	const struct class_method *methods;
	/* Pushes what stands behind a name that is no method, of the object at 1 (the name at 2); it may
	 * keep it in the object. It has the upvalues of methods. Returns 1. NULL: there is nothing. */
	lua_CFunction field;
	/* Pushes a method by its name at 2, which is kept for all objects; nil: there is none. It has
	 * the upvalues of methods before its own. NULL: methods are all there are. */
	int (*find)(lua_State *L, const struct class *class);
	/* What pairs() of the object at 1 walks with: as __pairs. NULL: as of any table. */
	lua_CFunction pairs;
	bool is_table; /* of functions, without objects: core */
	const char *help;
	const char *where; /* its functions may be called: a phrase; NULL: anywhere */
};

/* What objects lead to. */
struct handle {
	const void *kind; /* of what `of` is: an address that stands for it */
	void *of;         /* NULL: it is over */
	uint32_t
		serial; /* of what comes and goes: `of` may be the place of a later one; 0 mostly */
};

/* Makes a class known: its metatable lies in the registry. For functions that Lua calls. */
void class_add(lua_State *L, const struct class *class);
/* The functions of a class that is a table, in a new one; on the stack. */
void table_new(lua_State *L, const struct class *class);
/* A closure of a method: the check of its object is in its first two upvalues; `more` further ones
 * are popped from the stack. On the stack. */
void method_push(lua_State *L, const struct class *class, lua_CFunction run, int more);
enum { METHOD_UPVALUES = 2 }; /* further ones come behind these */

/* Raises an error where a function has been given fewer values than least (the object is one), or
 * more than most. name: of the function. */
void arguments_check(lua_State *L, const char *name, int least, int most);

/* A userdata of zeroed bytes that is the program's own, on the stack: end is called once, when Lua
 * collects it, even where Lua had no room to call a finalizer, or for a slot that is to be closed
 * (lua_toclose). end calls nothing of Lua. kind: an address that stands for its like. Scripts do not
 * see its metatable. */
void *collected_new(lua_State *L, size_t size, const void *kind, void (*end)(void *memory));
/* For the allocator: this block of so many bytes is about to be freed. */
void collected_freed(void *block, size_t size);

/* A handle, on the stack. It stays as long as Lua sees it, and so does its one user value. */
struct handle *handle_new(lua_State *L, const void *kind, void *of);
/* An object of the class with the handle at `handle` of the stack; on the stack. fields: how many it
 * will have. */
void object_new(lua_State *L, const struct class *class, int handle, int fields);
/* An object that leads to the same as the one at 1, which keeps it under this name; on the stack, for
 * `return object_member(...)`. */
int object_member(lua_State *L, const struct class *class, const char *name);
/* The handle of an object of that kind, which may be over. */
struct handle *object_handle(lua_State *L, int at, const void *kind);
/* What the object at `at` leads to, for a method (its upvalues say of which class it is). */
void *object_of(lua_State *L, int at, const void *kind);
/* The same outside of methods, of any class. NULL: the table has another one, or it is over. */
void *object_peek(lua_State *L, int at, const void *kind);
/* The handle, as object_handle, outside of methods. NULL: the table has another one. */
const struct handle *object_handle_peek(lua_State *L, int at, const void *kind);
/* Does the object at `at` lead there, and to nothing that was there before? */
bool object_leads_to(lua_State *L, int at, const void *of, uint32_t serial);
/* Is it of this kind, of whatever class, over or not? */
bool object_is(lua_State *L, int at, const void *kind);

#endif
