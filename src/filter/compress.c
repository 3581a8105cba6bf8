/* SPDX-License-Identifier: BSD-2-Clause */
/* Which messages are compressed: what the client accepts, what a head says of itself. Called for
 * both heads of an exchange (filter/filter.h). */
#include "filter/compress.h"

#include "base/arena.h"
#include "base/literal.h"
#include "base/pool.h"
#include "expr/view.h"
#include "filter/deflater.h"
#include "filter/filter.h"
#include "http/message.h"
#include "proxy/proxy.h"

#include <string.h>
#include <strings.h>

/* The token that a client asks with, and that Content-Encoding says. */
static const char *const codings[COMPRESS_ALGOS] = {
	[COMPRESS_IDENTITY] = "identity", [COMPRESS_GZIP] = "gzip",
	[COMPRESS_DEFLATE] = "deflate",   [COMPRESS_RAW_DEFLATE] = "deflate",
};

struct proxy_part compress_part = { PROXY_SETTINGS("compression", struct compress_conf) };

static bool is_word(struct span s, const char *word)
{
	return s.len == strlen(word) && !strncasecmp(s.ptr, word, s.len);
}

static bool begins_with(struct span s, const char *prefix)
{
	return s.len >= strlen(prefix) && !strncasecmp(s.ptr, prefix, strlen(prefix));
}

/* ---- what the client takes -------------------------------------------------------------- */

static struct span trim(struct span s)
{
	while (s.len && (*s.ptr == ' ' || *s.ptr == '\t'))
		s.ptr++, s.len--;
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* The part in front of the next ';', which is taken off s. */
static struct span take_part(struct span *s)
{
	const char *semicolon = memchr(s->ptr, ';', s->len);
	struct span part = *s;

	if (!semicolon) {
		s->ptr += s->len;
		s->len = 0;
		return trim(part);
	}
	part.len = (size_t)(semicolon - s->ptr);
	s->ptr += part.len + 1;
	s->len -= part.len + 1;
	return trim(part);
}

/* "0.5" in thousandths (RFC 9110 12.4.2); what is none counts as 1. */
static unsigned weight_of(struct span text)
{
	unsigned weight = 0, unit = 100;
	size_t i;

	if (!text.len || (*text.ptr != '0' && *text.ptr != '1') || *text.ptr == '1')
		return 1000;
	if (text.len > 1 && text.ptr[1] != '.')
		return 1000;
	for (i = 2; i < text.len && unit; i++, unit /= 10) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return 1000;
		weight += (unsigned)(text.ptr[i] - '0') * unit;
	}
	return weight;
}

static unsigned element_weight(struct span params)
{
	struct span param;

	while (params.len) {
		param = take_part(&params);
		if (begins_with(param, "q="))
			return weight_of((struct span){ param.ptr + 2, param.len - 2 });
	}
	return 1000;
}

/* How much the client wants the coding, in thousandths; 0: not at all. */
static unsigned coding_weight(const struct message *req, const char *coding)
{
	struct field_walk walk = { 0 };
	struct span element, name;
	unsigned any = 0;

	while (message_next_element(req, SPAN("accept-encoding"), &walk, &element)) {
		name = take_part(&element);
		if (is_word(name, coding))
			return element_weight(element);
		if (is_word(name, "*"))
			any = element_weight(element);
	}
	return any;
}

/* Browsers that said they could, and could not: "Mozilla/4" but for MSIE 6 with SV1, and later. */
static bool client_is_broken(const struct message *req)
{
	unsigned at = 0;
	const struct field *f = message_find_id(req, FIELD_USER_AGENT, &at);
	const char *msie;

	if (!f || !begins_with(f->value, "Mozilla/4"))
		return false;
	msie = memmem(f->value.ptr, f->value.len, "MSIE ", 5);
	if (!msie || msie + 6 > f->value.ptr + f->value.len || msie[5] < '6')
		return true;
	return msie[5] == '6' && !memmem(f->value.ptr, f->value.len, "SV1", 3);
}

