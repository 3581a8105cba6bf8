/* SPDX-License-Identifier: BSD-2-Clause */
/* The class HTTP: the heads of the stream's exchange, by functions of lua/heads.h: req_* for the
 * actions of requests, res_* for those of responses. */
#include "lua/classes.h"
#include "lua/heads.h"

#define BOTH(name, call)                                                                      \
	static int req_##name(lua_State *L) { return call(L, false, "req_" #name); }           \
	static int res_##name(lua_State *L) { return call(L, true, "res_" #name); }
#define ADD(L, response, function) heads_put(L, response, function, false)
#define SET(L, response, function) heads_put(L, response, function, true)
#define REP(L, response, function) heads_replace(L, response, function, false)
#define REP_ELEMENTS(L, response, function) heads_replace(L, response, function, true)

BOTH(get_headers, heads_get)
BOTH(add_header, ADD)
BOTH(set_header, SET)
BOTH(del_header, heads_delete)
BOTH(rep_header, REP)
BOTH(rep_value, REP_ELEMENTS)

#define PART(name, part)                                                                      \
	static int req_##name(lua_State *L) { return heads_set_part(L, part); }

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
	{ "res_set_status", heads_set_status, "status [, reason]", NULL,
	  "without a reason its usual one", 0 },
	{ 0 },
};

const struct class http_class = {
	"HTTP", methods, .help = "heads of the request and the response",
	.where = "actions of requests (req_) and of responses (res_); fetches may read",
};
