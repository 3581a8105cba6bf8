/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTP: the heads of the stream's exchange. Functions of the request (req_*) are for the
 * actions of requests, those of the response (res_*) for the actions of responses; elsewhere they
 * raise. Changes are those of rules (exchange/edit.h): what would not fit is counted as a rewriting
 * that has failed. Names and values that are none raise. */
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

#include <ctype.h>

#include <lauxlib.h>

enum side { REQUEST, RESPONSE };

/* ---- whom it is about ----------------------------------------------------------------------- */

/* The head, for an action of that side. What runs beside actions may look at heads, but changes
 * nothing under those who work on them. */
static struct message *head_to_change(lua_State *L, const struct stream_scripts *ss, enum side side)
{
	const struct view_http *http = ss->view->http;
	struct message *msg = !http ? NULL : side == REQUEST ? http->request : http->response;

	if (!msg || !stream_acts(ss, side == REQUEST ? AT_REQUESTS : AT_RESPONSE))
		luaL_error(L, "this is for actions of %s", side == REQUEST ? "requests" : "responses");
	return msg;
}

static const struct message *head_to_read(lua_State *L, enum side side)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);
	const struct view_http *http = ss->view->http;
	unsigned where = side == REQUEST ? AT_REQUESTS : AT_RESPONSE;
	const struct message *msg = !http ? NULL : side == REQUEST ? http->request : http->response;

	if (!msg || !(ss->place & where))
		luaL_error(L, "there is no head of a %s here", side == REQUEST ? "request" : "response");
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

static void push_lower(lua_State *L, struct span name)
{
	luaL_Buffer b;
	size_t i;
	char *to = luaL_buffinitsize(L, &b, name.len);

	for (i = 0; i < name.len; i++)
		to[i] = (char)tolower((unsigned char)name.ptr[i]);
	luaL_pushresultsize(&b, name.len);
}

/* The list of a name, which is on the stack, in the table below it: in place of the name. */
static void push_list(lua_State *L)
{
	lua_pushvalue(L, -1);
	if (lua_rawget(L, -3) == LUA_TTABLE) {
		lua_remove(L, -2);
		return;
	}
	lua_pop(L, 1);
	lua_newtable(L);
	lua_pushvalue(L, -2);
	lua_pushvalue(L, -2);
	lua_rawset(L, -5);
	lua_remove(L, -2);
}

/* Values are counted from 0, as the manual has it. */
static void add_value(lua_State *L, struct span value)
{
	lua_Integer n = 0;

	if (lua_rawgeti(L, -1, 0) != LUA_TNIL)
		n = (lua_Integer)lua_rawlen(L, -2) + 1;
	lua_pop(L, 1);
	lua_pushlstring(L, value.ptr, value.len);
	lua_rawseti(L, -2, n);
}

static int get_headers(lua_State *L, enum side side)
{
	const struct message *msg;
	const struct field *f;

	arguments_check(L, side == REQUEST ? "req_get_headers" : "res_get_headers", 1, 1);
	msg = head_to_read(L, side);
	lua_newtable(L);
	for (f = msg->fields; f < msg->fields + msg->count; f++) {
		if (!f->name.ptr)
			continue;
		push_lower(L, f->name);
		push_list(L);
		add_value(L, f->value);
		lua_pop(L, 1);
	}
	return 1;
}

/* ---- changes of headers --------------------------------------------------------------------- */

/* Copies that stay as long as the head does. False: no memory. */
static bool keep(struct arena *arena, struct span *name, struct span *value)
{
	*name = arena_keep(arena, *name);
	*value = arena_keep(arena, *value);
	return !arena->failed;
}

static int put_header(lua_State *L, enum side side, const char *function, bool set)
{
	struct stream_scripts *ss;
	struct span name, value;
	struct message *msg;
	struct arena *arena;

	arguments_check(L, function, 3, 3);
	ss = stream_of_object(L, 1);
	msg = head_to_change(L, ss, side);
	arena = ss->stream->exchange->arena;
	name = name_at(L);
	value = value_at(L, 3);
	rewritten(ss, action_fits(msg, name.len + value.len + 4) && keep(arena, &name, &value) &&
		      (set ? edit_set : edit_add)(msg, arena, name, value));
	return 0;
}