enum compress_algo compress_accepted(const struct message *req, const struct compress_way *way)
{
	enum compress_algo best = COMPRESS_NONE;
	unsigned weight, best_weight = 0;
	const enum compress_algo *algo;

	for (algo = way->algos; *algo != COMPRESS_NONE; algo++) {
		if (*algo == COMPRESS_IDENTITY)
			weight = 1;
		else
			weight = coding_weight(req, codings[*algo]);
		if (weight > best_weight) {
			best = *algo;
			best_weight = weight;
		}
	}
	return best == COMPRESS_NONE || client_is_broken(req) ? COMPRESS_NONE : best;
}

/* ---- what the message says -------------------------------------------------------------- */

static bool type_fits(const struct message *msg, const struct compress_way *way)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_CONTENT_TYPE, &at);
	const char **type;

	if (!way->types)
		return true;
	if (!f)
		return false;
	for (type = way->types; *type; type++)
		if (begins_with(f->value, *type))
			return true;
	return false;
}

static bool is_multipart(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_CONTENT_TYPE, &at);

	return f && begins_with(f->value, "multipart");
}

/* RFC 9110 7.7. */
static bool may_be_transformed(const struct message *msg)
{
	struct field_walk walk = { 0 };
	struct span element;

	while (message_next_element(msg, SPAN("cache-control"), &walk, &element))
		if (is_word(element, "no-transform"))
			return false;
	return true;
}

/* RFC 9110 8.8.3: one entity tag, in quotes; a strong one will be made weak. */
static bool etag_fits(const struct message *msg)
{
	unsigned at = 0;
	const struct field *f = message_find_id(msg, FIELD_ETAG, &at);
	struct span tag;

	if (!f)
		return true;
	tag = f->value;
	if (begins_with(tag, "W/")) {
		tag.ptr += 2;
		tag.len -= 2;
	}
	return tag.len >= 2 && *tag.ptr == '"' && tag.ptr[tag.len - 1] == '"' &&
	       !message_find_id(msg, FIELD_ETAG, &at);
}

static bool is_old(const struct message *msg)
{
	return msg->major == 1 && msg->minor == 0;
}

/* Of a chunked body nobody knows how short it is. */
static bool body_fits(const struct message *msg, const struct compress_way *way)
{
	return msg->framing == BODY_CHUNKED ||
	       (msg->framing == BODY_LENGTH && msg->length && msg->length >= way->least);
}

static bool head_fits(const struct message *msg, const struct compress_way *way)
{
	unsigned at = 0;

	return !is_old(msg) && body_fits(msg, way) &&
	       !message_find_id(msg, FIELD_CONTENT_ENCODING, &at) && type_fits(msg, way) &&
	       may_be_transformed(msg) && etag_fits(msg);
}

bool compress_fits(const struct message *req, const struct message *res,
		   const struct compress_way *way)
{
	return !is_old(req) && res->status >= 200 && res->status <= 203 && head_fits(res, way) &&
	       !is_multipart(res);
}

/* A piece of something (RFC 9110 14.5) is one of what it would be without the coding. */
bool compress_request_fits(const struct message *req, const struct compress_way *way)
{
	unsigned at = 0;

	return head_fits(req, way) && !message_find(req, SPAN("content-range"), &at);
}

/* ---- the head of a compressed message --------------------------------------------------- */

static bool weaken_etag(struct message *msg, struct arena *arena)
{
	unsigned at = 0;
	struct field *f = message_find_id(msg, FIELD_ETAG, &at);
	char *weak;

	if (!f || begins_with(f->value, "W/"))
		return true;
	weak = arena_printf(arena, "W/%.*s", (int)f->value.len, f->value.ptr);
	if (!weak)
		return false;
	message_set_value(msg, f, span_of(weak));
	return true;
}

