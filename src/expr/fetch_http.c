/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of start lines and bodies (manual 7.3.6): method, target and its parts, version,
 * status, parameters, what was kept of them for later. Fields are in fetch_fields.c. Strings are
 * spans of the received bytes where possible. */
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "expr/capture.h"
#include "expr/http.h"
#include "expr/tables.h"
#include "expr/unique_id.h"
#include "expr/view.h"
#include "http/message.h"
#include "http/uri.h"
#include "proxy/proxy.h"

#include <arpa/inet.h>

static enum expr_result found_str(struct sample *smp, struct span value)
{
	smp->str = value;
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static enum expr_result found_text(struct sample *smp, const struct text *t)
{
	if (t->cut)
		return EXPR_NONE;
	smp->str = (struct span){ t->ptr, t->len };
	return EXPR_FOUND;
}

/* -- the target ------------------------------------------------------------------------- */

static enum expr_result fetch_url(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);

	return result == EXPR_FOUND ? found_str(smp, msg->target) : result;
}

enum { PART_PATH, PART_PATHQ, PART_QUERY };

/* Of a path with its query. */
static struct span path_part(struct span pathq, int part)
{
	const char *mark = pathq.ptr ? memchr(pathq.ptr, '?', pathq.len) : NULL;
	size_t path = mark ? (size_t)(mark - pathq.ptr) : pathq.len;

	if (part == PART_PATHQ || !pathq.ptr)
		return pathq;
	if (part == PART_PATH)
		return (struct span){ pathq.ptr, path };
	if (!mark)
		return (struct span){ NULL, 0 };
	return (struct span){ mark + 1, pathq.len - path - 1 };
}

static enum expr_result fetch_path(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	struct span part;

	if (result != EXPR_FOUND)
		return result;
	part = path_part(http_pathq(msg->target), call->row->data);
	return part.ptr ? found_str(smp, part) : EXPR_NONE;
}

/* The host and the path, or path and query: "www.example.com/a". */
static enum expr_result base_text(struct fetch_call *call, int part, struct text *t)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	struct http_values walk = { 0 };
	struct span host, path;

	if (result != EXPR_FOUND)
		return result;
	text_init(t, expr_scratch(), expr_scratch_size);
	if (http_next_value(msg, span_of("host"), true, &walk, &host))
		text_add(t, host.ptr, host.len);
	path = path_part(http_pathq(msg->target), part);
	if (path.ptr)
		text_add(t, path.ptr, path.len);
	return t->len ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result fetch_base(struct fetch_call *call, struct sample *smp)
{
	enum expr_result result;
	struct text t;

	result = base_text(call, call->row->data, &t);
	return result == EXPR_FOUND ? found_text(smp, &t) : result;
}

static enum expr_result base_hash(struct fetch_call *call, uint32_t *hash)
{
	enum expr_result result;
	struct text t;

	result = base_text(call, call->row->data, &t);
	if (result == EXPR_FOUND)
		*hash = hash_avalanche(hash_sdbm(t.ptr, t.len));
	return result;
}

static enum expr_result fetch_base32(struct fetch_call *call, struct sample *smp)
{
	uint32_t hash = 0;
	enum expr_result result = base_hash(call, &hash);

	smp->num = hash;
	return result;
}

/* The hash and the bytes of the client's address. */
static enum expr_result fetch_base32_src(struct fetch_call *call, struct sample *smp)
{
	const struct addr *src = call->view->src;
	uint32_t hash = 0;
	enum expr_result result = base_hash(call, &hash);
	struct text t;

	if (result != EXPR_FOUND)
		return result;
	hash = htonl(hash);
	text_init(&t, expr_scratch(), expr_scratch_size);
	text_add(&t, (const char *)&hash, sizeof(hash));
	if (src && src->family == AF_INET)
		text_add(&t, (const char *)&src->v4, sizeof(src->v4));
	else if (src && src->family == AF_INET6)
		text_add(&t, (const char *)&src->v6, sizeof(src->v6));
	else
		return EXPR_NONE;
	return found_text(smp, &t);
}

/* The address in the authority of an absolute target, as a sample; false: a name, or none. */
static bool host_address(struct span host, struct sample *smp)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr v6;
	struct in_addr v4;

	if (host.len > 2 && *host.ptr == '[')
		host = (struct span){ host.ptr + 1, host.len - 2 };
	if (!host.len || host.len >= sizeof(text))
		return false;
	memcpy(text, host.ptr, host.len);
	text[host.len] = 0;
	if (inet_pton(AF_INET, text, &v4) == 1) {
		smp->type = SMP_IPV4;
		smp->v4 = v4;
		return true;
	}
	smp->type = SMP_IPV6;
	return inet_pton(AF_INET6, text, &v6) == 1 && ((smp->v6 = v6), true);
}

