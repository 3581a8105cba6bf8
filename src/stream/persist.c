/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by cookies (manual 4.2: cookie, force-persist, ignore-persist). Called once when the
 * request is about to choose its server and once when a server has answered. What is told in the
 * log's third and fourth letter (%tsc) is noted on the way. It picks no server: it says which one
 * the request asks for. */
#include "stream/persist.h"

#include "base/arena.h"
#include "expr/acl.h"
#include "expr/expr.h"
#include "expr/rule.h"
#include "http/cookie.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "stream/exchange.h"
#include "stream/extra.h"
#include "stream/stream.h"

#include <endian.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { STEP_SECONDS = 4, DAY_STEPS = 86400 / STEP_SECONDS, DATE_MASK = (1 << 30) - 1 };

/* -- dates ------------------------------------------------------------------------------ */

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void cookie_date_write(char text[COOKIE_DATE_LEN], uint32_t date)
{
	int i;

	for (i = COOKIE_DATE_LEN - 1; i >= 0; i--, date >>= 6)
		text[i] = alphabet[date & 63];
}

uint32_t cookie_date_read(struct span text)
{
	uint32_t date = 0;
	const char *at;
	size_t i;

	if (text.len != COOKIE_DATE_LEN)
		return 0;
	for (i = 0; i < text.len; i++) {
		at = text.ptr[i] ? strchr(alphabet, text.ptr[i]) : NULL;
		if (!at)
			return 0;
		date = date << 6 | (uint32_t)(at - alphabet);
	}
	return date;
}

static uint32_t date_now(void)
{
	return (uint32_t)((uint64_t)time(NULL) / STEP_SECONDS) & DATE_MASK;
}

/* Older than the limit, or more than a day in the future. */
static bool date_refused(uint32_t date, unsigned limit_ms)
{
	int32_t age = (int32_t)(date_now() - date);

	return age < -DAY_STEPS || (age > 0 && (uint64_t)age * STEP_SECONDS * 1000 > limit_ms);
}

/* -- values of servers ------------------------------------------------------------------ */

/* Of key, address and port: the same wherever these are. */
struct span persist_value(const struct server *server, char memory[17])
{
	const struct proxy *px = server->proxy;
	const struct addr *addr = &server->state->addr;
	unsigned char bytes[512 + sizeof(addr->v6) + sizeof(uint32_t)];
	size_t len;
	uint32_t port;

	if (server->cookie)
		return span_of(server->cookie);
	if (!px->set.cookie || !px->set.cookie->dynamic || !px->set.dynamic_cookie_key)
		return span_of("");
	len = strnlen(px->set.dynamic_cookie_key, 512);
	memcpy(bytes, px->set.dynamic_cookie_key, len);
	if (addr->family == AF_INET)
		memcpy(bytes + len, &addr->v4, sizeof(addr->v4));
	else if (addr->family == AF_INET6)
		memcpy(bytes + len, &addr->v6, sizeof(addr->v6));
	else
		return span_of("");
	len += addr->family == AF_INET ? sizeof(addr->v4) : sizeof(addr->v6);
	port = htonl(addr->port);
	memcpy(bytes + len, &port, sizeof(port));
	snprintf(memory, 17, "%016llx",
		 (unsigned long long)XXH64(bytes, len + sizeof(port), 0));
	return (struct span){ memory, 16 };
}

/* It may have no weight any more: who is on it may stay. */
static bool server_reachable(const struct server *server)
{
	return server->state->op != SERVER_DOWN && !(server->state->admin & ADMIN_MAINT);
}

/* The first reachable one of the value; else, where that does not matter, the first. */
static struct server *find_server(const struct proxy *px, struct span value, bool forced,
				  bool *known)
{
	struct server *server;
	char memory[17];

	*known = false;
	for (server = value.len ? px->servers : NULL; server; server = server->next) {
		if (server->refused || !span_equal(persist_value(server, memory), value))
			continue;
		*known = true;
		if (forced || server_reachable(server))
			return server;
	}
	return NULL;
}

