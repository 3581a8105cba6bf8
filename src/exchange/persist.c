/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by cookies (manual 4.2: cookie, force-persist, ignore-persist). Called once when the
 * request is about to choose its server and once when a server has answered. What is told in the
 * log's third and fourth letter (%tsc) is noted on the way. It picks no server: it says which one
 * the request asks for. */
#include "exchange/persist.h"

#include "base/arena.h"
#include "expr/rule.h"
#include "http/cookie.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "stream/extra.h"
#include "stream/persist_rules.h"
#include "stream/stream.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct proxy_part persist_part = { PROXY_SETTINGS("persist", struct persist_conf) };

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

/* Of key, address and port: the same wherever these are. False: there is no such address. */
static bool value_make(const char *key, const struct addr *addr, char text[16])
{
	unsigned char bytes[PERSIST_KEY_MOST + sizeof(addr->v6) + sizeof(uint32_t)];
	uint32_t port = htonl(addr->port);
	size_t len = strnlen(key, PERSIST_KEY_MOST), i;
	uint64_t hash;

	memcpy(bytes, key, len);
	if (addr->family == AF_INET)
		memcpy(bytes + len, &addr->v4, sizeof(addr->v4));
	else if (addr->family == AF_INET6)
		memcpy(bytes + len, &addr->v6, sizeof(addr->v6));
	else
		return false;
	len += addr->family == AF_INET ? sizeof(addr->v4) : sizeof(addr->v6);
	memcpy(bytes + len, &port, sizeof(port));
	hash = XXH64(bytes, len + sizeof(port), 0);
	for (i = 16; i--; hash >>= 4)
		text[i] = "0123456789abcdef"[hash & 15];
	return true;
}

/* What dynamic cookies are made of; NULL: there are none. */
static const char *dynamic_key(const struct proxy *px)
{
	const struct persist_dynamic *said = persist_dynamic_of(px);
	const struct cookie_conf *cookie = persist_cookie(px);
	int made = said ? said->made : DYNAMIC_AS_CONFIGURED;

	if (!cookie || (made == DYNAMIC_AS_CONFIGURED ? !cookie->dynamic : made == DYNAMIC_OFF))
		return NULL;
	return said && said->has_key ? said->key : persist_key(px);
}

/* Made once for each address that the server has, and key. */
struct span persist_value(const struct server *server)
{
	const char *key = dynamic_key(server->proxy);
	const struct addr *addr = &server->state->addr;
	struct server_value *made = &server->state->value;

	if (server->set.cookie)
		return span_of(server->set.cookie);
	if (!key)
		return span_of("");
	if (made->key == key && !memcmp(&made->addr, addr, sizeof(*addr)))
		return (struct span){ made->text, sizeof(made->text) };
	if (!value_make(key, addr, made->text))
		return span_of("");
	made->key = key;
	made->addr = *addr;
	return (struct span){ made->text, sizeof(made->text) };
}

/* The first reachable one of the value; else, where that does not matter, the first. */
static struct server *search_server(const struct proxy *px, struct span value, bool forced,
				    bool *known)
{
	struct server *server;

	for (server = px->servers; server; server = server->next) {
		if (server->refused || !span_equal(persist_value(server), value))
			continue;
		*known = true;
		if (forced || server_reachable(server))
			return server;
	}
	return NULL;
}

/* -- many cookies ----------------------------------------------------------------------- */

/* A request may hold thousands of cookies, a backend thousands of servers: from the second search
 * on servers are found by a hash of their values, in the order in which they stand. Made anew for
 * each request that needs it, since addresses change. */
struct bucket {
	uint64_t hash;
	struct server *server; /* NULL: free */
};

static struct bucket *buckets; /* of the process: kept, grows */
static size_t bucket_count;   /* a power of 2 */

struct finder {
	const struct proxy *px;
	unsigned searches;
	bool indexed;
};