enum { URL_IP, URL_PORT };

static enum expr_result fetch_authority(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	struct span host;
	struct uri uri;
	unsigned port;

	if (result != EXPR_FOUND)
		return result;
	if (!uri_split(msg->target, &uri) || !uri.scheme.ptr || !uri.authority.len ||
	    !host_split(uri.authority, &host, &port))
		return EXPR_NONE;
	if (call->row->data == URL_IP)
		return host_address(host, smp) ? EXPR_FOUND : EXPR_NONE;
	if (!port)
		port = uri.scheme.len == 5 ? 443 : 80; /* https, http */
	smp->num = port;
	return EXPR_FOUND;
}

/* -- parameters ------------------------------------------------------------------------- */

static bool parts_parameters(char c, char delimiter)
{
	return c == '&' || c == ';' || (delimiter && c == delimiter);
}

/* Which parameter is asked for. */
struct parameter {
	struct span name; /* empty: any */
	bool any_case;
};

static bool parameter_is(const struct parameter *p, struct span name)
{
	if (!p->name.len)
		return true;
	return p->any_case ? span_equal_nocase(p->name, name) : span_equal(p->name, name);
}

/* The next "name=value" behind *at that is asked for; what has no '=' is none. */
static bool next_parameter(struct span text, uint64_t *at, const struct parameter *asked,
			   char delimiter, struct span *value)
{
	const char *p = text.ptr + *at, *end = text.ptr + text.len, *from, *equal;

	while (p < end) {
		from = p;
		equal = NULL;
		for (; p < end && !parts_parameters(*p, delimiter); p++)
			if (*p == '=' && !equal)
				equal = p;
		*value = equal ? (struct span){ equal + 1, (size_t)(p - equal - 1) }
			       : (struct span){ NULL, 0 };
		if (p < end)
			p++;
		*at = (uint64_t)(p - text.ptr);
		if (equal && parameter_is(asked, (struct span){ from, (size_t)(equal - from) }))
			return true;
	}
	*at = text.len;
	return false;
}

/* flag: the argument that may be "i". */
static enum expr_result found_parameter(struct fetch_call *call, struct span text, char delimiter,
					unsigned flag, struct sample *smp)
{
	const struct expr_arg *args = call->args;
	struct parameter asked = { args[0].type == ARG_STR ? args[0].str : span_of(""),
				   args[flag].type == ARG_STR && args[flag].str.len };
	struct span value;

	if (!next_parameter(text, &call->walk[0], &asked, delimiter, &value))
		return EXPR_NONE;
	if (call->all)
		smp->flags |= SMP_NOT_LAST;
	return found_str(smp, value);
}

/* The last argument of a fetch of parameters: "i", or nothing. */
static int check_case(const struct expr_arg *last, struct err *err)
{
	if (last->type != ARG_STR || !last->str.len || !strcmp(last->str.ptr, "i"))
		return 0;
	return err_set(err, "the last argument can only be 'i' (names in any case), not '%s'",
		       last->str.ptr);
}

static int check_query(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return check_case(&args[2], err);
}

static int check_form(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return check_case(&args[1], err);
}

static enum expr_result fetch_url_param(struct fetch_call *call, struct sample *smp)
{
	const struct expr_arg *given = &call->args[1];
	const struct message *msg;
	enum expr_result result = http_head(call, false, &msg);
	char delimiter = given->type == ARG_STR && given->str.len ? *given->str.ptr : '?';
	const char *begin;
	struct span t;

	if (result != EXPR_FOUND)
		return result;
	t = msg->target;
	begin = memchr(t.ptr, delimiter, t.len);
	if (!begin)
		return EXPR_NONE;
	t = (struct span){ begin + 1, (size_t)(t.ptr + t.len - begin - 1) };
	return found_parameter(call, t, delimiter, 2, smp);
}

static enum expr_result fetch_url_param_val(struct fetch_call *call, struct sample *smp)
{
	enum expr_result result = fetch_url_param(call, smp);

	if (result == EXPR_FOUND)
		smp->num = http_number(smp->str);
	return result;
}

/* -- bodies ----------------------------------------------------------------------------- */

enum { REQUEST, RESPONSE };

static enum expr_result body_of(struct fetch_call *call, const struct message **msg,
				struct span *body)
{
	bool response = call->row->data == RESPONSE;
	enum expr_result result = http_head(call, response, msg);

