/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTPClient: a request of a script over a connection of its own. It is a walk over the
 * methods of a socket (lua/socket.h), each called in a way that can wait; what outlives a wait lies on
 * the stack. The response is read by the codec of http/, as strictly as those of servers.
 *
 * What goes wrong on the way is an answer, too: 503, 502 or 504, as a client would see it. */
#include "http/chars.h"
#include "http/h1.h"
#include "http/uri.h"
#include "lua/classes.h"
#include "lua/httpclient.h"
#include "lua/pieces.h"
#include "lua/script.h"
#include "lua/socket.h"
#include "lua/value.h"
#include "relay/buffer.h"

#include <string.h>

#include <lauxlib.h>

static const char client_kind;

/* The stack of a request under way. TOLD: of the head, later the pieces of the body. */
enum { CLIENT = 1, REQUEST, SOCKET, TEXT, TOLD, ANSWER, CHUNKS, STACK = CHUNKS };
enum step { CONNECTED, SENT, HEAD, BODY };

enum { FIELDS = 101, CHUNK_ENDS = 5 };

/* Of the response's body: a userdata. */
struct body {
	enum method method;   /* that was asked */
	uint8_t framing;      /* enum body_framing */
	uint64_t left;        /* BODY_LENGTH */
	struct h1_chunks chunks;
};

/* ---- answers of ours ------------------------------------------------------------------------ */

static const struct {
	unsigned status;
	const char *reason, *text;
} answers[] = {
#define REPLY(n, phrase, flags, sentence) { n, phrase, sentence },
#include "exchange/reply_builtin.def"
#undef REPLY
};

static void set_header(lua_State *L, const char *name, const char *value)
{
	lua_createtable(L, 1, 0);
	lua_pushstring(L, value);
	lua_rawseti(L, -2, 0);
	lua_setfield(L, -2, name);
}

static int answer_error(lua_State *L, unsigned status)
{
	char length[24];
	unsigned i = 0;

	while (answers[i].status != status)
		i++;
	lua_createtable(L, 0, 4);
	lua_pushinteger(L, status);
	lua_setfield(L, -2, "status");
	lua_pushstring(L, answers[i].reason);
	lua_setfield(L, -2, "reason");
	lua_pushfstring(L, "<html><body><h1>%d %s</h1>\n%s\n</body></html>\n", (int)status,
			answers[i].reason, answers[i].text);
	snprintf(length, sizeof(length), "%zu", (size_t)lua_rawlen(L, -1));
	lua_setfield(L, -2, "body");
	lua_createtable(L, 0, 3);
	set_header(L, "content-length", length);
	set_header(L, "cache-control", "no-cache");
	set_header(L, "content-type", "text/html");
	lua_setfield(L, -2, "headers");
	return 1;
}

/* ---- the request ---------------------------------------------------------------------------- */

static bool has_control(struct span text)
{
	return memchr(text.ptr, '\r', text.len) || memchr(text.ptr, '\n', text.len) ||
	       memchr(text.ptr, 0, text.len);
}

/* Those that frame the body are ours. */
static bool is_framing(struct span name)
{
	return span_equal_nocase(name, span_of("content-length")) ||
	       span_equal_nocase(name, span_of("transfer-encoding")) ||
	       span_equal_nocase(name, span_of("connection"));
}

/* One line, into the pieces at TOLD. */
static void add_field(lua_State *L, struct span name, struct span value)
{
	if (!span_is_token(name) || has_control(value))
		luaL_error(L, "invalid header in 'headers'");
	if (is_framing(name))
		return;
	value_push_lower(L, name);
	lua_rawseti(L, TOLD, (lua_Integer)lua_rawlen(L, TOLD) + 1);
	pieces_add(L, TOLD, ": ", 2);
	pieces_add(L, TOLD, value.ptr, value.len);
	pieces_add(L, TOLD, "\r\n", 2);
}