static bool finder_room(size_t servers)
{
	size_t size = bucket_count ? bucket_count : 64;
	struct bucket *more;

	while (size < 2 * servers)
		size *= 2;
	if (size > bucket_count) {
		more = realloc(buckets, size * sizeof(*buckets));
		if (!more)
			return false;
		buckets = more;
		bucket_count = size;
	}
	memset(buckets, 0, bucket_count * sizeof(*buckets));
	return true;
}

static uint64_t value_hash(struct span value)
{
	return XXH64(value.ptr, value.len, 0);
}

/* False: no memory; then each search looks at each server. */
static bool finder_index(struct finder *finder)
{
	struct server *server;
	struct span value;
	size_t count = 0, at;
	uint64_t hash;

	for (server = finder->px->servers; server; server = server->next)
		count++;
	if (!finder_room(count))
		return false;
	for (server = finder->px->servers; server; server = server->next) {
		value = persist_value(server);
		if (server->refused || !value.len)
			continue;
		hash = value_hash(value);
		for (at = hash & (bucket_count - 1); buckets[at].server; at = (at + 1) & (bucket_count - 1))
			;
		buckets[at] = (struct bucket){ hash, server };
	}
	finder->indexed = true;
	return true;
}

static struct server *finder_look(struct span value, bool forced, bool *known)
{
	uint64_t hash = value_hash(value);
	const struct bucket *p;
	size_t at;

	for (at = hash & (bucket_count - 1); buckets[at].server; at = (at + 1) & (bucket_count - 1)) {
		p = &buckets[at];
		if (p->hash != hash || !span_equal(persist_value(p->server), value))
			continue;
		*known = true;
		if (forced || server_reachable(p->server))
			return p->server;
	}
	return NULL;
}

static struct server *find_server(struct finder *finder, struct span value, bool forced, bool *known)
{
	*known = false;
	if (!value.len)
		return NULL;
	if (finder->indexed || (finder->searches++ >= 2 && finder_index(finder)))
		return finder_look(value, forced, known);
	return search_server(finder->px, value, forced, known);
}

/* -- the request ------------------------------------------------------------------------ */

enum { CODE_NONE = 'N', CODE_INVALID = 'I', CODE_DOWN = 'D', CODE_VALID = 'V', CODE_EXPIRED = 'E',
       CODE_OLD = 'O', CODE_UNUSED = 'U' };

enum { SET_NONE = 'N', SET_INSERTED = 'I', SET_UPDATED = 'U', SET_PROVIDED = 'P',
       SET_REWRITTEN = 'R', SET_DELETED = 'D' };

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

/* Those of the client's cookie; 0: none. */
struct cookie_dates {
	uint32_t last, first;
};

struct exchange_part cookie_dates_part = { EXCHANGE_PART("cookie dates", struct cookie_dates) };

static struct cookie_dates dates_of(const struct exchange *x)
{
	const struct cookie_dates *dates = exchange_part(x, &cookie_dates_part);

	return dates ? *dates : (struct cookie_dates){ 0, 0 };
}

/* Without memory the exchange fails: its arena knows it. */
static void keep_dates(struct exchange *x, struct cookie_dates dates)
{
	struct cookie_dates *kept = exchange_part(x, &cookie_dates_part);

	if (!kept && (dates.last || dates.first))
		kept = exchange_part_make(x, &cookie_dates_part);
	if (kept)
		*kept = dates;
}

static char check_dates(const struct cookie_conf *c, uint32_t last, uint32_t first)
{
	if (c->maxlife_ms && first && date_refused(first, c->maxlife_ms))
		return CODE_OLD;
	if (c->maxidle_ms && last && date_refused(last, c->maxidle_ms))
		return CODE_EXPIRED;
	return 0;
}

/* A Cookie field that is being gone through, once, whatever is taken out of it. */
struct look {
	struct exchange *x;
	const struct cookie_conf *c;
	struct finder finder;
	struct field *field;
	struct cookie_edit edit; /* memory NULL: the field is as it was */
};

