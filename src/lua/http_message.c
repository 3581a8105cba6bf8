/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTPMessage: the request or the response, for filters. Its head is there in
 * http_headers, its bytes in http_payload. */
#include "lua/http_message.h"

#include "exchange/exchange.h"
#include "expr/view.h"
#include "http/message.h"
#include "lua/channel.h"
#include "lua/classes.h"
#include "lua/heads.h"
#include "lua/stream.h"

#include <string.h>

#include <lauxlib.h>

/* ---- where the bytes are ----------------------------------------------------------------------
 */

/* The function of a filter that runs is one for this message. */
static const struct filter_turn *turn_of(lua_State *L)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);

	if (!ss->turn || ss->turn->response != channel_is_response(L, 1))
		luaL_error(L, "a message is for functions of filters, of its own side");
	return ss->turn;
}

static void find(lua_State *L, struct script_bytes *b)
{
	const struct filter_turn *turn = turn_of(L);

	if (!turn->buf || !turn->http)
		luaL_error(L, "the bytes of a message are for http_payload");
	*b = (struct script_bytes){ .buf = turn->buf, .out = turn->out, .more = turn->more };
}

/* In http_headers: is all of the message here already? */
static bool is_whole(const struct stream_scripts *ss)
{
	const struct view_http *http = ss->view->http;

	return http && (ss->turn->response ? http->response_body_final : http->request_body_final);
}

static void find_to_look(lua_State *L, struct script_bytes *b)
{
	static struct buf *none;
	static uint32_t zero;
	const struct filter_turn *turn = turn_of(L);

	if (turn->buf)
		find(L, b);
	else
		*b = (struct script_bytes){ &none, &zero, .more = !is_whole(stream_of_object(L, 1)) };
}

/* ---- the head ----------------------------------------------------------------------------------
 */

static void set_text(lua_State *L, const char *name, struct span text)
{
	lua_pushlstring(L, text.ptr ? text.ptr : "", text.len);
	lua_setfield(L, -2, name);
}

static int get_stline(lua_State *L)
{
	const struct filter_turn *turn = turn_of(L);
	const struct view_http *http = stream_of_object(L, 1)->view->http;
	const struct message *msg = !http ? NULL : turn->response ? http->response : http->request;

	arguments_check(L, "get_stline", 1, 1);
	if (!msg || !turn->heads)
		return luaL_error(L, "the head of a message is for http_headers");
	lua_createtable(L, 0, 3);
	lua_pushfstring(L, "HTTP/%d.%d", (int)msg->major, (int)msg->minor);
	lua_setfield(L, -2, "version");
	if (turn->response) {
		lua_pushfstring(L, "%d", (int)msg->status);
		lua_setfield(L, -2, "code");
		set_text(L, "reason", msg->reason);
	} else {
		set_text(L, "method", msg->method_text);
		set_text(L, "uri", msg->target);
	}
	return 1;
}

static bool is_response(lua_State *L)
{
	return turn_of(L)->response;
}

static int set_status(lua_State *L)
{
	if (!is_response(L))
		return luaL_error(L, "set_status is for responses");
	return heads_set_status(L);
}