static int del_header(lua_State *L, enum side side, const char *function)
{
	struct stream_scripts *ss;

	arguments_check(L, function, 2, 2);
	ss = stream_of_object(L, 1);
	edit_delete(head_to_change(L, ss, side), name_at(L));
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

static int compiled_gc(lua_State *L)
{
	struct compiled *p = lua_touserdata(L, 1);

	if (p->regex)
		regex_forget(p->regex);
	arena_free(&p->arena);
	return 0;
}

/* On the stack. */
static struct compiled *compiled_new(lua_State *L)
{
	return collected_new(L, sizeof(struct compiled), &compiled_class, compiled_gc);
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

static int rep_header(lua_State *L, enum side side, const char *function, bool elements)
{
	struct stream_scripts *ss;
	const struct regex *regex;
	struct message *msg;
	struct span name, by;

	arguments_check(L, function, 4, 4);
	ss = stream_of_object(L, 1);
	msg = head_to_change(L, ss, side);
	name = name_at(L);
	by = value_at(L, 4);
	regex = regex_at(L);
	rewritten(ss, edit_replace(msg, ss->stream->exchange->arena, name, regex, by, elements));
	return 0;
}

/* ---- start lines ---------------------------------------------------------------------------- */

static int set_part(lua_State *L, enum edit_part part)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct span text;
	bool worked;

	head_to_change(L, ss, REQUEST);
	text = value_span(L, 2);
	worked = edit_request(part, ss->view, text);
	rewritten(ss, worked);
	lua_pushboolean(L, worked);
	return 1;
}

/* A status of an interim response is none of the last one. */
enum { STATUS_LEAST = 200, STATUS_MOST = 999 };

static int res_set_status(lua_State *L)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct message *msg = head_to_change(L, ss, RESPONSE);
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

/* ---- the class ------------------------------------------------------------------------------ */

#define BOTH(name, call)                                                                      \
	static int req_##name(lua_State *L) { return call(REQUEST, "req_" #name); }            \
	static int res_##name(lua_State *L) { return call(RESPONSE, "res_" #name); }
#define GET(side, function) get_headers(L, side)
#define ADD(side, function) put_header(L, side, function, false)
#define SET(side, function) put_header(L, side, function, true)
#define DEL(side, function) del_header(L, side, function)
#define REP(side, function) rep_header(L, side, function, false)
#define REP_ELEMENTS(side, function) rep_header(L, side, function, true)

BOTH(get_headers, GET)
BOTH(add_header, ADD)
BOTH(set_header, SET)
BOTH(del_header, DEL)
BOTH(rep_header, REP)
BOTH(rep_value, REP_ELEMENTS)

#define PART(name, part)                                                                      \
	static int req_##name(lua_State *L) { return set_part(L, part); }

PART(set_method, EDIT_METHOD)
PART(set_path, EDIT_PATH)
PART(set_query, EDIT_QUERY)
PART(set_uri, EDIT_URI)

static const struct class_method methods[] = {
	{ "req_get_headers", req_get_headers, "", "table",
	  "values of the request by name in lower case, counted from 0", 0 },
	{ "req_add_header", req_add_header, "name, value", NULL, "one header more", 0 },
	{ "req_set_header", req_set_header, "name, value", NULL, "in place of all of the name", 0 },
	{ "req_del_header", req_del_header, "name", NULL, "all of the name go", 0 },
	{ "req_rep_header", req_rep_header, "name, regex, by", NULL,
	  "values that match are replaced", 0 },
	{ "req_rep_value", req_rep_value, "name, regex, by", NULL,
	  "the same for each element of a list with commas", 0 },
	{ "req_set_method", req_set_method, "method", "boolean", "false: it does not fit", 0 },
	{ "req_set_path", req_set_path, "path", "boolean", "the query stays", 0 },
	{ "req_set_query", req_set_query, "query", "boolean", "without the question mark", 0 },
	{ "req_set_uri", req_set_uri, "uri", "boolean", "the whole target", 0 },
	{ "res_get_headers", res_get_headers, "", "table", "the same of the response", 0 },
	{ "res_add_header", res_add_header, "name, value", NULL, "one header more", 0 },
	{ "res_set_header", res_set_header, "name, value", NULL, "in place of all of the name", 0 },
	{ "res_del_header", res_del_header, "name", NULL, "all of the name go", 0 },
	{ "res_rep_header", res_rep_header, "name, regex, by", NULL,
	  "values that match are replaced", 0 },
	{ "res_rep_value", res_rep_value, "name, regex, by", NULL,
	  "the same for each element of a list with commas", 0 },
	{ "res_set_status", res_set_status, "status [, reason]", NULL,
	  "without a reason its usual one", 0 },
	{ 0 },
};

const struct class http_class = {
	"HTTP", methods, .help = "heads of the request and the response",
};
