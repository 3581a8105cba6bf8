/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures: the words that declare them, and taking and keeping values. Called by the exchange
 * when a head is complete, by rules, fetches and log formats. Nothing is copied that nobody has
 * asked for. */
#include "expr/capture.h"

#include "base/arena.h"
#include "config/config.h"
#include "config/keyword.h"
#include "expr/http.h"
#include "expr/view.h"
#include "http/cookie.h"
#include "http/message.h"
#include "proxy/part.h"
#include "proxy/proxy.h"

struct capture_data {
	unsigned cookielen, logurilen;
	bool need_uri;
};

static unsigned uri_longest = 1024; /* tune.http.logurilen of the running generation */

/* -- values ----------------------------------------------------------------------------- */

static const struct capture_slots *slots_of(const struct proxy *frontend, bool response)
{
	if (!frontend || !frontend->captures)
		return NULL;
	return response ? &frontend->captures->response : &frontend->captures->request;
}

unsigned capture_count(const struct proxy *frontend, bool response)
{
	const struct capture_slots *slots = slots_of(frontend, response);

	return slots ? slots->count : 0;
}

static const struct capture *slot_at(const struct capture_slots *slots, uint64_t index)
{
	const struct capture *c;

	if (!slots || index >= slots->count)
		return NULL;
	for (c = slots->first; index; index--)
		c = c->next;
	return c;
}

/* The array of values, made when it is needed first. */
static const char **values_of(const struct capture_slots *slots, struct arena *arena,
			      struct view_http *http, bool response)
{
	const char ***values = response ? &http->response_captures : &http->request_captures;

	if (!*values)
		*values = arena_alloc(arena, slots->count * sizeof(**values));
	return *values;
}

static const char *cut_copy(struct arena *arena, struct span value, size_t longest)
{
	return arena_strndup(arena, value.ptr, value.len < longest ? value.len : longest);
}

/* NULL: this stream has no place for them. */
static const char ***values_in(const struct view *view, bool response)
{
	if (view->http)
		return response ? &view->http->response_captures : &view->http->request_captures;
	return response ? NULL : view->captures;
}

bool capture_store(const struct view *view, bool response, uint64_t index, struct span value)
{
	const struct capture_slots *slots = slots_of(view->frontend, response);
	const struct capture *slot = slot_at(slots, index);
	const char ***values = values_in(view, response);

	if (!slot || !values || !view->arena)
		return false;
	if (!*values)
		*values = arena_alloc(view->arena, slots->count * sizeof(**values));
	if (!*values)
		return false;
	(*values)[index] = cut_copy(view->arena, value, slot->len);
	return true;
}

const char *capture_value(const struct view *view, bool response, uint64_t index)
{
	const char ***values = values_in(view, response);

	if (!values || !*values || index >= capture_count(view->frontend, response))
		return NULL;
	return (*values)[index];
}

/* The last field of each name. */
static void capture_fields(const struct capture_slots *slots, const struct message *msg,
			   struct arena *arena, struct view_http *http)
{
	const char **values = values_of(slots, arena, http, msg->is_response);
	const struct capture *c;
	struct http_values walk;
	struct span value;
	unsigned i = 0;

	for (c = values ? slots->first : NULL; c; c = c->next, i++) {
		memset(&walk, 0, sizeof(walk));
		value.ptr = NULL;
		while (c->name.ptr && http_next_value(msg, c->name, false, &walk, &value))
			;
		if (c->name.ptr && value.ptr)
			values[i] = cut_copy(arena, value, c->len);
	}
}

/* -- cookies ---------------------------------------------------------------------------- */

static bool cookie_fits(const struct captures *c, const struct cookie *cookie)
{
	if (cookie->name.len < c->cookie.len || cookie->whole.len == cookie->name.len ||
	    (c->cookie_exact && cookie->name.len != c->cookie.len))
		return false;
	return !memcmp(cookie->name.ptr, c->cookie.ptr, c->cookie.len);
}

/* The first cookie that fits. */
static bool cookie_find(const struct captures *c, const struct message *msg,
			struct cookie *cookie)
{
	enum field_id id = msg->is_response ? FIELD_SET_COOKIE : FIELD_COOKIE;
	const struct field *f;
	unsigned i;
	size_t at;

	for (i = 0; i < msg->count; i++) {
		f = &msg->fields[i];
		if (!f->name.ptr || f->id != id)
			continue;
		if (msg->is_response && set_cookie_parse(f->value, cookie) &&
		    cookie_fits(c, cookie))
			return true;
		for (at = 0; !msg->is_response && cookie_next(f->value, &at, cookie);)
			if (cookie_fits(c, cookie))
				return true;
	}
	return false;
}

/* "name=value", cut. */
static struct span capture_cookie(const struct captures *c, const struct message *msg,
				  struct arena *arena)
{
	struct span text = { NULL, 0 };
	struct cookie cookie;

	if (!c->cookie.ptr || !cookie_find(c, msg, &cookie))
		return text;
	text.ptr = cookie.name.ptr;
	text.len = (size_t)(cookie.value.ptr + cookie.value.len - text.ptr);
	if (text.len > c->cookie_len)
		text.len = c->cookie_len;
	return arena_keep(arena, text);
}