/* A name and its list lie on top. What is no list is passed over, as the reference does. */
static void add_values(lua_State *L)
{
	struct span name, value;
	int list = lua_gettop(L);
	size_t i, count;

	if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1))
		return;
	name.ptr = lua_tolstring(L, -2, &name.len);
	count = lua_rawlen(L, list);
	for (i = 0; i <= count; i++) {
		if (lua_rawgeti(L, list, (lua_Integer)i) == LUA_TSTRING || lua_isnumber(L, -1)) {
			value.ptr = lua_tolstring(L, -1, &value.len);
			add_field(L, name, value);
		}
		lua_pop(L, 1);
	}
}

static bool given(lua_State *L, const char *name)
{
	bool found = false;

	if (lua_getfield(L, REQUEST, "headers") == LUA_TTABLE) {
		for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
			struct span key = { NULL, 0 };

			if (lua_type(L, -2) == LUA_TSTRING)
				key.ptr = lua_tolstring(L, -2, &key.len);
			found |= key.ptr && span_equal_nocase(key, span_of(name)) && lua_istable(L, -1);
		}
	}
	lua_pop(L, 1);
	return found;
}

static void add_fields(lua_State *L, struct span authority)
{
	if (lua_getfield(L, REQUEST, "headers") == LUA_TTABLE)
		for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
			add_values(L);
	lua_pop(L, 1);
	if (!given(L, "host"))
		add_field(L, span_of("host"), authority);
	if (!given(L, "accept"))
		add_field(L, span_of("accept"), span_of("*/*"));
	if (!given(L, "user-agent"))
		add_field(L, span_of("user-agent"), span_of("HAProxy"));
}

/* A body leaves as one chunk: its length is known, but this is how the reference sends it. */
static void add_body(lua_State *L)
{
	char line[20];
	struct span body;
	size_t n;

	if (lua_getfield(L, REQUEST, "body") == LUA_TSTRING) {
		body.ptr = lua_tolstring(L, -1, &body.len);
		n = h1_chunk_line(line, body.len);
		pieces_add(L, TOLD, "transfer-encoding: chunked\r\n\r\n", 30);
		if (body.len) {
			pieces_add(L, TOLD, line, n);
			lua_pushvalue(L, -1);
			lua_rawseti(L, TOLD, (lua_Integer)lua_rawlen(L, TOLD) + 1);
			pieces_add(L, TOLD, "\r\n", 2);
		}
		pieces_add(L, TOLD, "0\r\n\r\n", CHUNK_ENDS);
	} else {
		pieces_add(L, TOLD, "\r\n", 2);
	}
	lua_pop(L, 1);
}

/* Bytes that would be two words, or two lines. */
static bool is_target(struct span text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 127)
			return false;
	return true;
}

/* The request's text, at TEXT. */
static void write_request(lua_State *L, const char *method, const struct uri *uri)
{
	lua_newtable(L);
	lua_replace(L, TOLD);
	pieces_add(L, TOLD, method, strlen(method));
	pieces_add(L, TOLD, " ", 1);
	if (uri->path.len)
		pieces_add(L, TOLD, uri->path.ptr, uri->path.len);
	else
		pieces_add(L, TOLD, "/", 1);
	if (uri->query.ptr) {
		pieces_add(L, TOLD, "?", 1);
		pieces_add(L, TOLD, uri->query.ptr, uri->query.len);
	}
	pieces_add(L, TOLD, " HTTP/1.1\r\n", 11);
	add_fields(L, uri->authority);
	add_body(L);
	pieces_push(L, TOLD);
	lua_replace(L, TEXT);
	lua_newtable(L);
	lua_replace(L, TOLD);
}

/* ---- the response --------------------------------------------------------------------------- */

static void push_headers(lua_State *L, const struct message *msg)
{
	unsigned i;

	lua_newtable(L);
	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			value_add_field(L, msg->fields[i].name, msg->fields[i].value);
}

/* The table of the answer, but for its body. */
static void take_head(lua_State *L, const struct message *msg)
{
	struct body *body = lua_touserdata(L, CHUNKS);

	body->framing = msg->framing;
	body->left = msg->length;
	lua_createtable(L, 0, 4);
	lua_pushinteger(L, msg->status);
	lua_setfield(L, -2, "status");
	lua_pushlstring(L, msg->reason.ptr, msg->reason.len);
	lua_setfield(L, -2, "reason");
	push_headers(L, msg);
	lua_setfield(L, -2, "headers");
	lua_replace(L, ANSWER);
}