/* -- the request ------------------------------------------------------------------------ */

enum { CODE_NONE = 'N', CODE_INVALID = 'I', CODE_DOWN = 'D', CODE_VALID = 'V', CODE_EXPIRED = 'E',
       CODE_OLD = 'O', CODE_UNUSED = 'U' };

enum { SET_NONE = 'N', SET_INSERTED = 'I', SET_UPDATED = 'U', SET_PROVIDED = 'P',
       SET_REWRITTEN = 'R', SET_DELETED = 'D' };

static void apply_rules(struct exchange *x, const struct proxy *px, struct stream_extra *extra)
{
	const struct persist_rule *rule;
	struct view view;

	if (!px->persist_rules)
		return;
	stream_view(x->stream, &view, NULL);
	for (rule = px->persist_rules; rule; rule = rule->next) {
		if (cond_eval(rule->cond, &view, AT_SERVER | AT_FINAL) != COND_YES)
			continue;
		if (rule->ignore)
			extra->persist_ignored = true;
		else
			extra->persist_forced = true;
		return;
	}
}

/* "value|last|first": the dates, 0 where there is none; the value. */
static struct span split_dates(struct span value, uint32_t *last, uint32_t *first)
{
	const char *bar = memchr(value.ptr, '|', value.len), *next;
	struct span date;

	*last = *first = 0;
	if (!bar)
		return value;
	date = (struct span){ bar + 1, (size_t)(value.ptr + value.len - bar - 1) };
	next = memchr(date.ptr, '|', date.len);
	if (next) {
		*first = cookie_date_read((struct span){
			next + 1, (size_t)(date.ptr + date.len - next - 1) });
		date.len = (size_t)(next - date.ptr);
	}
	*last = cookie_date_read(date);
	return (struct span){ value.ptr, (size_t)(bar - value.ptr) };
}

static char check_dates(const struct cookie_conf *c, uint32_t last, uint32_t first)
{
	if (c->maxlife_ms && first && date_refused(first, c->maxlife_ms))
		return CODE_OLD;
	if (c->maxidle_ms && last && date_refused(last, c->maxidle_ms))
		return CODE_EXPIRED;
	return 0;
}

/* Which server does the cookie ask for? The code of the log. */
static char ask(struct exchange *x, const struct cookie_conf *c, struct span value)
{
	const struct proxy *px = x->stream->backend;
	struct stream_extra *extra = x->stream->extra;
	bool forced = extra->persist_forced || px->set.options.on & OPT_PERSIST, known;
	const char *tilde;
	char code;

	if (c->mode == COOKIE_PREFIX) {
		tilde = memchr(value.ptr, '~', value.len);
		if (tilde)
			value.len = (size_t)(tilde - value.ptr);
	} else {
		value = split_dates(value, &x->cookie_last, &x->cookie_first);
		code = check_dates(c, x->cookie_last, x->cookie_first);
		if (code)
			return code;
	}
	if (extra->persist_ignored || extra->by_rule)
		return CODE_UNUSED;
	extra->persist = find_server(px, value, false, &known);
	if (extra->persist)
		return CODE_VALID;
	if (forced)
		extra->persist = find_server(px, value, true, &known);
	return known ? CODE_DOWN : CODE_INVALID;
}

/* The field without the cookie; a field without cookies goes. */
static void remove_cookie(struct exchange *x, struct field *f, struct span whole)
{
	char *memory = arena_alloc(x->arena, f->value.len + 1);
	size_t len = cookie_remove(f->value, whole, memory);

	if (len)
		message_set_value(&x->req, f, (struct span){ memory, len });
	else
		message_delete_field(&x->req, f);
}