/* -- heads ------------------------------------------------------------------------------ */

struct span http_version_text(unsigned major, unsigned minor)
{
	static const char texts[] = "HTTP/0.9HTTP/1.0HTTP/1.1HTTP/2.0";
	unsigned at = major == 1 ? 1 + (minor != 0) : major == 2 ? 3 : 0;

	return (struct span){ texts + 8 * at, 8 };
}

/* The names of methods that are known need no copy. */
static struct span kept_method(const struct message *msg, struct arena *arena)
{
	struct span m = msg->method_text;

	if (msg->method != METHOD_OTHER)
		return method_span((enum method)msg->method);
	return arena_keep(arena, m);
}

/* Cut so that it fits into tune.http.logurilen together with the method. */
static struct span kept_uri(const struct message *msg, struct arena *arena)
{
	size_t before = msg->method_text.len + 1, room = 0;
	struct span uri = msg->target;

	if (uri_longest > before)
		room = uri_longest - before;
	if (uri.len > room)
		uri.len = room;
	return arena_keep(arena, uri);
}

void capture_request(const struct proxy *frontend, const struct message *msg, struct arena *arena,
		     struct view_http *http)
{
	const struct captures *c = frontend->captures;

	http->method = kept_method(msg, arena);
	http->version = http_version_text(msg->major, msg->minor);
	if (frontend->keeps_uri) {
		http->uri = kept_uri(msg, arena);
		http->uri_cut = msg->method_text.len + msg->target.len + http->version.len + 2 >
				uri_longest;
	}
	if (!c)
		return;
	if (c->request.count)
		capture_fields(&c->request, msg, arena, http);
	http->request_cookie = capture_cookie(c, msg, arena);
}

void capture_response(const struct proxy *frontend, const struct message *msg, struct arena *arena,
		      struct view_http *http)
{
	const struct captures *c = frontend->captures;

	http->res_major = msg->major;
	http->res_minor = msg->minor;
	if (!c)
		return;
	if (c->response.count)
		capture_fields(&c->response, msg, arena, http);
	http->response_cookie = capture_cookie(c, msg, arena);
}

/* -- words ------------------------------------------------------------------------------ */

/* The slots that rules of its defaults section have declared come first, with the same numbers. */
static void inherit_slots(struct config *cfg, struct proxy *proxy)
{
	const struct captures *from = proxy->defaults ? proxy->defaults->captures : NULL;
	const struct capture *c;

	for (c = from ? from->request.first : NULL; c; c = c->next)
		capture_declare(cfg, proxy, false, NULL, c->len);
}

static struct captures *captures_of(struct config *cfg, struct proxy *proxy)
{
	if (!proxy->captures) {
		proxy->captures = arena_alloc(cfg->arena, sizeof(*proxy->captures));
		inherit_slots(cfg, proxy);
	}
	return proxy->captures;
}

unsigned capture_declared(struct config *cfg, struct proxy *proxy, bool response)
{
	if (proxy->defaults && proxy->defaults->captures)
		captures_of(cfg, proxy);
	return capture_count(proxy, response);
}

unsigned capture_declare(struct config *cfg, struct proxy *proxy, bool response, const char *name,
			 unsigned len)
{
	struct captures *all = captures_of(cfg, proxy);
	struct capture_slots *slots = response ? &all->response : &all->request;
	struct capture *c = arena_alloc(cfg->arena, sizeof(*c));

	if (name)
		c->name = span_of(name);
	c->len = len;
	if (slots->last)
		slots->last->next = c;
	else
		slots->first = c;
	slots->last = c;
	return slots->count++;
}

/* "len <length>" at the end of the line. */
static int parse_len(struct statement *st, unsigned *len)
{
	int64_t n;

	if (!stmt_take(st, "len"))
		return stmt_error(st, st->at, "'len' and the longest length are expected here");
	if (stmt_int(st, "the longest length", 0, 65535, &n))
		return -1;
	*len = (unsigned)n;
	return stmt_end(st);
}

/* Only frontends log. True, after a warning: this is a backend. */
static bool useless(struct statement *st)
{
	if (st->scope & SCOPE_FRONTEND)
		return false;
	stmt_warning(st, 0, "ignored in a backend: the frontend keeps what it logs");
	st->at = st->count;
	return true;
}

static int parse_header(struct statement *st, struct proxy *proxy, bool response)
{
	const char *name;
	unsigned len = 0;

	if (useless(st))
		return 0;
	name = stmt_need(st, "the name of a header field");
	if (!name || parse_len(st, &len))
		return -1;
	capture_declare(st->cfg, proxy, response, name, len);
	return 0;
}

static int parse_request_header(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_header(st, object, false);
}

static int parse_response_header(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return parse_header(st, object, true);
}