/* Which server does the cookie ask for? The code of the log. */
static char ask(struct exchange *x, const struct cookie_conf *c, struct finder *finder,
		struct span value)
{
	const struct proxy *px = x->stream->backend;
	struct stream_extra *extra = x->stream->extra;
	bool forced = extra->persist_forced || px->set.options.on & OPT_PERSIST, known;
	struct cookie_dates dates;
	const char *tilde;
	char code;

	if (c->mode == COOKIE_PREFIX) {
		tilde = memchr(value.ptr, '~', value.len);
		if (tilde)
			value.len = (size_t)(tilde - value.ptr);
	} else {
		value = split_dates(value, &dates.last, &dates.first);
		keep_dates(x, dates);
		code = check_dates(c, dates.last, dates.first);
		if (code)
			return code;
	}
	if (extra->persist_ignored || extra->by_rule)
		return CODE_UNUSED;
	extra->persist = find_server(finder, value, false, &known);
	if (extra->persist)
		return CODE_VALID;
	if (forced)
		extra->persist = find_server(finder, value, true, &known);
	return known ? CODE_DOWN : CODE_INVALID;
}

/* Something of the field is to be left out. False: no memory. */
static bool look_edits(struct look *look)
{
	struct span value = look->field->value;
	char *memory;

	if (look->edit.memory)
		return true;
	memory = arena_alloc(look->x->arena, value.len + 1);
	if (memory)
		cookie_edit_begin(&look->edit, value, memory);
	return memory != NULL;
}

static bool look_remove(struct look *look, const struct cookie *cookie)
{
	if (!look_edits(look))
		return false;
	cookie_edit_remove(&look->edit, cookie->whole);
	return true;
}

/* The server sees the cookie that it has set, without the prefix. */
static bool look_unprefix(struct look *look, const struct cookie *cookie)
{
	const char *tilde = memchr(cookie->value.ptr, '~', cookie->value.len);

	if (!tilde)
		return true;
	if (!look_edits(look))
		return false;
	cookie_edit_cut(&look->edit, cookie->value.ptr, tilde + 1);
	return true;
}

/* A field without cookies goes. */
static void look_end(struct look *look)
{
	struct message *req = &look->x->req;
	size_t len;

	if (!look->edit.memory)
		return;
	len = cookie_edit_end(&look->edit);
	if (len)
		message_set_value(req, look->field, (struct span){ look->edit.memory, len });
	else
		message_delete_field(req, look->field);
	look->edit.memory = NULL;
}

/* Of several cookies the first counts that leads to a server. What is only unknown says least. */
static void ask_next(struct look *look, struct span value)
{
	struct exchange *x = look->x;
	char before = x->http.cookie_code, code;

	if (x->stream->extra->persist)
		return;
	code = ask(x, look->c, &look->finder, value);
	if (code != CODE_INVALID || before == CODE_NONE)
		x->http.cookie_code = code;
}

/* False: no memory. */
static bool look_at_field(struct look *look, struct field *f)
{
	const struct cookie_conf *c = look->c;
	struct cookie cookie;
	bool good = true;
	size_t at = 0;

	look->field = f;
	while (good && cookie_next(f->value, &at, &cookie)) {
		if (!span_equal(cookie.name, c->name))
			continue;
		ask_next(look, cookie.value);
		if (c->mode == COOKIE_INSERT && c->indirect)
			good = look_remove(look, &cookie);
		else if (c->mode == COOKIE_PREFIX)
			good = look_unprefix(look, &cookie);
	}
	look_end(look);
	return good;
}

/* use-server decides: the cookie does not. */
static bool has_rule(struct exchange *x, struct proxy *px)
{
	struct view view;

	if (!px->use_server_rules)
		return false;
	stream_view(x->stream, &view, NULL);
	return use_server_decides(px, &view);
}

