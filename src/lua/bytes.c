/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of scripts on bytes (lua/bytes.h). Offsets and lengths are those of the input, as the
 * manual has them: an offset below 0 counts from the end. A function that waits begins anew when it
 * goes on, with the values that it was given. */
#include "lua/bytes.h"

#include "lua/object.h"
#include "lua/value.h"
#include "relay/buffer.h"

#include <string.h>

#include <lauxlib.h>

/* ---- buffers ---------------------------------------------------------------------------------- */

/* Room for len bytes in place of cut others. False: there is none, or no memory. */
static bool make_room(struct buf **buf, size_t cut, size_t len)
{
	if (!*buf) {
		*buf = len <= buffer_size() ? buffer_take() : NULL;
		return *buf;
	}
	if (buffer_is_small(*buf) && len > cut && !buffer_grow(buf))
		return false;
	return (*buf)->size - (*buf)->len + cut >= len;
}

bool buf_replace(struct buf **buf, size_t at, size_t cut, const char *bytes, size_t len)
{
	struct buf *b;

	if (!cut && !len)
		return true;
	if (!make_room(buf, cut, len))
		return false;
	b = *buf;
	if (b->head && len > cut) {
		memmove(b->data, buf_first(b), b->len);
		b->head = 0;
	}
	memmove(buf_first(b) + at + len, buf_first(b) + at + cut, b->len - at - cut);
	memcpy(buf_first(b) + at, bytes, len);
	b->len += (uint32_t)(len - cut);
	if (!b->len)
		buffer_give(buf);
	return true;
}

/* ---- offsets and lengths ---------------------------------------------------------------------- */

size_t bytes_input(const struct script_bytes *b)
{
	return *b->buf ? (*b->buf)->len - *b->out : 0;
}

static const char *input(const struct script_bytes *b)
{
	return *b->buf ? buf_first(*b->buf) + *b->out : "";
}

/* The argument at `at`, or 0: from the begin of the input. */
static size_t offset_at(lua_State *L, int at, size_t have)
{
	lua_Integer offset = lua_isnone(L, at) ? 0 : luaL_checkinteger(L, at);

	if (offset < 0)
		return (lua_Integer)have + offset < 0 ? 0 : have - (size_t)-offset;
	if ((lua_Unsigned)offset > have)
		luaL_error(L, "offset out of range.");
	return (size_t)offset;
}

/* The argument at `at`, or all that is behind the offset. */
static size_t length_at(lua_State *L, int at, size_t have, size_t offset)
{
	lua_Integer len = lua_isnone(L, at) ? (lua_Integer)(have - offset) : luaL_checkinteger(L, at);

	if (len < 0 || (lua_Unsigned)len > have - offset)
		luaL_error(L, "length out of range.");
	return (size_t)len;
}

static void cut(const struct script_bytes *b, size_t at, size_t len)
{
	buf_replace(b->buf, *b->out + at, len, "", 0);
}

/* In place of len bytes. What the functions that put bytes return. */
static int put(lua_State *L, const struct script_bytes *b, size_t at, size_t len, struct span text)
{
	bool fits = buf_replace(b->buf, *b->out + at, len, text.ptr, text.len);

	lua_pushinteger(L, fits ? (lua_Integer)text.len : -1);
	return 1;
}

static void pass(lua_State *L, const struct script_bytes *b, size_t len)
{
	*b->out += (uint32_t)len;
	if (len && b->passed)
		b->passed(L);
}

/* ---- looking ---------------------------------------------------------------------------------- */

enum { ALL = -1 };

/* Is what was asked for not there yet? wanted: bytes behind the offset; ALL: as many as can be; no
 * argument (none): any at all. A buffer that is full has all that there can be. */
static bool lacks(const struct script_bytes *b, size_t offset, lua_Integer wanted, bool none)
{
	size_t have = bytes_input(b);

	if (!b->more || !b->waits || (*b->buf && !buffer_room(*b->buf)))
		return false;
	if (none)
		return !have;
	return wanted == ALL || (lua_Integer)(have - offset) < wanted;
}

struct wanted {
	size_t offset, len;
};

