/* SPDX-License-Identifier: BSD-2-Clause */
/* What scripts read and change in heads (lua/heads.h), as rules do (exchange/edit.h): what would not
 * fit is counted as a rewriting that has failed. Names and values that are none raise. */
#include "lua/heads.h"

#include "base/arena.h"
#include "base/err.h"
#include "exchange/edit.h"
#include "exchange/exchange.h"
#include "exchange/http_action.h"
#include "expr/regex.h"
#include "http/chars.h"
#include "http/message.h"
#include "lua/classes.h"
#include "lua/stream.h"
#include "lua/value.h"

#include <strings.h>

#include <lauxlib.h>

/* ---- whom it is about ----------------------------------------------------------------------- */

/* The head, for an action of that side. What runs beside actions may look at heads, but changes
 * nothing under those who work on them. */
static struct message *head_to_change(lua_State *L, const struct stream_scripts *ss, bool response)
{
	const struct view_http *http = ss->view->http;
	struct message *msg = !http ? NULL : response ? http->response : http->request;

	if (!msg || !stream_edits(ss, response))
		luaL_error(L, "this is for actions of %s, and for http_headers of filters",
			   response ? "responses" : "requests");
	return msg;
}

static const struct message *head_to_read(lua_State *L, bool response)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);
	const struct view_http *http = ss->view->http;
	const struct message *msg = !http ? NULL : response ? http->response : http->request;

	if (!msg || !(ss->place & (response ? AT_RESPONSE : AT_REQUESTS)))
		luaL_error(L, "there is no head of a %s here", response ? "response" : "request");
	return msg;
}

/* The name of a header at 2, which is Lua's. */
static struct span name_at(lua_State *L)
{
	struct span name = value_span(L, 2);

	luaL_argcheck(L, span_is_token(name), 2, "this is no name of a header");
	return name;
}

static struct span value_at(lua_State *L, int at)
{
	struct span value = value_span(L, at);
	size_t i;

	for (i = 0; i < value.len; i++)
		luaL_argcheck(L, char_is(value.ptr[i], CHAR_VALUE), at,
			      "a control character cannot be part of a header");
	return value;
}

static void rewritten(const struct stream_scripts *ss, bool worked)
{
	if (!worked)
		action_count_failed(ss->stream->exchange);
}

/* ---- get_headers ---------------------------------------------------------------------------- */

int heads_get(lua_State *L, bool response, const char *function)
{
	const struct message *msg;
	const struct field *f;

	arguments_check(L, function, 1, 1);
	msg = head_to_read(L, response);
	lua_newtable(L);
	for (f = msg->fields; f < msg->fields + msg->count; f++)
		if (f->name.ptr)
			value_add_field(L, f->name, f->value);
	return 1;
}

/* ---- how long the body is ------------------------------------------------------------------- */

/* A filter that changes a body says how long it is: by Content-Length, or by none. What else says
 * where a message ends stays as it is. The value is at 3. */
static void refit(lua_State *L, struct stream_scripts *ss, struct message *msg, enum field_id id)
{
	struct arena *arena = ss->stream->exchange->arena;
	lua_Integer length;
	int is_length;

	if (id == FIELD_TRANSFER_ENCODING) {
		if (!strcasecmp(luaL_checkstring(L, 3), "chunked"))
			rewritten(ss, message_set_unmeasured(msg, arena));
		return;
	}
	length = lua_tointegerx(L, 3, &is_length);
	luaL_argcheck(L, is_length && length >= 0, 3, "this is no length of a body");
	rewritten(ss, message_set_length(msg, arena, (uint64_t)length));
}

/* ---- changes of headers --------------------------------------------------------------------- */

/* Copies that stay as long as the head does. False: no memory. */
static bool keep(struct arena *arena, struct span *name, struct span *value)
{
	*name = arena_keep(arena, *name);
	*value = arena_keep(arena, *value);
	return !arena->failed;
}

int heads_put(lua_State *L, bool response, const char *function, bool set)
{
	struct stream_scripts *ss;
	struct span name, value;
	struct message *msg;
	struct arena *arena;

	arguments_check(L, function, 3, 3);
	ss = stream_of_object(L, 1);
	msg = head_to_change(L, ss, response);
	arena = ss->stream->exchange->arena;
	name = name_at(L);
	value = value_at(L, 3);
	if (ss->turn && action_name_frames(name)) {
		refit(L, ss, msg, field_id(name));
		return 0;
	}
	rewritten(ss, action_fits(msg, name.len + value.len + 4) && keep(arena, &name, &value) &&
		      (set ? edit_set : edit_add)(msg, arena, name, value));
	return 0;
}