	if (result == EXPR_FOUND)
		*body = http_body(call, response, *msg);
	return result;
}

/* Whether more of it may come. */
static unsigned body_flags(const struct fetch_call *call)
{
	const struct view_http *http = call->view->http;

	if (!http)
		return SMP_MAY_CHANGE;
	return (call->row->data == RESPONSE ? http->response_body_final : http->request_body_final)
		       ? 0 : SMP_MAY_CHANGE;
}

static enum expr_result fetch_body(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	struct span body;
	enum expr_result result = body_of(call, &msg, &body);

	if (result != EXPR_FOUND)
		return result;
	smp->flags |= body_flags(call);
	return found_str(smp, body.len ? body : span_of(""));
}

static enum expr_result fetch_body_len(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	struct span body;
	enum expr_result result = body_of(call, &msg, &body);

	smp->flags |= body_flags(call);
	smp->num = result == EXPR_FOUND ? (int64_t)body.len : 0;
	return result;
}

/* As announced; of other framings what is there. */
static enum expr_result fetch_body_size(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	struct span body;
	enum expr_result result = body_of(call, &msg, &body);

	if (result != EXPR_FOUND)
		return result;
	smp->num = (int64_t)(msg->framing == BODY_LENGTH ? msg->length : body.len);
	if (msg->framing != BODY_LENGTH)
		smp->flags |= body_flags(call);
	return EXPR_FOUND;
}

static enum expr_result fetch_body_param(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	struct span body;
	enum expr_result result = body_of(call, &msg, &body);

	if (result != EXPR_FOUND)
		return result;
	smp->flags |= body_flags(call);
	if (!body.len)
		return EXPR_NONE;
	return found_parameter(call, body, 0, 1, smp);
}

/* -- method, version, status ------------------------------------------------------------ */

static enum expr_result fetch_method(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	const struct message *msg;
	enum expr_result result;

	if (http && !http->request && http->method.ptr)
		return found_str(smp, http->method);
	if (!(call->place & AT_REQUESTS) && !(http && http->request))
		return EXPR_NONE;
	result = http_head(call, false, &msg);
	return result == EXPR_FOUND ? found_str(smp, msg->method_text) : result;
}

static enum expr_result fetch_version(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result = http_head(call, call->row->data == RESPONSE, &msg);
	struct text t;

	if (result != EXPR_FOUND)
		return result;
	text_init(&t, expr_scratch(), expr_scratch_size);
	text_printf(&t, "%u.%u", msg->major, msg->minor);
	return found_text(smp, &t);
}

/* In mode http it is; else the bytes tell. */
static enum expr_result fetch_is_http(struct fetch_call *call, struct sample *smp)
{
	const struct message *msg;
	enum expr_result result;

	smp->num = 1;
	if (!(call->place & AT_REQUESTS))
		return call->view->http ? EXPR_FOUND : EXPR_NONE;
	result = http_head(call, false, &msg);
	if (result == EXPR_NONE) {
		smp->num = 0;
		return EXPR_FOUND;
	}
	return result;
}

static enum expr_result fetch_status(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	const struct message *msg;
	enum expr_result result;

	if (call->place & AT_LOG) {
		smp->num = http ? http->status : 0;
		return http && http->status ? EXPR_FOUND : EXPR_NONE;
	}
	result = http_head(call, true, &msg);
	smp->num = result == EXPR_FOUND ? msg->status : 0;
	return result;
}

/* The algorithm by which the response is compressed. */
static enum expr_result fetch_compressed(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	const char *algorithm = http ? http->compressed : NULL;

	if (!call->row->data) {
		smp->num = algorithm != NULL;
		return EXPR_FOUND;
	}
	if (!algorithm)
		return EXPR_NONE;
	smp->str = span_of(algorithm);
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static enum expr_result fetch_first_req(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;

	smp->num = !http || !http->not_first;
	return EXPR_FOUND;
}

/* Of the client's protocol, also behind the request. */
static unsigned kept_major(const struct view_http *http)
{
	if (http->request)
		return http->request->major;
	return http->version.len > 5 && http->version.ptr[5] == '2' ? 2 : 1;
}

static enum expr_result fetch_major(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	bool front = call->row->data;

	if (front && !http && call->view->frontend->set.mode == MODE_HTTP)
		return EXPR_NONE;
	smp->num = front && http ? kept_major(http) : 1;
	return EXPR_FOUND;
}

static enum expr_result fetch_server_major(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;

	smp->num = http && http->server_major ? http->server_major : 1;
	return EXPR_FOUND;
}

/* -- what was kept ---------------------------------------------------------------------- */

enum { KEPT_METHOD, KEPT_URI, KEPT_VERSION };

/* From the request while it is there, so that what rules have changed is seen. */
static struct span kept_part(const struct view_http *http, int part)
{
	const struct message *msg = http->request;

	switch (part) {
	case KEPT_METHOD:
		return http->method.ptr || !msg ? http->method : msg->method_text;
	case KEPT_VERSION:
		return http->version.ptr || !msg ? http->version :
		       http_version_text(msg->major, msg->minor);
	default:
		return http_pathq(http->uri.ptr || !msg ? http->uri : msg->target);
	}
}

static enum expr_result fetch_kept(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	struct span part = http ? kept_part(http, call->row->data) : (struct span){ NULL, 0 };

	return part.ptr ? found_str(smp, part) : EXPR_NONE;
}

static int check_uri(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)args;
	(void)err;
	capture_need_uri(ctx->cfg);
	return 0;
}