/* offset and length at 2 and 3. False: the script has to wait first. */
static bool wanted_at(lua_State *L, const struct script_bytes *b, struct wanted *w)
{
	size_t have = bytes_input(b);
	lua_Integer len = ALL;

	w->offset = offset_at(L, 2, have);
	if (!lua_isnone(L, 3))
		len = luaL_checkinteger(L, 3);
	if (len < ALL)
		luaL_error(L, "length out of range.");
	if (lacks(b, w->offset, len, lua_isnone(L, 3)))
		return false;
	w->len = have - w->offset;
	if (len != ALL && (size_t)len < w->len)
		w->len = (size_t)len;
	return true;
}

/* Is there nothing, and will nothing come? Then functions return nil. */
static bool over(lua_State *L, const struct script_bytes *b)
{
	if (bytes_input(b) || b->more)
		return false;
	lua_pushnil(L);
	return true;
}

static bytes_find *found(lua_KContext ctx)
{
	return (bytes_find *)ctx; /* NOLINT: functions go through waits as numbers */
}

static int data_on(lua_State *L, int status, lua_KContext ctx)
{
	struct script_bytes b;
	struct wanted w;

	(void)status;
	found(ctx)(L, &b);
	if (!wanted_at(L, &b, &w))
		return b.wait(L, data_on, ctx);
	if (!over(L, &b))
		lua_pushlstring(L, input(&b) + w.offset, w.len);
	return 1;
}

int bytes_data(lua_State *L, bytes_find *find, const char *name)
{
	arguments_check(L, name, 1, 3);
	return data_on(L, LUA_OK, (lua_KContext)find);
}

/* Up to the line feed, if there is one. */
static size_t line_of(const char *bytes, size_t len)
{
	const char *end = memchr(bytes, '\n', len);

	return end ? (size_t)(end + 1 - bytes) : len;
}

static bool has_line(const struct script_bytes *b, size_t offset)
{
	size_t have = bytes_input(b);

	return offset < have && memchr(input(b) + offset, '\n', have - offset);
}

static int line_on(lua_State *L, int status, lua_KContext ctx)
{
	struct script_bytes b;
	struct wanted w;

	(void)status;
	found(ctx)(L, &b);
	if (!wanted_at(L, &b, &w)) {
		w.offset = offset_at(L, 2, bytes_input(&b));
		if (!has_line(&b, w.offset))
			return b.wait(L, line_on, ctx);
		w.len = bytes_input(&b) - w.offset;
	}
	if (!over(L, &b))
		lua_pushlstring(L, input(&b) + w.offset, line_of(input(&b) + w.offset, w.len));
	return 1;
}

int bytes_line(lua_State *L, bytes_find *find)
{
	arguments_check(L, "line", 1, 3);
	return line_on(L, LUA_OK, (lua_KContext)find);
}

/* ---- changing --------------------------------------------------------------------------------- */

int bytes_append(lua_State *L, bytes_find *find)
{
	struct script_bytes b;

	arguments_check(L, "append", 2, 2);
	find(L, &b);
	return put(L, &b, bytes_input(&b), 0, value_span(L, 2));
}

int bytes_prepend(lua_State *L, bytes_find *find)
{
	struct script_bytes b;

	arguments_check(L, "prepend", 2, 2);
	find(L, &b);
	return put(L, &b, 0, 0, value_span(L, 2));
}

int bytes_insert(lua_State *L, bytes_find *find)
{
	struct script_bytes b;
	struct span text;

	arguments_check(L, "insert", 2, 3);
	find(L, &b);
	text = value_span(L, 2);
	return put(L, &b, offset_at(L, 3, bytes_input(&b)), 0, text);
}

int bytes_set(lua_State *L, bytes_find *find)
{
	struct script_bytes b;
	size_t offset, len, have;
	struct span text;

	arguments_check(L, "set", 2, 4);
	find(L, &b);
	have = bytes_input(&b);
	text = value_span(L, 2);
	offset = offset_at(L, 3, have);
	len = length_at(L, 4, have, offset);
	return put(L, &b, offset, len, text);
}

int bytes_remove(lua_State *L, bytes_find *find)
{
	struct script_bytes b;
	size_t offset, len, have;

	arguments_check(L, "remove", 1, 3);
	find(L, &b);
	have = bytes_input(&b);
	offset = offset_at(L, 2, have);
	len = length_at(L, 3, have, offset);
	cut(&b, offset, len);
	lua_pushinteger(L, (lua_Integer)len);
	return 1;
}