/* RFC 9110 12.5.5: what stands in a list already is not said again, nor what "*" says for all. */
static bool vary_says(const struct message *msg)
{
	struct field_walk walk = { 0 };
	struct span element;

	while (message_next_element(msg, SPAN("vary"), &walk, &element))
		if (is_word(element, "accept-encoding") || is_word(element, "*"))
			return true;
	return false;
}

static bool vary_add(struct message *msg, struct arena *arena)
{
	unsigned at = 0;
	struct field *f;
	char *list;

	if (vary_says(msg))
		return true;
	f = message_find(msg, SPAN("vary"), &at);
	if (!f)
		return message_add(msg, arena, SPAN("Vary"), SPAN("Accept-Encoding"));
	list = arena_printf(arena, "%.*s%sAccept-Encoding", (int)f->value.len, f->value.ptr,
			    f->value.len ? ", " : "");
	if (!list)
		return false;
	message_set_value(msg, f, span_of(list));
	return true;
}

bool compress_head(struct message *msg, struct arena *arena, enum compress_algo algo)
{
	return message_set_unmeasured(msg, arena) && weaken_etag(msg, arena) &&
	       vary_add(msg, arena) &&
	       (algo == COMPRESS_IDENTITY ||
		message_add(msg, arena, SPAN("Content-Encoding"), span_of(codings[algo])));
}

/* ---- what the sections say --------------------------------------------------------------- */

/* What one section says of one direction; NULL: nothing. */
static const struct compress_way *way_of(const struct proxy *px, bool response)
{
	const struct compress_conf *conf = px ? compress_conf_of(px) : NULL;

	if (!conf)
		return NULL;
	return response ? &conf->response : &conf->request;
}

/* Word by word, what the backend says goes before what the frontend says. */
static struct compress_way way_for(const struct filters *set, bool response)
{
	const struct compress_way *fe = way_of(set->frontend, response);
	const struct compress_way *be = way_of(set->backend, response);
	struct compress_way way = { 0 };

	if (fe)
		way = *fe;
	if (!be)
		return way;
	if (be->algos[0] != COMPRESS_NONE)
		memcpy(way.algos, be->algos, sizeof(way.algos));
	if (be->types)
		way.types = be->types;
	if (be->least)
		way.least = be->least;
	return way;
}

static bool directs(const struct proxy *px, bool response)
{
	const struct compress_conf *conf = px ? compress_conf_of(px) : NULL;

	return conf && (response ? !conf->no_responses : conf->requests);
}

static bool kind_may(const struct filter_kind *kind, bool response)
{
	return kind == &compress_filter ||
	       kind == (response ? &compress_response_filter : &compress_request_filter);
}

bool compress_has_filter(const struct proxy *px, bool response)
{
	const struct filter_line *line = px->filters;

	while (line && !kind_may(line->kind, response))
		line = line->next;
	return line;
}

/* A backend that says how does it at its own place. */
static bool is_in_turn(const struct filter *f, bool response)
{
	const struct proxy *be = f->set->backend;
	const struct compress_way *way = way_of(be, response);

	return f->proxy == be || !way || way->algos[0] == COMPRESS_NONE ||
	       !compress_has_filter(be, response);
}

/* Either section may say so. */
static bool has_a_say(const struct filter *f, bool response)
{
	if (!kind_may(f->line->kind, response) || !is_in_turn(f, response))
		return false;
	return f->line->kind != &compress_filter || directs(f->set->frontend, response) ||
	       directs(f->set->backend, response);
}

/* ---- the filter -------------------------------------------------------------------------- */

struct compressor {
	struct filter filter;
	uint8_t algo;                 /* enum compress_algo that the client takes */
	struct pump_filter *request;  /* at work; NULL: this direction is not compressed */
	struct pump_filter *response;
};

static struct pool compressor_pool = POOL_INIT("compressor", sizeof(struct compressor));

static struct compressor *compressor_of(struct filter *f)
{
	return FILTER_STATE(struct compressor, f, &compressor_pool);
}

