/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTPClient: a request of a script is one of the program's own (client/own_request.h), for
 * which the script waits. What outlives a wait lies on the stack. The request is there, too, as a
 * slot to be closed: it ends with the call, however the script ends.
 *
 * What goes wrong on the way is an answer, too: 503, 502 or 504, as a client would see it, or 400,
 * which says what is wrong with the request. */
#include "client/own_request.h"
#include "client/client_conf.h"
#include "http/chars.h"
#include "http/message.h"
#include "http/uri.h"
#include "lua/classes.h"
#include "lua/httpclient.h"
#include "lua/pieces.h"
#include "lua/script.h"
#include "lua/socket.h"
#include "lua/value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

static const char client_kind, asked_kind;

/* The stack of a request under way. BODY: of the answer: nil, a string, or a table of pieces. */
enum { CLIENT = 1, REQUEST, URL, TEXT, BODY, ANSWER, ASKED, STACK = ASKED };

enum { TURN_PIECES = 16 /* then others go first */ };

/* A userdata. */
struct lua_request {
	struct own_request own;
	struct script *waiter; /* NULL: nobody waits */
	unsigned pieces;
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

/* text: NULL: the status says all. */
static int answer_error(lua_State *L, unsigned status, const char *text)
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
			answers[i].reason, text ? text : answers[i].text);
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

/* What is being written: memory that the next request uses again, unless it was much. */
static struct {
	char *ptr;
	size_t len, size;
} out;

enum { OUT_FIRST = 1024, OUT_KEPT = 65536 };

static void put(lua_State *L, const char *bytes, size_t len)
{
	size_t size = out.size ? out.size : OUT_FIRST;
	char *more;

	while (size - out.len < len)
		size *= 2;
	if (size > out.size) {
		more = realloc(out.ptr, size);
		if (!more)
			luaL_error(L, "not enough memory");
		out.ptr = more;
		out.size = size;
	}
	if (len)
		memcpy(out.ptr + out.len, bytes, len);
	out.len += len;
}

static void out_begin(void)
{
	out.len = 0;
	if (out.size <= OUT_KEPT)
		return;
	free(out.ptr);
	out.ptr = NULL;
	out.size = 0;
}

/* Without metamethods: while it is read, no code of scripts runs. */
static int request_field(lua_State *L, const char *name)
{
	lua_pushstring(L, name);
	return lua_rawget(L, REQUEST);
}

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