/* ---- letting go ------------------------------------------------------------------------------- */

/* On the stack: the object, bytes that are to go (-1: all that there are), those that have gone. */
static int forward_on(lua_State *L, int status, lua_KContext ctx)
{
	lua_Integer wanted = lua_tointeger(L, 2), gone = lua_tointeger(L, 3);
	struct script_bytes b;
	size_t n;

	(void)status;
	found(ctx)(L, &b);
	n = bytes_input(&b);
	if (wanted >= 0 && n > (size_t)(wanted - gone))
		n = (size_t)(wanted - gone);
	pass(L, &b, n);
	gone += (lua_Integer)n;
	lua_settop(L, 2);
	lua_pushinteger(L, gone);
	if (gone < wanted && b.more && b.waits)
		return b.wait(L, forward_on, ctx);
	return 1;
}

int bytes_forward(lua_State *L, bytes_find *find)
{
	lua_Integer wanted;

	arguments_check(L, "forward", 2, 2);
	wanted = luaL_checkinteger(L, 2);
	lua_settop(L, 1);
	lua_pushinteger(L, wanted < 0 ? -1 : wanted);
	lua_pushinteger(L, 0);
	return forward_on(L, LUA_OK, (lua_KContext)find);
}

/* How many bytes more can be held: a small buffer becomes a large one. */
static size_t room(const struct buf *buf)
{
	if (!buf)
		return buffer_size();
	return (buffer_is_small(buf) ? buffer_size() : buf->size) - buf->len;
}

/* On the stack: the object, the text, how much of it has gone. */
static int send_on(lua_State *L, int status, lua_KContext ctx)
{
	size_t done = (size_t)lua_tointeger(L, 3), n;
	struct script_bytes b;
	struct span text;

	(void)status;
	do { /* what leaves at once makes room */
		found(ctx)(L, &b);
		text = value_span(L, 2);
		n = room(*b.buf);
		if (n > text.len - done)
			n = text.len - done;
		if (!buf_replace(b.buf, *b.out, 0, text.ptr + done, n))
			return luaL_error(L, "not enough memory");
		pass(L, &b, n);
		done += n;
	} while (n && done < text.len);
	lua_settop(L, 2);
	lua_pushinteger(L, (lua_Integer)done);
	if (done == text.len)
		return 1;
	if (b.waits)
		return b.wait(L, send_on, ctx);
	if (!done)
		lua_pushinteger(L, -1);
	return 1;
}

int bytes_send(lua_State *L, bytes_find *find)
{
	arguments_check(L, "send", 2, 2);
	value_span(L, 2);
	lua_pushinteger(L, 0);
	return send_on(L, LUA_OK, (lua_KContext)find);
}

/* ---- older functions --------------------------------------------------------------------------- */

static int get_on(lua_State *L, int status, lua_KContext ctx)
{
	struct script_bytes b;
	size_t n;

	(void)status;
	found(ctx)(L, &b);
	n = bytes_input(&b);
	if (!n && b.more && b.waits)
		return b.wait(L, get_on, ctx);
	if (over(L, &b))
		return 1;
	lua_pushlstring(L, input(&b), n);
	if (lua_toboolean(L, 2))
		cut(&b, 0, n);
	return 1;
}

int bytes_get(lua_State *L, bytes_find *find, bool keep)
{
	arguments_check(L, keep ? "dup" : "get", 1, 1);
	lua_pushboolean(L, !keep);
	return get_on(L, LUA_OK, (lua_KContext)find);
}

static int getline_on(lua_State *L, int status, lua_KContext ctx)
{
	struct script_bytes b;
	size_t n;

	(void)status;
	found(ctx)(L, &b);
	if (!has_line(&b, 0) && b.more && b.waits && !(*b.buf && !buffer_room(*b.buf)))
		return b.wait(L, getline_on, ctx);
	if (over(L, &b))
		return 1;
	n = line_of(input(&b), bytes_input(&b));
	lua_pushlstring(L, input(&b), n);
	cut(&b, 0, n);
	return 1;
}

int bytes_getline(lua_State *L, bytes_find *find)
{
	arguments_check(L, "getline", 1, 1);
	return getline_on(L, LUA_OK, (lua_KContext)find);
}