static enum expr_result fetch_kept_res_version(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;

	if (!http || !http->res_major)
		return EXPR_NONE;
	return found_str(smp, http_version_text(http->res_major, http->res_minor));
}

static int check_index(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return args[0].num < 0 ? err_set(err, "the index of a capture is 0 or more") : 0;
}

static enum expr_result fetch_capture(struct fetch_call *call, struct sample *smp)
{
	const char *value = capture_value(call->view, call->row->data == RESPONSE,
					  (uint64_t)call->args[0].num);

	return value ? found_str(smp, span_of(value)) : EXPR_NONE;
}

static enum expr_result fetch_unique_id(struct fetch_call *call, struct sample *smp)
{
	const struct view_http *http = call->view->http;
	struct span id = { NULL, 0 };

	if (!(call->place & AT_LOG) || !http || http->method.ptr)
		id = unique_id_of(call->view); /* bad requests have none */

	return id.ptr ? found_str(smp, id) : EXPR_NONE;
}

/* Of HTTP/2 alone: elsewhere nothing is counted. */
static enum expr_result fetch_glitches(struct fetch_call *call, struct sample *smp)
{
	const struct view *view = call->view;
	struct link link = call->row->data == RESPONSE ? view->server_link : view->client_link;
	uint64_t count;

	if (!link_glitches(link, &count))
		return EXPR_NONE;
	smp->num = (int64_t)count;
	return EXPR_FOUND;
}

#define KEPT (AT_REQUESTS | AT_RESPONSE | AT_LOG)
#define REQ(name, kind, run, what, text)                                                      \
	{ name, { 0 }, kind, FROM_REQUEST, run, .data = what, .help = text }
#define RES(name, kind, run, what, text)                                                      \
	{ name, { 0 }, kind, FROM_RESPONSE, run, .data = what, .help = text }
#define PARAM(name, kind, run, text)                                                          \
	{ name, ARGS(0, ARG_STR, ARG_STR, ARG_STR), kind, FROM_REQUEST, run, check_query,       \
	  .help = text }
#define CAPTURE(name, from, whose, text)                                                      \
	{ name, ARGS(1, ARG_INT), SMP_STR, from, fetch_capture, check_index, .data = whose,     \
	  .help = text }