static void add_field(lua_State *L, struct span name, struct span value)
{
	size_t i;
	char c;

	if (!span_is_token(name) || has_control(value))
		luaL_error(L, "invalid header in 'headers'");
	if (is_framing(name))
		return;
	for (i = 0; i < name.len; i++) {
		c = (char)tolower((unsigned char)name.ptr[i]);
		put(L, &c, 1);
	}
	put(L, ": ", 2);
	put(L, value.ptr, value.len);
	put(L, "\r\n", 2);
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

	if (request_field(L, "headers") == LUA_TTABLE) {
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
	if (request_field(L, "headers") == LUA_TTABLE)
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

/* The body's length is known, but chunks are how the reference sends it. */
static void add_framing(lua_State *L)
{
	if (request_field(L, "body") == LUA_TSTRING)
		put(L, "transfer-encoding: chunked\r\n", 28);
	lua_pop(L, 1);
	put(L, "\r\n", 2);
}

/* The request's head, at TEXT. */
static void write_request(lua_State *L, const char *method, const struct uri *uri)
{
	out_begin();
	put(L, method, strlen(method));
	put(L, " ", 1);
	if (uri->path.len)
		put(L, uri->path.ptr, uri->path.len);
	else
		put(L, "/", 1);
	if (uri->query.ptr) {
		put(L, "?", 1);
		put(L, uri->query.ptr, uri->query.len);
	}
	put(L, " HTTP/1.1\r\n", 11);
	add_fields(L, uri->authority);
	add_framing(L);
	lua_pushlstring(L, out.ptr, out.len);
	lua_replace(L, TEXT);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* The table of the answer, but for its body. */
static void take_head(lua_State *L, const struct message *msg)
{
	unsigned i;

	lua_createtable(L, 0, 4);
	lua_pushinteger(L, msg->status);
	lua_setfield(L, -2, "status");
	lua_pushlstring(L, msg->reason.ptr, msg->reason.len);
	lua_setfield(L, -2, "reason");
	lua_newtable(L);
	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			value_add_field(L, msg->fields[i].name, msg->fields[i].value);
	lua_setfield(L, -2, "headers");
	lua_replace(L, ANSWER);
}

/* Most bodies are one piece, which needs no table. */
static void take_piece(lua_State *L, struct span piece)
{
	if (!piece.len)
		return;
	if (lua_isnil(L, BODY)) {
		lua_pushlstring(L, piece.ptr, piece.len);
		lua_replace(L, BODY);
		return;
	}
	if (!lua_istable(L, BODY)) {
		lua_newtable(L);
		lua_pushvalue(L, BODY);
		lua_rawseti(L, -2, 1);
		lua_replace(L, BODY);
	}
	pieces_add(L, BODY, piece.ptr, piece.len);
}

static int finish(lua_State *L)
{
	if (lua_istable(L, BODY))
		pieces_push(L, BODY);
	else if (lua_isnil(L, BODY))
		lua_pushliteral(L, "");
	else
		lua_pushvalue(L, BODY);
	lua_setfield(L, ANSWER, "body");
	lua_pushvalue(L, ANSWER);
	return 1;
}

/* ---- the walk ------------------------------------------------------------------------------- */

/* A script that has waited and is over has ended its request. */
static void ready(struct own_request *own)
{
	struct lua_request *asked = own->owner;

	if (asked->waiter)
		script_ready(asked->waiter);
}

/* Another script may have closed the coroutine in which one waits: that one has to hear of it. */
static void end_request(void *memory)
{
	struct lua_request *asked = memory;

	script_turn_out(&asked->waiter);
	own_request_end(&asked->own);
}

static int walk(lua_State *L, int status, lua_KContext ctx);

static int wait(lua_State *L, struct lua_request *asked, int64_t ms)
{
	if (asked->waiter) { /* whose coroutine this one has resumed */
		script_turn_out(&asked->waiter);
		return luaL_error(L, "another script waits for this answer");
	}
	if (script_may_wait(L))
		script_note(script_now, &asked->waiter);
	return script_sleep(L, ms, walk, 0);
}

static int walk(lua_State *L, int status, lua_KContext ctx)
{
	struct lua_request *asked = lua_touserdata(L, ASKED);
	struct own_request *own = &asked->own;

	(void)status;
	(void)ctx;
	for (;;) {
		switch (own_request_go(own)) {
		case OWN_WAITS:
			return wait(L, asked, 0);
		case OWN_HEAD:
			take_head(L, &own->msg);
			break;
		case OWN_PIECE:
			take_piece(L, own->piece);
			if (++asked->pieces % TURN_PIECES == 0)
				return wait(L, asked, SCRIPT_TURN);
			break;
		case OWN_DONE:
			return finish(L);
		case OWN_FAILED:
			return answer_error(L, own_status(own->fault),
					    own->fault == OWN_UNSAID ? own->why : NULL);
		}
	}
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
	if (request_field(L, "url") != LUA_TSTRING)
		luaL_error(L, "'%s' need a 'url' argument", method);
	lua_pop(L, 1);
}

/* dst: where it goes, whatever the URL says. */
static void take_dst(lua_State *L, struct own_target *target)
{
	if (request_field(L, "dst") == LUA_TSTRING &&
	    !socket_address(lua_tostring(L, -1), &target->to, &target->to_len))
		luaL_error(L, "Can't use the 'dst' argument");
	lua_pop(L, 1);
}

/* False: it speaks another protocol, and nobody could be asked. The text is kept at URL: the table is the
 * script's, which may change it meanwhile. */
static bool take_url(lua_State *L, struct uri *uri, struct own_target *target)
{
	const char *wrong;
	struct span url;

	request_field(L, "url");
	lua_replace(L, URL);
	url.ptr = lua_tolstring(L, URL, &url.len);
	memset(uri, 0, sizeof(*uri));
	wrong = own_url(url, uri, target);
	if (wrong && uri->scheme.ptr && !span_equal_nocase(uri->scheme, span_of("http")) &&
	    !span_equal_nocase(uri->scheme, span_of("https")))
		return false;
	if (wrong)
		luaL_error(L, "couldn't start the httpclient");
	if (target->tls && client_tls_off())
		luaL_error(L, "couldn't start the httpclient: %s", client_tls_off());
	return true;
}

static unsigned take_timeout(lua_State *L)
{
	lua_Number ms = 0;

	if (request_field(L, "timeout") == LUA_TNUMBER)
		ms = lua_tonumber(L, -1);
	else
		ms = -1;
	lua_pop(L, 1);
	if (!(ms >= 0))
		return 0;
	return ms < 1 ? 1 : ms > INT32_MAX ? INT32_MAX : (unsigned)ms;
}

/* On top of the stack; from here on it ends with the call. */
static struct lua_request *push_request(lua_State *L)
{
	struct lua_request *asked = collected_new(L, sizeof(*asked), &asked_kind, end_request);

	asked->own.owner = asked;
	asked->own.ready = ready;
	lua_toclose(L, -1);
	return asked;
}

/* They stay: the one at TEXT, the other one in the table at REQUEST. */
static struct own_words take_words(lua_State *L, enum method method)
{
	struct own_words words = { .method = method };

	words.head.ptr = lua_tolstring(L, TEXT, &words.head.len);
	if (request_field(L, "body") == LUA_TSTRING)
		words.body.ptr = lua_tolstring(L, -1, &words.body.len);
	lua_pop(L, 1);
	return words;
}

static int request(lua_State *L, const char *name, enum method method)
{
	struct own_target target;
	struct lua_request *asked;
	struct own_words words;
	struct uri uri;

	object_of(L, CLIENT, &client_kind);
	lua_settop(L, REQUEST);
	check_request(L, name);
	lua_settop(L, ANSWER);
	if (!take_url(L, &uri, &target))
		return answer_error(L, 503, NULL);
	take_dst(L, &target);
	write_request(L, method_span(method).ptr, &uri);
	words = take_words(L, method);
	asked = push_request(L);
	own_request_begin(&asked->own, &target, &words,
			  (struct own_limits){ .silence_ms = take_timeout(L) });
	return walk(L, LUA_OK, 0);
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
	.help = "asks servers by http:// and https://; what fails is answered by 503, 502 or 504, "
		"a request that is none by 400",
	.where = "scripts that may wait: actions, services, tasks, commands",
};
