/* SPDX-License-Identifier: BSD-2-Clause */
/* The class AppletHTTP: a service that answers a request in the place of a server. What the request
 * says is kept in the exchange's arena when it is written to our end; the object's fields are made
 * of it when the script asks for them, as most scripts look at one or two. Status and fields of the
 * response are collected in the exchange's arena until start_response; then head_in gives them. The
 * body is framed by us: by the length that the script announces, which it has to keep, else as the
 * client's protocol does. */
#include "base/arena.h"
#include "base/kind.h"
#include "base/result.h"
#include "exchange/exchange.h"
#include "http/chars.h"
#include "http/uri.h"
#include "lua/applet.h"
#include "lua/classes.h"
#include "lua/sample_calls.h"
#include "lua/stream.h"
#include "lua/txn.h"
#include "lua/value.h"
#include "relay/buffer.h"

#include <string.h>

#include <lauxlib.h>

struct head_field {
	struct head_field *next;
	struct span name, value;
};

/* Of the request. */
struct asked {
	struct span method, path, query;
	uint8_t major, minor;
	uint64_t length;
	unsigned count;
	struct { struct span name, value; } fields[];
};

struct applet_head {
	const struct asked *asked; /* NULL: none yet */
	unsigned status;
	struct span reason;       /* ptr NULL: the usual one */
	struct head_field *first, **last;
	size_t size;              /* bytes of the fields */
	const char *too_large;    /* the field that does not fit; NULL: all do */
	uint64_t length, sent;    /* of the body; that of BODY_LENGTH */
	bool has_length, closes;
	bool started;
};

/* ---- the request ---------------------------------------------------------------------------- */

static void push_headers(lua_State *L, const struct asked *asked)
{
	unsigned i;

	lua_newtable(L);
	for (i = 0; i < asked->count; i++)
		value_add_field(L, asked->fields[i].name, asked->fields[i].value);
}

static void push_text(lua_State *L, struct span text)
{
	lua_pushlstring(L, text.ptr ? text.ptr : "", text.len);
}

/* The field of that name; false: there is none. */
static bool push_field(lua_State *L, const struct asked *asked, const char *name)
{
	if (!strcmp(name, "path"))
		push_text(L, asked->path);
	else if (!strcmp(name, "headers"))
		push_headers(L, asked);
	else if (!strcmp(name, "method"))
		push_text(L, asked->method);
	else if (!strcmp(name, "qs"))
		push_text(L, asked->query);
	else if (!strcmp(name, "length"))
		lua_pushinteger(L, (lua_Integer)asked->length);
	else if (!strcmp(name, "version"))
		lua_pushfstring(L, "HTTP/%d.%d", asked->major, asked->minor);
	else
		return false;
	return true;
}

/* It is kept in the object, as scripts may change it. */
static int field(lua_State *L)
{
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";

	if (!push_field(L, applet_of(L, 1)->head->asked, name))
		return calls_field(L);
	lua_pushvalue(L, 2);
	lua_pushvalue(L, -2);
	lua_rawset(L, 1);
	return 1;
}

static struct span copy(char **to, struct span text)
{
	struct span kept = { *to, text.len };

	if (text.len)
		memcpy(*to, text.ptr, text.len);
	*to += text.len;
	return kept;
}

static size_t text_size(const struct message *msg)
{
	size_t size = msg->method_text.len + msg->target.len;
	unsigned i;

	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			size += msg->fields[i].name.len + msg->fields[i].value.len;
	return size;
}

/* In one piece of the arena. NULL: no memory. */
static struct asked *keep_request(struct arena *arena, const struct message *msg)
{
	size_t fields = msg->count * sizeof(((struct asked *)NULL)->fields[0]);
	struct asked *asked = arena_alloc(arena, sizeof(*asked) + fields + text_size(msg));
	struct uri uri = { 0 };
	const struct field *f;
	char *to;

	if (!asked)
		return NULL;
	to = (char *)asked + sizeof(*asked) + fields;
	uri_split(msg->target, &uri);
	*asked = (struct asked){ .major = msg->major, .minor = msg->minor };
	asked->method = copy(&to, msg->method_text);
	asked->path = copy(&to, uri.path);
	asked->query = copy(&to, uri.query);
	for (f = msg->fields; f < msg->fields + msg->count; f++) {
		if (!f->name.ptr)
			continue;
		asked->fields[asked->count].name = copy(&to, f->name);
		asked->fields[asked->count++].value = copy(&to, f->value);
	}
	return asked;
}

