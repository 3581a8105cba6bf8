/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Reply: an answer that a script describes, in a table that it may as well write by itself.
 * And how such a table becomes the answer of an exchange. Called by scripts, and by txn:done. */
#include "lua/reply.h"

#include "base/arena.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "exchange/reply.h"
#include "http/chars.h"
#include "http/message.h"
#include "lua/classes.h"
#include "lua/value.h"
#include "relay/buffer.h"

#include <lauxlib.h>

enum { STATUS_DEFAULT = 200, STATUS_LEAST = 200, STATUS_MOST = 999 };

/* ---- from the table to the answer ----------------------------------------------------------- */

/* What is made of it so far. All memory is the exchange's: an error of Lua loses nothing. */
struct making {
	struct exchange *x;
	struct reply *reply;
	size_t room; /* for what is still to come */
	bool wrong;  /* it cannot be a response */
};

/* A string of the table in memory that lasts, where there is room for it. */
static struct span keep(struct making *m, struct span text)
{
	const struct span none = { "", 0 };

	if (text.len > m->room) {
		m->wrong = true;
		return none;
	}
	m->room -= text.len;
	return arena_keep(m->x->arena, text);
}

static bool is_value(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (!char_is(text.ptr[i], CHAR_VALUE))
			return false;
	return true;
}

/* The string in a field of the table at 2. False: there is none. */
static bool string_of(lua_State *L, const char *name, struct span *text)
{
	bool found = lua_getfield(L, 2, name) == LUA_TSTRING;

	if (found)
		text->ptr = lua_tolstring(L, -1, &text->len); /* the table keeps it */
	lua_pop(L, 1);
	return found;
}

/* One value. Where a message ends, and whether the connection goes on, is not the script's to say;
 * it may ask for the end. */
static void add_field(struct making *m, struct span name, struct span value)
{
	if (!span_is_token(name) || !is_value(value)) {
		m->wrong = true;
		return;
	}
	if (action_name_frames(name))
		return;
	if (field_id(name) == FIELD_CONNECTION) {
		if (!list_has_token(value, span_of("close")))
			return;
		value = span_of("close");
	}
	name = keep(m, name);
	value = keep(m, value);
	reply_add(m->x, m->reply, name, value);
}

/* The values of one name: the table on top of the stack. */
static void add_values(lua_State *L, struct making *m, struct span name)
{
	lua_pushnil(L);
	while (!m->wrong && lua_next(L, -2)) {
		if (lua_isstring(L, -1))
			add_field(m, name, value_span(L, -1));
		lua_pop(L, 1);
	}
}

static void add_fields(lua_State *L, struct making *m)
{
	struct span name;

	if (lua_getfield(L, 2, "headers") != LUA_TTABLE)
		return;
	lua_pushnil(L);
	while (!m->wrong && lua_next(L, -2)) {
		if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1)) {
			name = value_span(L, -2);
			add_values(L, m, name);
			lua_settop(L, 5); /* the reply, headers, name, values */
		}
		lua_pop(L, 1);
	}
}

static unsigned status_of(lua_State *L, struct making *m)
{
	lua_Integer status = STATUS_DEFAULT;

	if (lua_getfield(L, 2, "status") == LUA_TNUMBER)
		status = lua_tointeger(L, -1);
	lua_pop(L, 1);
	m->wrong |= status < STATUS_LEAST || status > STATUS_MOST;
	return m->wrong ? STATUS_DEFAULT : (unsigned)status;
}

/* "": there is no usual one. */
static const char *usual_reason(lua_Integer status)
{
	return status > 0 && status <= STATUS_MOST ? status_reason((unsigned)status) : "";
}

static const char *reason_of(lua_Integer status)
{
	const char *usual = usual_reason(status);

	return *usual ? usual : "Other";
}

/* The answer instead of one that cannot be: whoever refuses something does not let it pass. */
static struct reply *wrong_reply(struct exchange *x)
{
	struct reply *reply = reply_error(x, 500);

	if (!reply && !x->arena->failed)
		reply = reply_silent(x, 500);
	if (reply)
		reply->ends = END_UNWRITTEN;
	return reply;
}

struct reply *reply_of_table(lua_State *L, struct exchange *x)
{
	struct making m = { .x = x, .room = buffer_size() };
	struct span text;

	lua_settop(L, 2);
	luaL_checkstack(L, 10, "a reply");
	m.reply = reply_new(x, status_of(L, &m), NULL, (struct span){ NULL, 0 });
	if (!m.reply)
		return NULL;
	m.reply->reason = span_of(reason_of(m.reply->status));
	if (string_of(L, "reason", &text)) {
		m.wrong |= !is_value(text);
		m.reply->reason = keep(&m, text);
	}
	add_fields(L, &m);
	lua_settop(L, 2);
	if (string_of(L, "body", &text))
		m.reply->body = keep(&m, text);
	return m.wrong ? wrong_reply(x) : m.reply;
}