static int set_part(lua_State *L, enum edit_part part)
{
	if (is_response(L))
		return luaL_error(L, "this is for requests");
	return heads_set_part(L, part);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static int eom(lua_State *L)
{
	const struct filter_turn *turn = turn_of(L);

	arguments_check(L, "eom", 1, 1);
	lua_pushboolean(L, turn->ended ? *turn->ended : is_whole(stream_of_object(L, 1)));
	return 1;
}

static int set_end(lua_State *L, const char *name, bool ended)
{
	const struct filter_turn *turn = turn_of(L);

	arguments_check(L, name, 1, 1);
	if (turn->ended)
		*turn->ended = ended;
	return 0;
}

static int input(lua_State *L)
{
	const struct stream_scripts *ss = stream_of_object(L, 1);
	struct script_bytes b;
	size_t n;

	arguments_check(L, "input", 1, 1);
	find_to_look(L, &b);
	n = bytes_input(&b);
	if (!ss->turn->buf)
		n = ss->turn->response ? ss->view->response.len : ss->view->request.len;
	lua_pushinteger(L, (lua_Integer)n);
	return 1;
}

static int output(lua_State *L)
{
	struct script_bytes b;

	arguments_check(L, "output", 1, 1);
	find_to_look(L, &b);
	lua_pushinteger(L, *b.out);
	return 1;
}

/* ---- the class ---------------------------------------------------------------------------------
 */

#define FUNCTION(name, call)                                                                  \
	static int run_##name(lua_State *L) { return call; }

FUNCTION(get_headers, heads_get(L, is_response(L), "get_headers"))
FUNCTION(add_header, heads_put(L, is_response(L), "add_header", false))
FUNCTION(set_header, heads_put(L, is_response(L), "set_header", true))
FUNCTION(del_header, heads_delete(L, is_response(L), "del_header"))
FUNCTION(rep_header, heads_replace(L, is_response(L), "rep_header", false))
FUNCTION(rep_value, heads_replace(L, is_response(L), "rep_value", true))
FUNCTION(set_method, set_part(L, EDIT_METHOD))
FUNCTION(set_path, set_part(L, EDIT_PATH))
FUNCTION(set_query, set_part(L, EDIT_QUERY))
FUNCTION(set_uri, set_part(L, EDIT_URI))
FUNCTION(set_eom, set_end(L, "set_eom", true))
FUNCTION(unset_eom, set_end(L, "unset_eom", false))
FUNCTION(is_full, channel_is_full(L, find_to_look))
FUNCTION(may_recv, channel_may_recv(L, find_to_look))
FUNCTION(body, bytes_data(L, find, "body"))
FUNCTION(append, bytes_append(L, find))
FUNCTION(prepend, bytes_prepend(L, find))
FUNCTION(insert, bytes_insert(L, find))
FUNCTION(set, bytes_set(L, find))
FUNCTION(remove, bytes_remove(L, find))
FUNCTION(forward, bytes_forward(L, find))
FUNCTION(send, bytes_send(L, find))

/* message.channel */
static int field(lua_State *L)
{
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
	struct stream_scripts *ss = strcmp(name, "channel") ? NULL : object_peek(L, 1, &stream_kind);

	if (!ss) {
		lua_pushnil(L);
		return 1;
	}
	stream_push_txn(L, ss);
	channel_push(L, -1, channel_is_response(L, 1));
	lua_pushvalue(L, -1);
	lua_setfield(L, 1, "channel");
	return 1;
}

static const struct class_method methods[] = {
	{ "get_stline", get_stline, "", "table",
	  "the start line: method, uri, version; or version, code, reason", 0 },
	{ "get_headers", run_get_headers, "", "table",
	  "values by name in lower case, counted from 0", 0 },
	{ "add_header", run_add_header, "name, value", NULL, "one header more", 0 },
	{ "set_header", run_set_header, "name, value", NULL, "in place of all of the name", 0 },
	{ "del_header", run_del_header, "name", NULL, "all of the name go", 0 },
	{ "rep_header", run_rep_header, "name, regex, by", NULL, "values that match are replaced", 0 },
	{ "rep_value", run_rep_value, "name, regex, by", NULL,
	  "the same for each element of a list with commas", 0 },
	{ "set_method", run_set_method, "method", "boolean", "of a request; false: it does not fit", 0 },
	{ "set_path", run_set_path, "path", "boolean", "of a request; the query stays", 0 },
	{ "set_query", run_set_query, "query", "boolean", "of a request; without the question mark", 0 },
	{ "set_uri", run_set_uri, "uri", "boolean", "of a request; the whole target", 0 },
	{ "set_status", set_status, "status [, reason]", NULL,
	  "of a response; without a reason its usual one", 0 },
	{ "input", input, "", "integer", "bytes that wait", 0 },
	{ "output", output, "", "integer", "bytes that were let go and have not left", 0 },
	{ "is_resp", channel_is_resp, "", "boolean", "is it a response?", 0 },
	{ "is_full", run_is_full, "", "boolean", "is there no room for more?", 0 },
	{ "may_recv", run_may_recv, "", "boolean", "may more bytes come?", 0 },
	{ "eom", eom, "", "boolean", "are these the last bytes?", 0 },
	{ "set_eom", run_set_eom, "", NULL,
	  "the message ends behind these bytes, whatever would follow", 0 },
	{ "unset_eom", run_unset_eom, "", NULL, "it does not end until set_eom", 0 },
	{ "body", run_body, "[offset [, length]]", "string or nil",
	  "bytes, which stay; nil: none will come", 0 },
	{ "append", run_append, "text", "integer", "puts it behind the bytes; -1: it does not fit", 0 },
	{ "prepend", run_prepend, "text", "integer", "puts it in front of them", 0 },
	{ "insert", run_insert, "text [, offset]", "integer", "puts it in between", 0 },
	{ "set", run_set, "text [, offset [, length]]", "integer", "puts it in their place", 0 },
	{ "remove", run_remove, "[offset [, length]]", "integer", "takes bytes out", 0 },
	{ "forward", run_forward, "length", "integer", "lets so many go", 0 },
	{ "send", run_send, "text", "integer",
	  "lets it go in front of the bytes, as much as there is room for; -1: none", 0 },
	{ 0 },
};

const struct class http_message_class = {
	"HTTPMessage", methods, field, .help = "a request or a response, for filters",
	.where = "filters, by functions of the message's own side",
};

void message_push(lua_State *L, int txn, bool response)
{
	side_push(L, txn, &http_message_class, response ? "http_res" : "http_req", response);
}