/* Looks at the head so far, the string on top, which is popped. What is behind it stays on top.
 * H1_INCOMPLETE: more is to come; the string stays. */
static enum h1_result parse_head(lua_State *L, enum method method)
{
	struct field fields[FIELDS];
	struct h1_parser parser;
	struct message_error error;
	struct message msg;
	enum h1_result r;
	size_t len;
	const char *bytes = lua_tolstring(L, -1, &len);

	for (;;) {
		memset(&parser, 0, sizeof(parser));
		message_init(&msg, true, fields, FIELDS);
		r = h1_response_head(&parser, bytes, len, 0, method, &msg, &error);
		if (r != H1_DONE)
			return r == H1_INCOMPLETE && len < buffer_size() ? r : H1_BAD;
		bytes += msg.head_len;
		len -= msg.head_len;
		if (!(msg.flags & MSG_INTERIM))
			break;
	}
	if (msg.framing == BODY_TUNNEL)
		return H1_BAD;
	message_strip_hops(&msg, false);
	take_head(L, &msg);
	lua_pushlstring(L, bytes, len);
	lua_remove(L, -2);
	return H1_DONE;
}

/* Bytes of chunks, on top, become those of the body. True: it is complete. *bad: no chunks. */
static bool take_chunks(lua_State *L, struct body *body, bool *bad)
{
	struct message_error error;
	size_t len, used, payload = 0;
	const char *bytes = lua_tolstring(L, -1, &len);
	enum h1_result r;
	luaL_Buffer b;
	char *copy;

	copy = luaL_buffinitsize(L, &b, len);
	memcpy(copy, bytes, len);
	r = h1_chunks_decode(&body->chunks, copy, len, &used, &payload, &error);
	luaL_pushresultsize(&b, payload);
	lua_rawseti(L, TOLD, (lua_Integer)lua_rawlen(L, TOLD) + 1);
	*bad = r == H1_BAD;
	return r == H1_DONE;
}

