/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Channel: the bytes of one direction of a stream, in mode tcp. An action of content
 * rules has those that the rules see, in the buffer of the pump, and may wait for more; a filter
 * has those that have come to it. In mode http it says how many there are, and no more. */
#include "lua/channel.h"

#include "expr/view.h"
#include "lua/classes.h"
#include "lua/script.h"
#include "lua/stream.h"
#include "relay/buffer.h"
#include "relay/chain.h"
#include "relay/pump.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <lauxlib.h>

/* ---- objects ----------------------------------------------------------------------------------
 */

enum { RESPONSE_FIELD = 1 };

void side_push(lua_State *L, int txn, const struct class *class, const char *name, bool response)
{
	txn = lua_absindex(L, txn);
	lua_pushstring(L, name);
	if (lua_rawget(L, txn) != LUA_TNIL)
		return;
	lua_pop(L, 1);
	lua_rawgeti(L, txn, 0);
	object_new(L, class, -1, 1);
	lua_remove(L, -2);
	lua_pushboolean(L, response);
	lua_rawseti(L, -2, RESPONSE_FIELD);
	lua_pushvalue(L, -1);
	lua_setfield(L, txn, name);
}

void channel_push(lua_State *L, int txn, bool response)
{
	side_push(L, txn, &channel_class, response ? "res" : "req", response);
}

bool channel_is_response(lua_State *L, int at)
{
	bool response;

	lua_rawgeti(L, at, RESPONSE_FIELD);
	response = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return response;
}

/* ---- where the bytes are ----------------------------------------------------------------------
 */

static struct pump *pump_of(struct stream_scripts *ss, bool response)
{
	struct relay *relay = &ss->stream->relay;

	return response ? &relay->response : &relay->request;
}

/* Until there are more of them, as rules that look at bytes wait. */
static int wait_bytes(lua_State *L, lua_KFunction k, lua_KContext ctx)
{
	stream_of_object(L, 1)->reads = true;
	return script_sleep(L, 0, k, ctx);
}

/* What is let go leaves at once where it can. */
static void passed(lua_State *L)
{
	channel_flush(stream_of_object(L, 1));
}

/* The pump moves bytes by itself: what is put in goes behind them. */
static void find_open(lua_State *L, struct stream_scripts *ss, struct pump *pump,
		      struct script_bytes *b)
{
	const unsigned over = PUMP_EOF | PUMP_STOPPED | PUMP_WRITE_ERROR;
	static uint32_t all;

	if (pump->flags & over || pump->pipe || (pump->chain && pump->chain->sees))
		luaL_error(L, "the bytes of this side are on their way");
	all = pump->buf ? pump->buf->len : 0;
	*b = (struct script_bytes){ .buf = &pump->buf, .out = &all };
	task_wake(&ss->stream->relay.task);
}

static void find_held(lua_State *L, struct stream_scripts *ss, struct pump *pump,
		      struct script_bytes *b)
{
	bool response = pump->is_response, own = stream_acts(ss, response ? AT_RESPONSE : AT_REQUESTS);
	uint32_t *out = &ss->stream->extra->passed[response];

	if (!pump->buf || *out > pump->buf->len)
		*out = pump->buf ? pump->buf->len : 0;
	*b = (struct script_bytes){ .buf = &pump->buf, .out = out, .wait = wait_bytes, .passed = passed };
	b->more = !(pump->flags & (PUMP_EOF | PUMP_READ_ERROR)) && !(own && ss->place & AT_FINAL);
	b->waits = own && b->more && script_may_wait(L);
}

static void find_filtered(lua_State *L, const struct filter_turn *turn, bool response,
			  struct script_bytes *b)
{
	if (!turn->buf || turn->response != response)
		luaL_error(L, "the bytes of this side are for its tcp_payload");
	*b = (struct script_bytes){ .buf = turn->buf, .out = turn->out, .more = turn->more };
}

static void find(lua_State *L, struct script_bytes *b)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	bool response = channel_is_response(L, 1);
	struct pump *pump = pump_of(ss, response);

	if (ss->turn ? ss->turn->http : ss->stream->exchange != NULL)
		luaL_error(L, "Cannot manipulate channels in HTTP mode.");
	if (ss->turn)
		find_filtered(L, ss->turn, response, b);
	else if (pump->flags & PUMP_OPEN)
		find_open(L, ss, pump, b);
	else
		find_held(L, ss, pump, b);
}

/* How many they are can be asked everywhere. */
static void find_to_look(lua_State *L, struct script_bytes *b)
{
	static struct buf *none;
	static uint32_t zero;
	struct stream_scripts *ss = stream_of_object(L, 1);
	bool response = channel_is_response(L, 1);
	struct pump *pump = pump_of(ss, response);

	*b = (struct script_bytes){ .buf = &none, .out = &zero };
	b->more = !(pump->flags & (PUMP_EOF | PUMP_READ_ERROR));
	if (ss->turn && ss->turn->buf && ss->turn->response == response)
		*b = (struct script_bytes){ ss->turn->buf, ss->turn->out, .more = ss->turn->more };
	else if (!ss->turn && !ss->stream->exchange && !(pump->flags & PUMP_OPEN))
		find_held(L, ss, pump, b);
}