bool persist_request(struct exchange *x)
{
	struct proxy *px = x->stream->backend;
	const struct cookie_conf *c = persist_cookie(px);
	struct look look = { .x = x, .c = c, .finder = { .px = px } };
	struct stream_extra *extra;
	struct field *f;
	unsigned at = 0;

	if (!c && !persist_rules_of(px))
		return true;
	extra = extra_get(x->stream);
	if (!extra)
		return false;
	persist_rules_apply(x->stream, extra);
	extra->by_rule = has_rule(x, px);
	if (!c)
		return true;
	x->http.cookie_code = CODE_NONE;
	x->http.set_cookie_code = SET_NONE;
	while ((f = message_find_id(&x->req, FIELD_COOKIE, &at)))
		if (!look_at_field(&look, f))
			return false;
	if (c->mode == COOKIE_PASSIVE && !c->indirect)
		x->http.cookie_code = x->http.set_cookie_code = 0; /* the log says nothing of it */
	return true;
}

void persist_lost(struct exchange *x)
{
	if (x->http.cookie_code == CODE_VALID)
		x->http.cookie_code = CODE_DOWN;
}

/* -- the response ----------------------------------------------------------------------- */

static void set_value(struct exchange *x, struct field *f, const struct cookie *cookie,
		      struct span value, bool prefix)
{
	size_t before = (size_t)(cookie->name.ptr + cookie->name.len - f->value.ptr);
	const char *rest = prefix ? cookie->value.ptr : cookie->value.ptr + cookie->value.len;
	size_t behind = (size_t)(f->value.ptr + f->value.len - rest), len = 0;
	char *memory = arena_alloc(x->arena, before + 1 + value.len + 1 + behind + 1);

	if (!memory)
		return;
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
	struct span value = persist_value(x->stream->server);
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
	struct cookie_dates dates;

	if (c->mode != COOKIE_INSERT || extra->persist_ignored)
		return false;
	if (c->preserve && x->http.set_cookie_code == SET_PROVIDED)
		return false;
	if (c->postonly && x->asked != METHOD_POST)
		return false;
	if (!extra->direct)
		return true;
	if (x->http.cookie_code != CODE_VALID)
		return false;
	dates = dates_of(x);
	if (c->maxidle_ms || c->maxlife_ms)
		return dates.last != date_now();
	return dates.last || dates.first;
}

static void write_cookie(struct exchange *x, const struct cookie_conf *c, struct span value,
			 struct text *t)
{
	char date[COOKIE_DATE_LEN];
	uint32_t first = dates_of(x).first;

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
			if (!first || x->http.cookie_code != CODE_VALID)
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

/* May a shared cache in front of us keep it (RFC 9111 3, as far as the fields say so)? */
static bool may_be_cached(const struct exchange *x)
{
	const struct message *res = &x->res;
	struct span name = { "cache-control", 13 }, part;
	struct field_walk walk = { 0 };
	bool fresh = false, explicit_age = false;
	unsigned at = 0;

	if (!method_is_safe(x->asked) || !cacheable_by_default(res->status))
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
	char memory[4096];
	struct span value = persist_value(x->stream->server);
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
			   arena_keep(x->arena, (struct span){ t.ptr, t.len }));
}

bool persist_response(struct exchange *x)
{
	const struct proxy *px = x->stream->backend;
	const struct cookie_conf *c = px ? persist_cookie(px) : NULL;
	struct field *f;
	unsigned at = 0;

	if (!c || !x->stream->server || !x->http.cookie_code || !x->stream->extra)
		return true;
	x->http.set_cookie_code = SET_NONE;
	if (server_is_dispatch(x->stream->server))
		return true;
	while ((f = message_find_id(&x->res, FIELD_SET_COOKIE, &at)))
		meet_cookie(x, c, f);
	return must_insert(x, c) ? insert(x, c) : true;
}
