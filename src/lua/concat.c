/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Concat: a string that grows. Its bytes lie in a userdata that doubles, so adding costs
 * what is added. */
#include "lua/classes.h"

#include "lua/value.h"

#include <lauxlib.h>

enum { CONCAT_FIRST = 256 };

/* What the handle leads to; a userdata, kept by the handle's user value. */
struct concat {
	size_t len, size;
	char bytes[];
};
static const char concat_kind;

/* On the stack. */
static struct concat *concat_new(lua_State *L, size_t size)
{
	struct concat *c = lua_newuserdatauv(L, sizeof(*c) + size, 0);

	c->len = 0;
	c->size = size;
	return c;
}

int core_concat(lua_State *L)
{
	struct concat *c = concat_new(L, CONCAT_FIRST);

	handle_new(L, &concat_kind, c);
	lua_rotate(L, -2, 1);
	lua_setiuservalue(L, -2, 1);
	object_new(L, &concat_class, -1, 0);
	return 1;
}

/* The object at 1 gets another one in its place, with room for so many bytes more. */
static struct concat *grow(lua_State *L, const struct concat *old, size_t more)
{
	size_t size = old->size;
	struct concat *c;
	struct handle *h;

	while (size - old->len < more) {
		if (size > SIZE_MAX / 4)
			luaL_error(L, "the text is too long");
		size *= 2;
	}
	lua_rawgeti(L, 1, 0);
	h = lua_touserdata(L, -1);
	c = concat_new(L, size);
	memcpy(c->bytes, old->bytes, old->len);
	c->len = old->len;
	lua_setiuservalue(L, -2, 1);
	h->of = c;
	return c;
}

static int concat_add(lua_State *L)
{
	struct concat *c = object_of(L, 1, &concat_kind);
	struct span text = value_span(L, 2);

	if (c->size - c->len < text.len)
		c = grow(L, c, text.len);
	memcpy(c->bytes + c->len, text.ptr, text.len);
	c->len += text.len;
	return 0;
}

static int concat_dump(lua_State *L)
{
	const struct concat *c = object_of(L, 1, &concat_kind);

	lua_pushlstring(L, c->bytes, c->len);
	return 1;
}

static const struct class_method methods[] = {
	{ "add", concat_add, "text", NULL, "puts a text behind what there is", 0 },
	{ "dump", concat_dump, "", "string", "all of it", 0 },
	{ 0 },
};

const struct class concat_class = {
	"Concat", methods, .help = "a string that grows: core.concat()",
};