int heads_delete(lua_State *L, bool response, const char *function)
{
	struct stream_scripts *ss;
	struct message *msg;
	struct span name;

	arguments_check(L, function, 2, 2);
	ss = stream_of_object(L, 1);
	msg = head_to_change(L, ss, response);
	name = name_at(L);
	edit_delete(msg, name);
	if (ss->turn && field_id(name) == FIELD_CONTENT_LENGTH)
		rewritten(ss, message_set_unmeasured(msg, ss->stream->exchange->arena));
	return 0;
}

/* ---- regular expressions -------------------------------------------------------------------- */

enum { REGEXES_MOST = 200 };

/* A userdata: it is collected when nobody needs it, whatever raises in between. */
struct compiled {
	struct arena *arena;
	struct regex *regex;
};
static const char regexes, compiled_class;

static void compiled_end(void *memory)
{
	struct compiled *p = memory;

	if (p->regex)
		regex_forget(p->regex);
	arena_free(&p->arena);
}

/* On the stack. */
static struct compiled *compiled_new(lua_State *L)
{
	return collected_new(L, sizeof(struct compiled), &compiled_class, compiled_end);
}

static struct compiled *compile(lua_State *L, struct span text)
{
	struct compiled *p = compiled_new(L);
	struct err err;

	p->arena = arena_new_limited(1024);
	if (p->arena && strlen(text.ptr) == text.len)
		p->regex = regex_compile(text.ptr, false, p->arena, &err);
	luaL_argcheck(L, p->regex, 3, "invalid regex");
	return p;
}

/* The table of what was compiled, by its text; at 1 it has how many there are. On the stack. */
static void push_regexes(lua_State *L)
{
	lua_Integer count = 0;

	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &regexes) == LUA_TTABLE) {
		lua_rawgeti(L, -1, 1);
		count = lua_tointeger(L, -1);
		lua_pop(L, 1);
		if (count < REGEXES_MOST)
			return;
	}
	lua_pop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &regexes);
}

static void count_regex(lua_State *L)
{
	lua_rawgeti(L, -1, 1);
	lua_pushinteger(L, lua_tointeger(L, -1) + 1);
	lua_rawseti(L, -3, 1);
	lua_pop(L, 1);
}

/* Of the text at 3; it stays on the stack, as it is used. */
static const struct regex *regex_at(lua_State *L)
{
	struct span text = value_span(L, 3);
	struct compiled *p;

	push_regexes(L);
	lua_pushvalue(L, 3);
	if (lua_rawget(L, -2) == LUA_TUSERDATA) {
		p = lua_touserdata(L, -1);
		return p->regex;
	}
	lua_pop(L, 1);
	p = compile(L, text);
	lua_pushvalue(L, 3);
	lua_pushvalue(L, -2);
	lua_rawset(L, -4);
	lua_insert(L, -2);
	count_regex(L);
	return p->regex;
}

int heads_replace(lua_State *L, bool response, const char *function, bool elements)
{
	struct stream_scripts *ss;
	const struct regex *regex;
	struct message *msg;
	struct span name, by;

	arguments_check(L, function, 4, 4);
	ss = stream_of_object(L, 1);
	msg = head_to_change(L, ss, response);
	name = name_at(L);
	by = value_at(L, 4);
	regex = regex_at(L);
	rewritten(ss, edit_replace(msg, ss->stream->exchange->arena, name, regex, by, elements));
	return 0;
}

/* ---- start lines ---------------------------------------------------------------------------- */

int heads_set_part(lua_State *L, enum edit_part part)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct span text;
	bool worked;

	head_to_change(L, ss, false);
	text = value_span(L, 2);
	worked = edit_request(part, ss->view, text);
	rewritten(ss, worked);
	lua_pushboolean(L, worked);
	return 1;
}

/* A status of an interim response is none of the last one. */
enum { STATUS_LEAST = 200, STATUS_MOST = 999 };

int heads_set_status(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct message *msg = head_to_change(L, ss, true);
	lua_Integer status = luaL_checkinteger(L, 2);
	struct span reason = { NULL, 0 };

	luaL_argcheck(L, status >= STATUS_LEAST && status <= STATUS_MOST, 2,
		      "a status from 200 to 999 is expected");
	if (!lua_isnoneornil(L, 3)) {
		reason = value_at(L, 3);
		if (!action_fits(msg, reason.len)) {
			rewritten(ss, false);
			return 0;
		}
		reason = arena_keep(ss->stream->exchange->arena, reason);
	} else if (!*status_reason((unsigned)status)) {
		reason = span_of("Other");
	}
	message_set_status(msg, (unsigned)status, reason);
	return 0;
}