/* Of chunks, what has come already: nobody knows more. */
static uint64_t body_length(struct end *end, const struct message *msg)
{
	struct end *client = end_peer(end);
	bool final;

	if (msg->framing == BODY_LENGTH)
		return msg->length;
	if (msg->framing != BODY_CHUNKED)
		return 0;
	DROPPED(end_body_in(client), "what has come is enough: nobody waits for more");
	return end_body(client, &final).len;
}

static enum io head_out(struct end *end, struct message *msg)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));
	uint64_t length = body_length(end, msg);
	struct asked *asked = keep_request(a->stream->exchange->arena, msg);

	if (!asked)
		return IO_ERR;
	asked->length = length;
	a->head->asked = asked;
	applet_begin(a, &applet_http_class);
	return IO_OK;
}

/* ---- the response --------------------------------------------------------------------------- */

static bool has_no_body(const struct exchange *x, unsigned status)
{
	return x->asked == METHOD_HEAD || status == 204 || status == 304;
}

static bool add_fields(const struct applet_head *head, struct exchange *x, struct message *msg)
{
	const struct head_field *f;

	for (f = head->first; f; f = f->next)
		if (!message_add(msg, x->arena, f->name, f->value))
			return false;
	return true;
}

static enum io head_in(struct end *end, struct message *msg)
{
	struct applet *a = KIND_OF(struct applet, end_applet(end));
	struct applet_head *head = a->head;
	struct exchange *x = a->stream->exchange;

	if (!head->started)
		return IO_AGAIN;
	message_init(msg, true, msg->fields, msg->max);
	msg->major = msg->minor = 1;
	msg->flags |= MSG_KEEP_ALIVE;
	message_set_status(msg, head->status, head->reason);
	msg->framing = a->bare ? BODY_NONE : head->has_length ? BODY_LENGTH : BODY_CLOSE;
	if (msg->framing == BODY_LENGTH)
		msg->length = head->length;
	if (head->closes)
		msg->flags |= MSG_CLOSES;
	if (!a->out && !a->over)
		a->flags &= (uint16_t)~CONN_READABLE;
	return add_fields(head, x, msg) ? IO_OK : IO_ERR;
}

static const struct message_ops applet_ops = {
	.end = {
		.name = "lua",
		.recv = applet_recv,
		.send = applet_send,
		.finish = applet_finish,
		.close = applet_close,
		.busy = applet_busy,
	},
	.head_in = head_in,
	.head_out = head_out,
};

int applet_open_http(struct end *end, struct stream *s, const struct service *service)
{
	struct applet_head *head = arena_alloc(s->exchange->arena, sizeof(*head));
	struct applet *a = head ? applet_new(end, s, service, &applet_ops.end, true) : NULL;

	if (!a)
		return -1;
	head->status = 200;
	head->last = &head->first;
	a->head = head;
	return 0;
}

bool applet_head_started(const struct applet *a)
{
	return a->head->started;
}

bool applet_head_cut(const struct applet *a)
{
	const struct applet_head *head = a->head;

	return head->has_length && !a->bare && head->sent < head->length;
}

void applet_head_send(lua_State *L, struct applet *a, size_t n)
{
	struct applet_head *head = a->head;

	if (!head->started)
		luaL_error(L, "Lua: 'send' you must call start_response() before sending data.");
	if (head->has_length && !a->bare && n > head->length - head->sent)
		luaL_error(L, "'send': this is more than the content-length that was announced");
	head->sent += n;
}

/* ---- methods -------------------------------------------------------------------------------- */

static struct span keep(lua_State *L, struct arena *arena, struct span text)
{
	struct span kept = arena_keep(arena, text);

	if (arena->failed)
		luaL_error(L, "not enough memory");
	return kept;
}

static struct span keep_lower(lua_State *L, struct arena *arena, struct span name)
{
	char *to = arena_alloc(arena, name.len);
	size_t i;

	if (!to)
		luaL_error(L, "not enough memory");
	for (i = 0; i < name.len; i++)
		to[i] = char_lower(name.ptr[i]);
	return (struct span){ to, name.len };
}

static bool has_line_end(struct span text)
{
	return memchr(text.ptr, '\r', text.len) || memchr(text.ptr, '\n', text.len) ||
	       memchr(text.ptr, 0, text.len);
}