/* The server sees the cookie that it has set, without the prefix. */
static void remove_prefix(struct exchange *x, struct field *f, const struct cookie *cookie)
{
	const char *tilde = memchr(cookie->value.ptr, '~', cookie->value.len);
	size_t before, behind;
	char *memory;

	if (!tilde)
		return;
	before = (size_t)(cookie->value.ptr - f->value.ptr);
	behind = (size_t)(f->value.ptr + f->value.len - tilde - 1);
	memory = arena_alloc(x->arena, before + behind + 1);
	memcpy(memory, f->value.ptr, before);
	memcpy(memory + before, tilde + 1, behind);
	message_set_value(&x->req, f, (struct span){ memory, before + behind });
}

/* Of several cookies the first counts that leads to a server. What is only unknown says least. */
static void ask_next(struct exchange *x, const struct cookie_conf *c, struct span value)
{
	char before = x->http.cookie_code, code;

	if (x->stream->extra->persist)
		return;
	code = ask(x, c, value);
	if (code != CODE_INVALID || before == CODE_NONE)
		x->http.cookie_code = code;
}

/* Goes through the cookies of a field; what changes it begins again where it has been changed. */
static void look_at_field(struct exchange *x, const struct cookie_conf *c, struct field *f)
{
	struct cookie cookie;
	size_t at = 0, begin = 0;

	while (f->name.ptr && cookie_next(f->value, &at, &cookie)) {
		size_t len = f->value.len;

		if (span_equal(cookie.name, c->name)) {
			ask_next(x, c, cookie.value);
			if (c->mode == COOKIE_INSERT && c->indirect) {
				remove_cookie(x, f, cookie.whole);
				at = begin;
			} else if (c->mode == COOKIE_PREFIX) {
				remove_prefix(x, f, &cookie);
				at -= len - f->value.len;
			}
		}
		begin = at;
	}
}

/* use-server decides: the cookie does not. */
static bool has_rule(struct exchange *x, struct proxy *px)
{
	struct view view;

	if (!px->use_server_rules)
		return false;
	stream_view(x->stream, &view, NULL);
	return use_server(px, &view) != NULL;
}

bool persist_request(struct exchange *x)
{
	struct proxy *px = x->stream->backend;
	const struct cookie_conf *c = px->set.cookie;
	struct stream_extra *extra;
	struct field *f;
	unsigned at = 0;

	if (!c && !px->persist_rules)
		return true;
	extra = extra_get(x->stream);
	if (!extra)
		return false;
	apply_rules(x, px, extra);
	extra->by_rule = has_rule(x, px);
	if (!c)
		return true;
	x->http.cookie_code = CODE_NONE;
	x->http.set_cookie_code = SET_NONE;
	while ((f = message_find_id(&x->req, FIELD_COOKIE, &at)))
		look_at_field(x, c, f);
	if (c->mode == COOKIE_PASSIVE && !c->indirect)
		x->http.cookie_code = x->http.set_cookie_code = 0; /* the log says nothing of it */
	return true;
}

/* -- RDP cookies ------------------------------------------------------------------------ */