/* Bytes of the body, on top; popped. True: it is complete. */
static bool take_body(lua_State *L, bool *bad)
{
	struct body *body = lua_touserdata(L, CHUNKS);
	bool done = false;
	size_t len;
	const char *bytes = lua_tolstring(L, -1, &len);

	*bad = false;
	switch (body->framing) {
	case BODY_LENGTH:
		if (len > body->left)
			len = (size_t)body->left;
		pieces_add(L, TOLD, bytes, len);
		body->left -= len;
		done = !body->left;
		break;
	case BODY_CHUNKED:
		done = take_chunks(L, body, bad);
		break;
	case BODY_CLOSE:
		pieces_add(L, TOLD, bytes, len);
		break;
	default:
		done = true;
	}
	lua_pop(L, 1);
	return done;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* What a step says, unless it is how many results the request has: the socket's function lies on top,
 * with its arguments. */
enum { CALL = -1 };

static int close_with(lua_State *L, unsigned status)
{
	socket_close_at(L, SOCKET);
	return answer_error(L, status);
}

static int finish(lua_State *L)
{
	socket_close_at(L, SOCKET);
	pieces_push(L, TOLD);
	lua_setfield(L, ANSWER, "body");
	lua_pushvalue(L, ANSWER);
	return 1;
}

static int receive(lua_State *L)
{
	lua_settop(L, STACK);
	method_push(L, &socket_class, socket_receive_some, 0);
	lua_pushvalue(L, SOCKET);
	return CALL;
}

static int send_text(lua_State *L)
{
	lua_settop(L, STACK);
	method_push(L, &socket_class, socket_send, 0);
	lua_pushvalue(L, SOCKET);
	lua_pushvalue(L, TEXT);
	return CALL;
}

/* What has come lies behind the stack: a string, or nil and whether the time was over. */
static int ended(lua_State *L, enum step step)
{
	const struct body *body = lua_touserdata(L, CHUNKS);

	if (lua_toboolean(L, -1))
		return close_with(L, 504);
	if (step == BODY && body->framing == BODY_CLOSE)
		return finish(L);
	return close_with(L, 502);
}

static int body_on(lua_State *L)
{
	bool bad, done = take_body(L, &bad);

	if (bad)
		return close_with(L, 502);
	return done ? finish(L) : receive(L);
}

static int head_on(lua_State *L, enum step *step)
{
	const struct body *body = lua_touserdata(L, CHUNKS);

	lua_rawseti(L, TOLD, (lua_Integer)lua_rawlen(L, TOLD) + 1);
	pieces_push(L, TOLD);
	switch (parse_head(L, body->method)) {
	case H1_DONE:
		break;
	case H1_INCOMPLETE:
		return receive(L);
	case H1_FULL:
	case H1_BAD:
		return close_with(L, 502);
	}
	*step = BODY;
	lua_newtable(L);
	lua_replace(L, TOLD);
	return body_on(L);
}

/* Two results of the last call lie on top. */
static int go_on(lua_State *L, enum step *step)
{
	switch (*step) {
	case CONNECTED:
		*step = SENT;
		return lua_isnil(L, -2) ? close_with(L, 503) : send_text(L);
	case SENT: /* a server may answer before it has read all */
		*step = HEAD;
		return receive(L);
	case HEAD:
	case BODY:
		break;
	}
	if (lua_isnil(L, -2))
		return ended(L, *step);
	lua_pop(L, 1);
	return *step == HEAD ? head_on(L, step) : body_on(L);
}

/* A call that does not wait returns here, so that the depth of calls does not grow with the body. */
static int walk(lua_State *L, int status, lua_KContext ctx)
{
	enum step step = (enum step)ctx;
	int said;

	(void)status;
	while ((said = go_on(L, &step)) == CALL)
		lua_callk(L, lua_gettop(L) - STACK - 1, 2, step, walk);
	return said;
}

/* ---- methods -------------------------------------------------------------------------------- */

static void check_type(lua_State *L, const char *key, const char *wanted, int type, const char *is)
{
	if (!strcmp(key, wanted) && lua_type(L, -1) != type)
		luaL_error(L, "invalid parameter in '%s', must be a %s", wanted, is);
}

static const char *const known[] = { "url", "headers", "body", "dst", "timeout" };

/* A copy in its place: a metatable may give another value each time that it is asked, and ours have to
 * last. */
static void keep_request(lua_State *L)
{
	unsigned i;

	lua_createtable(L, 0, ARRAY_LEN(known));
	for (i = 0; i < ARRAY_LEN(known); i++) {
		lua_getfield(L, REQUEST, known[i]);
		lua_setfield(L, -2, known[i]);
	}
	lua_replace(L, REQUEST);
}

static void check_request(lua_State *L, const char *method)
{
	const char *key;
	unsigned i;

	if (!lua_istable(L, REQUEST))
		luaL_error(L, "'%s' needs a table as argument", method);
	for (lua_pushnil(L); lua_next(L, REQUEST); lua_pop(L, 1)) {
		key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
		for (i = 0; i < ARRAY_LEN(known) && strcmp(known[i], key) != 0; i++)
			;
		if (i == ARRAY_LEN(known))
			luaL_error(L, "'%s' invalid parameter name", key);
	}
	keep_request(L);
	for (lua_pushnil(L); lua_next(L, REQUEST); lua_pop(L, 1)) {
		key = lua_tostring(L, -2);
		check_type(L, key, "url", LUA_TSTRING, "string");
		check_type(L, key, "headers", LUA_TTABLE, "table");
		check_type(L, key, "body", LUA_TSTRING, "string");
		check_type(L, key, "dst", LUA_TSTRING, "string");
		check_type(L, key, "timeout", LUA_TNUMBER, "number");
	}
	if (lua_getfield(L, REQUEST, "url") != LUA_TSTRING)
		luaL_error(L, "'%s' need a 'url' argument", method);
	lua_pop(L, 1);
}

/* Arguments of connect, on top; how many. 0: the name is none that can be reached. */
static int push_address(lua_State *L, const struct uri *uri)
{
	struct span host;
	unsigned port = 0;

	if (lua_getfield(L, REQUEST, "dst") == LUA_TSTRING) {
		if (!socket_address_good(lua_tostring(L, -1), false))
			luaL_error(L, "Can't use the 'dst' argument");
		return 1;
	}
	lua_pop(L, 1);
	if (!host_split(uri->authority, &host, &port) || !host.len)
		luaL_error(L, "couldn't start the httpclient");
	lua_pushlstring(L, host.ptr, host.len);
	lua_pushinteger(L, port ? port : 80);
	if (socket_address_good(lua_tostring(L, -2), true))
		return 2;
	lua_pop(L, 2);
	return 0;
}

static void split_url(lua_State *L, struct uri *uri)
{
	struct span url;

	lua_getfield(L, REQUEST, "url");
	url.ptr = lua_tolstring(L, -1, &url.len);
	lua_pop(L, 1); /* it stays in the table */
	if (!is_target(url) || !uri_split(url, uri) || !uri->scheme.ptr)
		luaL_error(L, "couldn't start the httpclient");
	if (span_equal_nocase(uri->scheme, span_of("https")))
		luaL_error(L, "the httpclient does not speak https");
}

static void prepare(lua_State *L, enum method method)
{
	struct body *body;

	socket_tcp(L);
	lua_replace(L, SOCKET);
	if (lua_getfield(L, REQUEST, "timeout") == LUA_TNUMBER)
		socket_timeout_at(L, SOCKET, lua_tonumber(L, -1));
	lua_pop(L, 1);
	body = lua_newuserdatauv(L, sizeof(*body), 0);
	memset(body, 0, sizeof(*body));
	body->method = method;
	body->chunks.response = true;
	lua_replace(L, CHUNKS);
}

static int request(lua_State *L, const char *name, enum method method)
{
	struct uri uri;
	int words;

	object_of(L, CLIENT, &client_kind);
	lua_settop(L, REQUEST);
	check_request(L, name);
	lua_settop(L, STACK);
	split_url(L, &uri);
	prepare(L, method);
	write_request(L, method_span(method).ptr, &uri);
	lua_settop(L, STACK);
	method_push(L, &socket_class, socket_connect, 0);
	lua_pushvalue(L, SOCKET);
	words = span_equal_nocase(uri.scheme, span_of("http")) ? push_address(L, &uri) : 0;
	if (!words)
		return close_with(L, 503);
	lua_callk(L, 1 + words, 2, CONNECTED, walk);
	return walk(L, LUA_OK, CONNECTED);
}

static int client_get(lua_State *L)
{
	return request(L, "get", METHOD_GET);
}

static int client_head(lua_State *L)
{
	return request(L, "head", METHOD_HEAD);
}

static int client_put(lua_State *L)
{
	return request(L, "put", METHOD_PUT);
}

static int client_post(lua_State *L)
{
	return request(L, "post", METHOD_POST);
}

static int client_delete(lua_State *L)
{
	return request(L, "delete", METHOD_DELETE);
}

/* core.httpclient() */
int httpclient_new(lua_State *L)
{
	if (!script_now)
		return luaL_error(L, "core.httpclient: there is none while the files are read");
	handle_new(L, &client_kind, (void *)&client_kind);
	object_new(L, &httpclient_class, -1, 0);
	return 1;
}

#define REQUEST_ROW(name, text)                                                                \
	{ #name, client_##name, "{ url = ..., headers = ..., body = ..., dst = ..., timeout = ms }", \
	  "{ status, reason, headers, body }", "asks " text, METHOD_WAITS }

static const struct class_method methods[] = {
	REQUEST_ROW(get, "GET"), REQUEST_ROW(head, "HEAD"), REQUEST_ROW(put, "PUT"),
	REQUEST_ROW(post, "POST"), REQUEST_ROW(delete, "DELETE"),
	{ 0 },
};

const struct class httpclient_class = {
	"HTTPClient", methods,
	.help = "asks servers by http://ADDRESS; other names need a dst; what fails is answered by "
		"503, 502 or 504",
};