/* Once the head has left nothing is changed any more. */
static int set_status(lua_State *L)
{
	struct applet *a = applet_of(L, 1);
	struct applet_head *head = a->head;
	lua_Integer status = luaL_checkinteger(L, 2);
	struct span reason = { NULL, 0 };

	if (!lua_isnoneornil(L, 3))
		reason = value_span(L, 3);
	luaL_argcheck(L, !reason.ptr || (reason.len < 256 && !has_line_end(reason)), 3,
		      "this cannot be a reason");
	if (status >= 200 && status <= 599 && !head->started) {
		head->status = (unsigned)status;
		head->reason = reason.ptr ? keep(L, a->stream->exchange->arena, reason) : reason;
	}
	lua_pushboolean(L, status >= 200 && status <= 599);
	return 1;
}

static bool is(const struct head_field *f, const char *name)
{
	return span_equal_nocase(f->name, span_of(name));
}

static int add_header(lua_State *L)
{
	struct applet *a = applet_of(L, 1);
	struct applet_head *head = a->head;
	struct arena *arena = a->stream->exchange->arena;
	struct span name = value_span(L, 2), value = value_span(L, 3);
	struct head_field *f;

	luaL_argcheck(L, span_is_token(name), 2, "this cannot be the name of a header");
	luaL_argcheck(L, !has_line_end(value), 3, "this cannot be the value of a header");
	lua_pushboolean(L, 1);
	if (head->started || head->too_large)
		return 1;
	name = keep_lower(L, arena, name);
	head->size += name.len + value.len + 4;
	if (head->size > buffer_size() - buffer_reserve) {
		head->too_large = name.ptr;
		return 1;
	}
	value = keep(L, arena, value);
	f = arena_alloc(arena, sizeof(*f));
	if (!f)
		return luaL_error(L, "not enough memory");
	*f = (struct head_field){ NULL, name, span_trimmed(value) };
	*head->last = f;
	head->last = &f->next;
	return 1;
}

static void take_length(lua_State *L, struct applet *a, struct span value)
{
	struct applet_head *head = a->head;
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < value.len && i < 19 && value.ptr[i] >= '0' && value.ptr[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(value.ptr[i] - '0');
	if (!i || i < value.len || (head->has_length && head->length != n))
		luaL_error(L, "Lua applet http '%s': Invalid 'content-length' header.",
			   a->service->shown);
	head->has_length = true;
	head->length = n;
}

/* Fields that frame the body, or speak of the connection, are ours: what they say is noted. Does
 * the field stay? The length does, once. */
static bool take_framing(lua_State *L, struct applet *a, const struct head_field *f)
{
	struct applet_head *head = a->head;
	bool again = head->has_length;

	if (is(f, "content-length")) {
		take_length(L, a, f->value);
		return !again && head->status != 204;
	}
	if (is(f, "transfer-encoding") && !span_equal_nocase(f->value, span_of("chunked")))
		luaL_error(L, "'start_response': a 'transfer-encoding' other than chunked");
	if (is(f, "connection"))
		head->closes = list_has_token(f->value, span_of("close"));
	return !is(f, "transfer-encoding") && !is(f, "connection") && !is(f, "keep-alive") &&
	       !is(f, "proxy-connection");
}

static int start_response(lua_State *L)
{
	struct applet *a = applet_of(L, 1);
	struct applet_head *head = a->head;
	struct head_field **at = &head->first;

	if (head->started)
		return luaL_error(L, "'start_response': the response has begun already");
	if (head->too_large)
		return luaL_error(L, "Lua applet http '%s': Failed to add header '%s' in the response.",
				  a->service->shown, head->too_large);
	while (*at) {
		if (take_framing(L, a, *at))
			at = &(*at)->next;
		else
			*at = (*at)->next;
	}
	a->bare = has_no_body(a->stream->exchange, head->status);
	head->started = true;
	return 0;
}

static const struct class_method methods[] = {
	{ "set_status", set_status, "code [, reason]", "boolean",
	  "the status of the response, from 200 to 599; 200 unless it is set", 0 },
	{ "add_header", add_header, "name, value", "boolean",
	  "one more header of the response; content-length is the length that is sent", 0 },
	{ "start_response", start_response, "", NULL, "sends status and headers", 0 },
	{ "send", applet_send_method, "text", "integer", "sends a part of the body", METHOD_WAITS },
	{ "getline", applet_getline, "", "string",
	  "a line of the request's body; without an end it was the last; empty: nothing is left",
	  METHOD_WAITS },
	{ "receive", applet_receive, "[size]", "string",
	  "so many bytes of the request's body, or all; fewer at its end", METHOD_WAITS },
	TXN_METHODS_OF_STREAMS,
	{ 0 },
};

const struct class applet_http_class = {
	"AppletHTTP", methods, field,
	.help = "a request to a service: method, version, path, qs, length, headers; and its response",
	.where = "services of mode http, by the script that was given the object",
};