const struct fetch fetch_http[] = {
	REQ("base", SMP_STR, fetch_base, PART_PATH, "host and path of the request"),
	REQ("base32", SMP_INT, fetch_base32, PART_PATH, "a hash of base"),
	REQ("base32+src", SMP_BIN, fetch_base32_src, PART_PATH, "base32 and the client's address"),
	REQ("baseq", SMP_STR, fetch_base, PART_PATHQ, "host, path and query of the request"),
	{ "bc_glitches", { 0 }, SMP_INT, FROM_SERVER, fetch_glitches, .data = RESPONSE,
	  .help = "oddities so far of the connection to the server, if that is HTTP/2" },
	{ "bc_http_major", { 0 }, SMP_INT, FROM_SERVER, fetch_server_major,
	  .help = "major version of HTTP towards the server" },
	CAPTURE("capture.req.hdr", KEPT, REQUEST, "what a capture of the request holds"),
	{ "capture.req.method", { 0 }, SMP_STR, KEPT, fetch_kept, .data = KEPT_METHOD,
	  .help = "method of the request, also behind it" },
	{ "capture.req.uri", { 0 }, SMP_STR, KEPT, fetch_kept, check_uri, .data = KEPT_URI,
	  .help = "path and query of the request, also behind it" },
	{ "capture.req.ver", { 0 }, SMP_STR, KEPT, fetch_kept, .data = KEPT_VERSION,
	  .help = "version of the request, also behind it: HTTP/1.1" },
	CAPTURE("capture.res.hdr", AT_RESPONSE | AT_LOG, RESPONSE,
		"what a capture of the response holds"),
	{ "capture.res.ver", { 0 }, SMP_STR, KEPT, fetch_kept_res_version,
	  .help = "version of the response, also behind it: HTTP/1.1" },
	{ "fc_glitches", { 0 }, SMP_INT, FROM_CONNECTION, fetch_glitches, .data = REQUEST,
	  .help = "oddities so far of the client's connection, if that is HTTP/2" },
	{ "fc_http_major", { 0 }, SMP_INT, FROM_CONNECTION, fetch_major, .data = 1,
	  .help = "major version of HTTP towards the client" },
	{ "http_first_req", { 0 }, SMP_BOOL, KEPT, fetch_first_req,
	  .help = "is it the first request of its connection?" },
	{ "method", { 0 }, SMP_METH, KEPT, fetch_method, .help = "method of the request" },
	REQ("path", SMP_STR, fetch_path, PART_PATH, "path of the request, without the query"),
	REQ("pathq", SMP_STR, fetch_path, PART_PATHQ, "path of the request, with the query"),
	REQ("query", SMP_STR, fetch_path, PART_QUERY, "query of the request, behind '?'"),
	REQ("req.body", SMP_BIN, fetch_body, REQUEST, "what is there of the request's body"),
	REQ("req.body_len", SMP_INT, fetch_body_len, REQUEST,
	    "bytes that are there of the request's body"),
	{ "req.body_param", ARGS(0, ARG_STR, ARG_STR), SMP_STR, FROM_REQUEST, fetch_body_param,
	  check_form, .help = "parameter of a form in the request's body" },
	REQ("req.body_size", SMP_INT, fetch_body_size, REQUEST,
	    "announced length of the request's body"),
	{ "req.proto_http", { 0 }, SMP_BOOL, KEPT, fetch_is_http, .help = "is the request HTTP?" },
	REQ("req.ver", SMP_STR, fetch_version, REQUEST, "version of the request: 1.1"),
	{ "req_proto_http", { 0 }, SMP_BOOL, KEPT, fetch_is_http, .help = "as req.proto_http" },
	REQ("req_ver", SMP_STR, fetch_version, REQUEST, "as req.ver"),
	RES("res.body", SMP_BIN, fetch_body, RESPONSE, "what is there of the response's body"),
	RES("res.body_len", SMP_INT, fetch_body_len, RESPONSE,
	    "bytes that are there of the response's body"),
	RES("res.body_size", SMP_INT, fetch_body_size, RESPONSE,
	    "announced length of the response's body"),
	RES("res.ver", SMP_STR, fetch_version, RESPONSE, "version of the response: 1.1"),
	RES("resp_ver", SMP_STR, fetch_version, RESPONSE, "as res.ver"),
	{ "res.comp", { 0 }, SMP_BOOL, AT_RESPONSE | AT_LOG, fetch_compressed, .data = 0,
	  .help = "do we compress the response? Known when it leaves: for the log" },
	{ "res.comp_algo", { 0 }, SMP_STR, AT_RESPONSE | AT_LOG, fetch_compressed, .data = 1,
	  .help = "the algorithm by which we compress the response" },
	{ "status", { 0 }, SMP_INT, FROM_RESPONSE | AT_LOG, fetch_status,
	  .help = "status of the response" },
	{ "unique-id", { 0 }, SMP_STR, AT_CLIENT, fetch_unique_id,
	  .help = "what unique-id-format makes" },
	REQ("url", SMP_STR, fetch_url, 0, "target of the request, as it was sent"),
	REQ("url32", SMP_INT, fetch_base32, PART_PATHQ, "a hash of baseq"),
	REQ("url32+src", SMP_BIN, fetch_base32_src, PART_PATHQ,
	    "url32 and the client's address"),
	REQ("url_ip", SMP_ADDR, fetch_authority, URL_IP, "address in an absolute target"),
	PARAM("url_param", SMP_STR, fetch_url_param, "parameter of the query"),
	REQ("url_port", SMP_INT, fetch_authority, URL_PORT, "port in an absolute target"),
	PARAM("urlp", SMP_STR, fetch_url_param, "parameter of the query"),
	PARAM("urlp_val", SMP_INT, fetch_url_param_val, "parameter of the query, as a number"),
	{ 0 },
};