static int parse_cookie(struct statement *st, const struct keyword *kw, void *object)
{
	struct captures *c;
	const char *name;
	unsigned len = 0;

	(void)kw;
	if (useless(st))
		return 0;
	name = stmt_need(st, "the name of a cookie");
	if (!name || parse_len(st, &len))
		return -1;
	c = captures_of(st->cfg, object);
	c->cookie = span_of(name);
	c->cookie_exact = c->cookie.len && name[c->cookie.len - 1] == '=';
	c->cookie.len -= c->cookie_exact;
	c->cookie_len = len;
	return 0;
}

static int parse_declare(struct statement *st, const struct keyword *kw, void *object)
{
	unsigned len = 0;
	bool response;

	(void)kw;
	if (!(st->scope & SCOPE_FRONTEND))
		return stmt_error(st, 0, "only frontends and listen sections have captures");
	response = stmt_take(st, "response");
	if (!response && !stmt_take(st, "request"))
		return stmt_error(st, st->at, "'request' or 'response' is expected here");
	if (parse_len(st, &len))
		return -1;
	capture_declare(st->cfg, object, response, NULL, len);
	return 0;
}

/* -- the end ---------------------------------------------------------------------------- */

void capture_need_uri(struct config *cfg)
{
	struct capture_data *data = cfg ? config_data(cfg, &capture_module) : NULL;

	if (data)
		data->need_uri = true;
}

/* Does it keep anything that only HTTP has? Slots without a name are filled by rules. */
static bool captures_fields(const struct captures *c)
{
	const struct capture *slot;

	for (slot = c->request.first; slot; slot = slot->next) {
		if (slot->name.ptr)
			return true;
	}
	return c->response.count || c->cookie.ptr;
}

static void finish_captures(struct config *cfg, struct proxy *px, const struct capture_data *data)
{
	struct captures *c = px->captures;

	if (!proxy_may_speak_http(px) && captures_fields(c)) {
		config_warning(cfg, &px->loc, "captures of '%s' need mode http, or a backend in "
			       "mode http that its streams go to", px->name);
		return;
	}
	if (c->cookie.ptr && c->cookie_len > data->cookielen) {
		config_warning(cfg, &px->loc, "the captured cookie of '%s' is cut to %u bytes: "
			       "tune.http.cookielen", px->name, data->cookielen);
		c->cookie_len = data->cookielen;
	}
}

/* A backend has no slots. */
static int inherit_captures(struct config *cfg, struct proxy *px)
{
	if (!px->defaults || !px->defaults->captures)
		return 0;
	if (!(px->caps & PROXY_FRONTEND))
		return config_error(cfg, &px->loc, "backend '%s' cannot use the defaults section '%s', whose "
				    "rules capture with 'len': only frontends have slots", px->name,
				    px->defaults->name);
	captures_of(cfg, px);
	return 0;
}

static int capture_finish(struct config *cfg, void *module_data)
{
	const struct capture_data *data = module_data;
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

	list_for_each(px, &all->list, node) {
		bad |= inherit_captures(cfg, px);
		if (px->captures)
			finish_captures(cfg, px, data);
		px->keeps_uri |= data->need_uri;
	}
	return bad;
}

/* Its rules take no captures. */
static int capture_make_backend(struct config *cfg, struct proxy *px)
{
	const struct capture_data *data = config_data(cfg, &capture_module);

	px->keeps_uri |= data->need_uri;
	return inherit_captures(cfg, px);
}

struct proxy_part capture_proxy_part = { .make = capture_make_backend };

static int capture_prepare(struct config *cfg, void *module_data, struct err *err)
{
	const struct capture_data *data = module_data;

	(void)cfg;
	(void)err;
	uri_longest = data->logurilen;
	return 0;
}

static void capture_init(struct config *cfg, void *module_data)
{
	struct capture_data *data = module_data;

	(void)cfg;
	data->cookielen = 63;
	data->logurilen = 1024;
}

static const struct keyword keywords[] = {
	{ .name = "capture cookie", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "<name> len <length>", .parse = parse_cookie,
	  .help = "keeps a cookie of requests and responses for the log" },
	{ .name = "capture request header", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "<name> len <length>", .parse = parse_request_header,
	  .help = "keeps a header field of requests for the log" },
	{ .name = "capture response header", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "<name> len <length>", .parse = parse_response_header,
	  .help = "keeps a header field of responses for the log" },
	{ .name = "declare capture", .scope = SCOPE_FRONTEND | SCOPE_BACKEND,
	  .args = "{request|response} len <length>", .parse = parse_declare,
	  .help = "a place that rules keep a value in, for the log" },
	{ .name = "tune.http.cookielen", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct capture_data, cookielen), .min = 0,
	  .max = 65536, .dflt = "63", .help = "longest captured cookie" },
	{ .name = "tune.http.logurilen", .scope = SCOPE_GLOBAL, .args = "<number>",
	  .parse = set_unsigned, .offset = offsetof(struct capture_data, logurilen), .min = 0,
	  .max = 65536, .dflt = "1024", .help = "longest request line in the log" },
	{ .name = NULL },
};

const struct module capture_module = {
	.name = "capture",
	.keywords = keywords,
	.data_size = sizeof(struct capture_data),
	.init = capture_init,
	.finish = capture_finish,
	.prepare = capture_prepare,
};