void channel_flush(struct stream_scripts *ss)
{
	uint32_t *out = &ss->stream->extra->passed[1];
	struct pump *pump = &ss->stream->relay.response;
	struct end *client = pump->to;
	size_t sent;

	if (!*out || !pump->buf || pump->flags & PUMP_OPEN || !client->ops ||
	    !(*client->flags & CONN_WRITABLE) || client->framing)
		return;
	if (client->ops->send(client, buf_first(pump->buf), *out, false, &sent) != IO_OK)
		return; /* the pump finds out why */
	pump->calls++;
	relay_stats.writes++;
	relay_stats.copied += sent;
	pump->copied += sent;
	*out -= (uint32_t)sent;
	buf_skip(pump->buf, sent);
	if (!pump->buf->len)
		buffer_give(&pump->buf);
}

/* ---- functions that both classes have ----------------------------------------------------------
 */

int channel_is_resp(lua_State *L)
{
	arguments_check(L, "is_resp", 1, 1);
	stream_of_object(L, 1);
	lua_pushboolean(L, channel_is_response(L, 1));
	return 1;
}

int channel_is_full(lua_State *L, bytes_find *look)
{
	struct script_bytes b;

	arguments_check(L, "is_full", 1, 1);
	look(L, &b);
	lua_pushboolean(L, *b.buf && !buffer_room(*b.buf));
	return 1;
}

int channel_may_recv(lua_State *L, bytes_find *look)
{
	struct script_bytes b;

	arguments_check(L, "may_recv", 1, 1);
	look(L, &b);
	lua_pushboolean(L, b.more);
	return 1;
}

/* ---- the class ---------------------------------------------------------------------------------
 */

static int input_len(lua_State *L, const char *name)
{
	struct stream_scripts *ss = stream_of_object(L, 1);
	struct script_bytes b;
	size_t n;

	arguments_check(L, name, 1, 1);
	find_to_look(L, &b);
	n = bytes_input(&b);
	if (ss->stream->exchange && !(ss->turn && ss->turn->buf))
		n = channel_is_response(L, 1) ? ss->view->response.len : ss->view->request.len;
	lua_pushinteger(L, (lua_Integer)n);
	return 1;
}

static int output_len(lua_State *L, const char *name)
{
	struct script_bytes b;

	arguments_check(L, name, 1, 1);
	find_to_look(L, &b);
	lua_pushinteger(L, *b.out);
	return 1;
}

#define FUNCTION(name, call)                                                                  \
	static int channel_##name(lua_State *L) { return call; }

FUNCTION(input, input_len(L, "input"))
FUNCTION(output, output_len(L, "output"))
FUNCTION(get_in_len, input_len(L, "get_in_len"))
FUNCTION(get_out_len, output_len(L, "get_out_len"))
FUNCTION(full, channel_is_full(L, find_to_look))
FUNCTION(recv, channel_may_recv(L, find_to_look))
FUNCTION(data, bytes_data(L, find, "data"))
FUNCTION(line, bytes_line(L, find))
FUNCTION(append, bytes_append(L, find))
FUNCTION(prepend, bytes_prepend(L, find))
FUNCTION(insert, bytes_insert(L, find))
FUNCTION(set, bytes_set(L, find))
FUNCTION(remove, bytes_remove(L, find))
FUNCTION(forward, bytes_forward(L, find))
FUNCTION(send, bytes_send(L, find))
FUNCTION(dup, bytes_get(L, find, true))
FUNCTION(get, bytes_get(L, find, false))
FUNCTION(getline, bytes_getline(L, find))

static const struct class_method methods[] = {
	{ "input", channel_input, "", "integer", "bytes that wait", 0 },
	{ "output", channel_output, "", "integer", "bytes that were let go and have not left", 0 },
	{ "is_resp", channel_is_resp, "", "boolean", "is it the server's side?", 0 },
	{ "is_full", channel_full, "", "boolean", "is there no room for more?", 0 },
	{ "may_recv", channel_recv, "", "boolean", "may more bytes come?", 0 },
	{ "data", channel_data, "[offset [, length]]", "string or nil",
	  "bytes, which stay; -1: as many as can be, an action waits for them; nil: none will come",
	  METHOD_WAITS },
	{ "line", channel_line, "[offset [, length]]", "string or nil",
	  "the same up to the first line feed", METHOD_WAITS },
	{ "append", channel_append, "text", "integer", "puts it behind the bytes; -1: it does not fit",
	  0 },
	{ "prepend", channel_prepend, "text", "integer", "puts it in front of them", 0 },
	{ "insert", channel_insert, "text [, offset]", "integer", "puts it in between", 0 },
	{ "set", channel_set, "text [, offset [, length]]", "integer", "puts it in their place", 0 },
	{ "remove", channel_remove, "[offset [, length]]", "integer", "takes bytes out", 0 },
	{ "forward", channel_forward, "length", "integer",
	  "lets so many go; an action waits until they have come", METHOD_WAITS },
	{ "send", channel_send, "text", "integer",
	  "lets it go in front of the bytes, as much as there is room for; an action waits for room on its "
	  "own side; -1: there is none",
	  METHOD_WAITS },
	{ "dup", channel_dup, "", "string or nil", "as data", METHOD_WAITS },
	{ "get", channel_get, "", "string or nil", "takes the bytes out and returns them",
	  METHOD_WAITS },
	{ "getline", channel_getline, "", "string or nil", "takes the first line out and returns it",
	  METHOD_WAITS },
	{ "get_in_len", channel_get_in_len, "", "integer", "as input", 0 },
	{ "get_out_len", channel_get_out_len, "", "integer", "as output", 0 },
	{ 0 },
};

const struct class channel_class = {
	"Channel", methods,
	.help = "the bytes of one direction of a stream, for actions and filters of mode tcp",
	.where = "actions and filters",
};