/* "<address>.<port>.<reserved>": numbers of which the lowest byte comes first on the wire. */
static bool read_rdp(struct span text, struct in_addr *addr, uint16_t *port)
{
	uint64_t n[2] = { 0, 0 };
	size_t i = 0;
	int k;

	for (k = 0; k < 2; k++, i++) {
		size_t start = i;

		for (; i < text.len && i - start < 10 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
			n[k] = n[k] * 10 + (uint64_t)(text.ptr[i] - '0');
		if (i == start || i >= text.len || text.ptr[i] != '.')
			return false;
	}
	if (n[0] > UINT32_MAX || n[1] > UINT16_MAX)
		return false;
	addr->s_addr = htole32((uint32_t)n[0]);
	*port = ntohs(htole16((uint16_t)n[1]));
	return true;
}

void persist_rdp(struct stream *s)
{
	const struct proxy *px = s->backend;
	struct stream_extra *extra = extra_get(s);
	struct server *server;
	struct in_addr addr;
	struct sample smp;
	struct view view;
	uint16_t port;

	if (!extra)
		return;
	stream_view(s, &view, NULL);
	if (expr_eval_as(px->set.persist_rdp, &view, AT_SERVER | AT_FINAL, SMP_STR, &smp) !=
		    EXPR_FOUND || !read_rdp(smp.str, &addr, &port))
		return;
	for (server = px->servers; server; server = server->next) {
		const struct addr *a = &server->state->addr;

		if (a->family == AF_INET && a->v4.s_addr == addr.s_addr && a->port == port &&
		    (px->set.options.on & OPT_PERSIST || server_reachable(server))) {
			extra->persist = server;
			return;
		}
	}
}

struct server *persist_server(const struct stream *s)
{
	return s->extra ? s->extra->persist : NULL;
}

void persist_lost(struct stream *s)
{
	if (!s->extra)
		return;
	s->extra->persist = NULL;
	s->extra->direct = false;
	if (s->exchange && s->exchange->http.cookie_code == CODE_VALID)
		s->exchange->http.cookie_code = CODE_DOWN;
}

/* -- the response ----------------------------------------------------------------------- */

static void set_value(struct exchange *x, struct field *f, const struct cookie *cookie,
		      struct span value, bool prefix)
{
	size_t before = (size_t)(cookie->name.ptr + cookie->name.len - f->value.ptr);
	const char *rest = prefix ? cookie->value.ptr : cookie->value.ptr + cookie->value.len;
	size_t behind = (size_t)(f->value.ptr + f->value.len - rest), len = 0;
	char *memory = arena_alloc(x->arena, before + 1 + value.len + 1 + behind + 1);

	memcpy(memory, f->value.ptr, before);
	len = before;
	memory[len++] = '=';
	memcpy(memory + len, value.ptr, value.len);
	len += value.len;
	if (prefix)
		memory[len++] = '~';
	memcpy(memory + len, rest, behind);
	message_set_value(&x->res, f, (struct span){ memory, len + behind });
}

/* A Set-Cookie of the server. */
static void meet_cookie(struct exchange *x, const struct cookie_conf *c, struct field *f)
{
	char memory[17];
	struct span value = persist_value(x->stream->server, memory);
	bool valid = x->http.cookie_code == CODE_VALID;
	struct cookie cookie;

	if (!set_cookie_parse(f->value, &cookie) || !span_equal(cookie.name, c->name))
		return;
	x->http.set_cookie_code = SET_PROVIDED;
	if (c->preserve)
		return;
	if (c->mode == COOKIE_INSERT || (c->indirect && valid)) {
		message_delete_field(&x->res, f);
		x->http.set_cookie_code = SET_DELETED;
	} else if (value.len && (c->mode == COOKIE_REWRITE || c->mode == COOKIE_PREFIX)) {
		set_value(x, f, &cookie, value, c->mode == COOKIE_PREFIX);
		x->http.set_cookie_code = SET_REWRITTEN;
	}
}

/* Does the response have to tell the client where it is? */
static bool must_insert(const struct exchange *x, const struct cookie_conf *c)
{
	const struct stream_extra *extra = x->stream->extra;

	if (c->mode != COOKIE_INSERT || extra->persist_ignored)
		return false;
	if (c->preserve && x->http.set_cookie_code == SET_PROVIDED)
		return false;
	if (c->postonly && x->req.method != METHOD_POST)
		return false;
	if (!extra->direct)
		return true;
	if (x->http.cookie_code != CODE_VALID)
		return false;
	if (c->maxidle_ms || c->maxlife_ms)
		return x->cookie_last != date_now();
	return x->cookie_last || x->cookie_first;
}

static void write_cookie(struct exchange *x, const struct cookie_conf *c, struct span value,
			 struct text *t)
{
	char date[COOKIE_DATE_LEN];
	uint32_t first = x->cookie_first ? x->cookie_first : date_now();

	text_add(t, c->name.ptr, c->name.len);
	text_char(t, '=');
	if (!value.len) {
		text_str(t, "; Expires=Thu, 01-Jan-1970 00:00:01 GMT; path=/");
	} else {
		text_add(t, value.ptr, value.len);
		if (c->maxidle_ms || c->maxlife_ms) {
			cookie_date_write(date, date_now());
			text_char(t, '|');
			text_add(t, date, sizeof(date));
		}
		if (c->maxlife_ms) {
			if (x->http.cookie_code != CODE_VALID)
				first = date_now();
			cookie_date_write(date, first);
			text_char(t, '|');
			text_add(t, date, sizeof(date));
		}
		text_str(t, "; path=/");
	}
	text_str(t, c->attributes);
}

/* -- caches ----------------------------------------------------------------------------- */

static bool cacheable_by_default(unsigned status)
{
	static const uint16_t cached[] = { 200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501 };
	size_t i;

	for (i = 0; i < sizeof(cached) / sizeof(cached[0]); i++) {
		if (cached[i] == status)
			return true;
	}
	return false;
}

static bool has_prefix(struct span s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && !strncasecmp(s.ptr, prefix, len);
}

/* Has the directive a number above 0 behind it? */
static bool lives(struct span directive, size_t name_len)
{
	size_t i;

	for (i = name_len; i < directive.len; i++) {
		if (directive.ptr[i] >= '1' && directive.ptr[i] <= '9')
			return true;
	}
	return false;
}

/* May a shared cache keep it (RFC 9111 3, as far as the fields say so)? */
static bool may_be_cached(const struct exchange *x)
{
	const struct message *res = &x->res;
	struct span name = { "cache-control", 13 }, part;
	struct field_walk walk = { 0 };
	bool fresh = false, explicit_age = false;
	unsigned at = 0;

	if (x->req.method == METHOD_POST || x->req.method == METHOD_PUT ||
	    !cacheable_by_default(res->status))
		return false;
	while (message_next_element(res, name, &walk, &part)) {
		if (has_prefix(part, "no-store") || (has_prefix(part, "no-cache") && part.len == 8) ||
		    has_prefix(part, "private"))
			return false;
		if (has_prefix(part, "max-age=") || has_prefix(part, "s-maxage=")) {
			explicit_age = true;
			fresh |= lives(part, 8);
		}
	}
	if (message_find(res, (struct span){ "pragma", 6 }, &at))
		return false;
	if (explicit_age)
		return fresh;
	at = 0;
	if (message_find(res, (struct span){ "expires", 7 }, &at))
		return true;
	at = 0;
	if (message_find_id(res, FIELD_ETAG, &at))
		return true;
	at = 0;
	return message_find(res, (struct span){ "last-modified", 13 }, &at) != NULL;
}

static bool insert(struct exchange *x, const struct cookie_conf *c)
{
	char memory[4096], value_memory[17];
	struct span value = persist_value(x->stream->server, value_memory);
	bool updates = x->stream->extra->direct;
	struct text t;

	text_init(&t, memory, sizeof(memory));
	write_cookie(x, c, value, &t);
	x->http.set_cookie_code = updates ? SET_UPDATED : SET_INSERTED;
	if (c->nocache && may_be_cached(x) &&
	    !message_add(&x->res, x->arena, (struct span){ "Cache-Control", 13 },
			 (struct span){ "private", 7 }))
		return false;
	return message_add(&x->res, x->arena, (struct span){ "Set-Cookie", 10 },
			   (struct span){ arena_strndup(x->arena, t.ptr, t.len), t.len });
}

bool persist_response(struct exchange *x)
{
	const struct proxy *px = x->stream->backend;
	const struct cookie_conf *c = px ? px->set.cookie : NULL;
	struct field *f;
	unsigned at = 0;

	if (!c || !x->stream->server || !x->http.cookie_code || !x->stream->extra)
		return true;
	x->http.set_cookie_code = SET_NONE;
	while ((f = message_find_id(&x->res, FIELD_SET_COOKIE, &at)))
		meet_cookie(x, c, f);
	return must_insert(x, c) ? insert(x, c) : true;
}