/* ---- the class ------------------------------------------------------------------------------ */

static void set_status(lua_State *L, int at, lua_Integer status, const char *reason)
{
	at = lua_absindex(L, at);
	lua_pushinteger(L, status);
	lua_setfield(L, at, "status");
	lua_pushstring(L, reason);
	lua_setfield(L, at, "reason");
}

static int reply_set_status(lua_State *L)
{
	lua_Integer status;
	const char *reason;

	luaL_checktype(L, 1, LUA_TTABLE);
	status = luaL_checkinteger(L, 2);
	reason = luaL_optstring(L, 3, "");
	if (!*reason)
		reason = usual_reason(status);
	if (*reason)
		set_status(L, 1, status, reason);
	lua_pushboolean(L, 1);
	return 1;
}

/* The table `headers`, on the stack. */
static void push_headers(lua_State *L)
{
	if (lua_getfield(L, 1, "headers") == LUA_TTABLE)
		return;
	lua_pop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_setfield(L, 1, "headers");
}

static int reply_add_header(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checkstring(L, 2);
	luaL_checkstring(L, 3);
	push_headers(L);
	lua_pushvalue(L, 2);
	if (lua_gettable(L, -2) != LUA_TTABLE) {
		lua_pop(L, 1);
		lua_newtable(L);
		lua_pushvalue(L, 2);
		lua_pushvalue(L, -2);
		lua_settable(L, -4);
	}
	lua_pushvalue(L, 3);
	lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
	lua_pushboolean(L, 1);
	return 1;
}

static int reply_del_header(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checkstring(L, 2);
	push_headers(L);
	lua_pushvalue(L, 2);
	lua_pushnil(L);
	lua_settable(L, -3);
	lua_pushboolean(L, 1);
	return 1;
}

static int reply_set_body(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checkstring(L, 2);
	lua_pushvalue(L, 2);
	lua_setfield(L, 1, "body");
	lua_pushboolean(L, 1);
	return 1;
}

static const struct class_method methods[] = {
	{ "set_status", reply_set_status, "status [, reason]", "true",
	  "the status; without a reason its usual one", 0 },
	{ "add_header", reply_add_header, "name, value", "true", "one header more", 0 },
	{ "del_header", reply_del_header, "name", "true", "all headers of the name go", 0 },
	{ "set_body", reply_set_body, "body", "true", "what follows the head", 0 },
	{ 0 },
};

const struct class reply_class = {
	"Reply", methods, .help = "an answer that a script gives: txn:done(reply)",
	.where = "actions",
};

/* ---- txn:reply ------------------------------------------------------------------------------ */

/* Lists of a table of headers as lists of another one: only what is like a list of strings. At the
 * top: the new table, the given one. */
static void copy_headers(lua_State *L)
{
	int to = lua_gettop(L) - 1, from = to + 1;
	lua_Integer i;

	lua_pushnil(L);
	while (lua_next(L, from)) {
		lua_pushvalue(L, -2);
		lua_newtable(L);
		if (lua_istable(L, -3)) {
			for (i = 1; lua_rawgeti(L, -3, i) != LUA_TNIL; i++)
				lua_rawseti(L, -2, i);
			lua_pop(L, 1);
		} else {
			lua_pushvalue(L, -3);
			lua_rawseti(L, -2, 1);
		}
		lua_rawset(L, to);
		lua_pop(L, 1);
	}
}

/* The reply is at the top, what was given is at 2. */
static void copy_given(lua_State *L)
{
	int reply = lua_gettop(L);
	lua_Integer status;

	if (lua_getfield(L, 2, "status") == LUA_TNUMBER) {
		status = lua_tointeger(L, -1);
		set_status(L, reply, status, reason_of(status));
	}
	if (lua_getfield(L, 2, "reason") == LUA_TSTRING)
		lua_setfield(L, reply, "reason");
	if (lua_getfield(L, 2, "body") == LUA_TSTRING)
		lua_setfield(L, reply, "body");
	lua_getfield(L, reply, "headers");
	if (lua_getfield(L, 2, "headers") == LUA_TTABLE)
		copy_headers(L);
	lua_settop(L, reply);
}

int txn_reply(lua_State *L)
{
	lua_settop(L, 2);
	lua_createtable(L, 0, 4);
	set_status(L, -1, STATUS_DEFAULT, reason_of(STATUS_DEFAULT));
	lua_newtable(L);
	lua_setfield(L, -2, "headers");
	lua_rawgetp(L, LUA_REGISTRYINDEX, &reply_class);
	lua_setmetatable(L, -2);
	luaL_checkstack(L, 12, "a reply");
	if (lua_istable(L, 2))
		copy_given(L);
	return 1;
}