/* Servers are not to compress what is compressed here. */
static bool offloads(const struct filters *set)
{
	const struct compress_conf *front = compress_conf_of(set->frontend);
	const struct compress_conf *back = set->backend ? compress_conf_of(set->backend) : NULL;

	return (front && front->offload) || (back && back->offload);
}

static void compressor_asks(struct compressor *c, struct message *req)
{
	struct filters *set = c->filter.set;
	const struct compress_way way = way_for(set, true);

	if (way.algos[0] == COMPRESS_NONE)
		return;
	if (!c->algo)
		c->algo = (uint8_t)compress_accepted(req, &way);
	if (offloads(set))
		message_delete(req, SPAN("accept-encoding"));
}

static bool compressor_packs(struct compressor *c, struct filter_heads *heads)
{
	const struct compress_way way = way_for(c->filter.set, false);

	if (way.algos[0] == COMPRESS_NONE || !compress_request_fits(heads->req, &way))
		return true;
	c->request = deflater_get(way.algos[0]);
	if (!c->request)
		return true;
	filter_link(&c->filter, false, c->request);
	return compress_head(heads->req, heads->arena, way.algos[0]);
}

/* A request may leave several times: the first time counts, and the head stays as that has made
 * it. */
static bool compressor_request(struct filter *f, struct filter_heads *heads)
{
	struct compressor *c = compressor_of(f);

	if (has_a_say(f, true))
		compressor_asks(c, heads->req);
	if (c->request) {
		deflater_renew(c->request);
		return true;
	}
	return !has_a_say(f, false) || compressor_packs(c, heads);
}

static void compressor_bypassed(struct filter *f, uint64_t bytes)
{
	f->set->frontend->fe->counters.compress_bypassed += bytes;
	f->set->backend->be->counters.compress_bypassed += bytes;
}

static bool compressor_response(struct filter *f, struct filter_heads *heads)
{
	struct compressor *c = compressor_of(f);
	struct message *res = heads->res;
	struct compress_way way;

	if (!c->algo || heads->local || !has_a_say(f, true))
		return true;
	way = way_for(f->set, true);
	if (!compress_fits(heads->req, res, &way))
		return true;
	c->response = deflater_get((enum compress_algo)c->algo);
	if (!c->response) {
		compressor_bypassed(f, res->length);
		return true;
	}
	filter_link(f, true, c->response);
	f->set->frontend->fe->counters.compressed_responses++;
	f->set->backend->be->counters.compressed_responses++;
	heads->http->compressed = c->algo == COMPRESS_RAW_DEFLATE ? "raw-deflate" :
								    codings[c->algo];
	return compress_head(res, heads->arena, (enum compress_algo)c->algo);
}

static void compressor_forget(struct filter *f)
{
	struct compressor *c = compressor_of(f);
	struct counters *fe = &f->set->frontend->fe->counters, *be;
	struct deflater_counts counts;

	if (!c->response)
		return;
	be = &f->set->backend->be->counters;
	counts = deflater_give(&c->response);
	fe->compress_in += counts.in;
	be->compress_in += counts.in;
	fe->compress_out += counts.out;
	be->compress_out += counts.out;
}

static void compressor_end(struct filter *f)
{
	struct compressor *c = compressor_of(f);

	compressor_forget(f);
	if (c->request)
		deflater_give(&c->request);
}

static int parse_compression(struct statement *st, struct proxy *px, struct filter_line *line)
{
	(void)px;
	(void)line;
	return stmt_end(st);
}

#define COMPRESSES(called)                                                                      \
	{                                                                                       \
		.name = called, .parse = parse_compression, .pool = &compressor_pool,           \
		.once = true, .http = true, .request = compressor_request,                      \
		.response = compressor_response, .forget = compressor_forget,                   \
		.end = compressor_end,                                                          \
	}

const struct filter_kind compress_filter = COMPRESSES("compression");
const struct filter_kind compress_request_filter = COMPRESSES("comp-req");
const struct filter_kind compress_response_filter = COMPRESSES("comp-res");
