/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that scripts work on: those that wait (input), in one buffer behind those that are on their
 * way already (output). Classes Channel and HTTPMessage have the same functions for them. */
#ifndef LUA_BYTES_H
#define LUA_BYTES_H

#include "base/buf.h"

#include <stdbool.h>

#include <lua.h>

/* Where the bytes are, while a function of a class runs. */
struct script_bytes {
	struct buf **buf;  /* *buf NULL: there are none. One of buffer_take */
	uint32_t *out;     /* the first ones: on their way */
	bool more;         /* the source may bring more */
	bool waits;        /* the script may wait for that, or for room: by `wait' */
	/* `return b->wait(L, k, ctx)`: the script goes on with k when bytes have come, or can go. */
	int (*wait)(lua_State *L, lua_KFunction k, lua_KContext ctx);
	/* Bytes have been let go (out has grown). NULL: nobody needs to know. */
	void (*passed)(lua_State *L);
};

/* Of the object at 1, which may be of a stream that goes on elsewhere meanwhile: looked up anew by
 * each function, and behind each wait. Raises an error where the script may not touch bytes. */
typedef void bytes_find(lua_State *L, struct script_bytes *b);

/* Functions of a class, for an object whose bytes are found by `find`; name: of the function. */
int bytes_data(lua_State *L, bytes_find *find, const char *name);
int bytes_line(lua_State *L, bytes_find *find);
int bytes_append(lua_State *L, bytes_find *find);
int bytes_prepend(lua_State *L, bytes_find *find);
int bytes_insert(lua_State *L, bytes_find *find);
int bytes_set(lua_State *L, bytes_find *find);
int bytes_remove(lua_State *L, bytes_find *find);
int bytes_forward(lua_State *L, bytes_find *find);
int bytes_send(lua_State *L, bytes_find *find);
/* What they had in older versions. */
int bytes_get(lua_State *L, bytes_find *find, bool keep);
int bytes_getline(lua_State *L, bytes_find *find);

/* Bytes that wait, of what find gives. */
size_t bytes_input(const struct script_bytes *b);

/* Puts len bytes in the place of `cut` ones from `at` on (the first byte that is held is 0). False:
 * they do not fit, or there is no memory; nothing has changed. A buffer that is empty then is given
 * back; one that is not there is taken. */
bool buf_replace(struct buf **buf, size_t at, size_t cut, const char *bytes, size_t len);

#endif
