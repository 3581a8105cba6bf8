/* SPDX-License-Identifier: BSD-2-Clause */
/* Which responses are compressed: what the client accepts, what the response says of itself. Called
 * for both heads of an exchange (filter/filter.h). */
#include "filter/compress.h"

#include "base/arena.h"
#include "base/pool.h"
#include "expr/view.h"
#include "filter/deflater.h"
#include "filter/filter.h"
#include "http/message.h"
#include "proxy/proxy.h"

#include <string.h>
#include <strings.h>

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

/* The token that a client asks with, and that Content-Encoding says. */
static const char *const codings[COMPRESS_ALGOS] = {
	[COMPRESS_IDENTITY] = "identity", [COMPRESS_GZIP] = "gzip",
	[COMPRESS_DEFLATE] = "deflate",   [COMPRESS_RAW_DEFLATE] = "deflate",
};

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

enum compress_algo compress_accepted(const struct message *req, const struct compress_conf *conf)
{
	enum compress_algo best = COMPRESS_NONE;
	unsigned weight, best_weight = 0;
	const enum compress_algo *algo;

	for (algo = conf->algos; *algo != COMPRESS_NONE; algo++) {
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

/* ---- what the response says ------------------------------------------------------------- */

static bool type_fits(const struct message *res, const struct compress_conf *conf)
{
	unsigned at = 0;
	const struct field *f = message_find_id(res, FIELD_CONTENT_TYPE, &at);
	const char **type;

	if (!f)
		return !conf->types;
	if (begins_with(f->value, "multipart"))
		return false;
	if (!conf->types)
		return true;
	for (type = conf->types; *type; type++)
		if (begins_with(f->value, *type))
			return true;
	return false;
}

static bool may_be_transformed(const struct message *res)
{
	struct field_walk walk = { 0 };
	struct span element;

	while (message_next_element(res, SPAN("cache-control"), &walk, &element))
		if (is_word(element, "no-transform"))
			return false;
	return true;
}

/* RFC 9110 8.8.3: one entity tag, in quotes; a strong one will be made weak. */
static bool etag_fits(const struct message *res)
{
	unsigned at = 0;
	const struct field *f = message_find_id(res, FIELD_ETAG, &at);
	struct span tag;

	if (!f)
		return true;
	tag = f->value;
	if (begins_with(tag, "W/")) {
		tag.ptr += 2;
		tag.len -= 2;
	}
	return tag.len >= 2 && *tag.ptr == '"' && tag.ptr[tag.len - 1] == '"' &&
	       !message_find_id(res, FIELD_ETAG, &at);
}

bool compress_fits(const struct message *req, const struct message *res,
		   const struct compress_conf *conf)
{
	unsigned at = 0;

	if (req->major == 1 && req->minor == 0)
		return false;
	if ((res->major == 1 && res->minor == 0) || res->status < 200 || res->status > 203)
		return false;
	if (res->framing != BODY_CHUNKED && (res->framing != BODY_LENGTH || !res->length))
		return false;
	return !message_find_id(res, FIELD_CONTENT_ENCODING, &at) && type_fits(res, conf) &&
	       may_be_transformed(res) && etag_fits(res);
}

/* ---- the head of a compressed response -------------------------------------------------- */

static bool weaken_etag(struct message *res, struct arena *arena)
{
	unsigned at = 0;
	struct field *f = message_find_id(res, FIELD_ETAG, &at);
	char *weak;

	if (!f || begins_with(f->value, "W/"))
		return true;
	weak = arena_printf(arena, "W/%.*s", (int)f->value.len, f->value.ptr);
	if (!weak)
		return false;
	message_set_value(res, f, span_of(weak));
	return true;
}

bool compress_head(struct message *res, struct arena *arena, enum compress_algo algo)
{
	return message_set_unmeasured(res, arena) && weaken_etag(res, arena) &&
	       message_add(res, arena, SPAN("Vary"), SPAN("Accept-Encoding")) &&
	       (algo == COMPRESS_IDENTITY ||
		message_add(res, arena, SPAN("Content-Encoding"), span_of(codings[algo])));
}

/* ---- the filter -------------------------------------------------------------------------- */

struct compressor {
	struct filter filter;
	uint8_t algo;                 /* enum compress_algo that the client takes */
	struct pump_filter *deflater; /* at work; NULL: the response is not compressed */
};

static struct pool compressor_pool = POOL_INIT("compressor", sizeof(struct compressor));

static struct compressor *compressor_of(struct filter *f)
{
	return container_of(f, struct compressor, filter);
}

/* What the backend says goes before what the frontend says. */
static bool has_a_say(const struct filter *f)
{
	const struct proxy *be = f->set->backend;

	return f->proxy == be || !be || !be->set.compression;
}

/* A request may leave several times: the first time counts. */
static bool compressor_request(struct filter *f, struct filter_heads *heads)
{
	struct compressor *c = compressor_of(f);

	if (!f->proxy->set.compression || !has_a_say(f))
		return true;
	if (!c->algo)
		c->algo = (uint8_t)compress_accepted(heads->req, f->proxy->set.compression);
	if (f->proxy->compress_offload)
		message_delete(heads->req, SPAN("accept-encoding"));
	return true;
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

	if (!c->algo || heads->local || !has_a_say(f) ||
	    !compress_fits(heads->req, res, f->proxy->set.compression))
		return true;
	c->deflater = deflater_get((enum compress_algo)c->algo);
	if (!c->deflater) {
		compressor_bypassed(f, res->length);
		return true;
	}
	filter_link(f, true, c->deflater);
	f->set->frontend->fe->counters.compressed_responses++;
	f->set->backend->be->counters.compressed_responses++;
	heads->http->compressed = c->algo == COMPRESS_RAW_DEFLATE ? "raw-deflate" :
								    codings[c->algo];
	return compress_head(res, heads->arena, (enum compress_algo)c->algo);
}

static void compressor_end(struct filter *f)
{
	struct compressor *c = compressor_of(f);
	struct counters *fe = &f->set->frontend->fe->counters, *be;
	struct deflater_counts counts;

	if (!c->deflater)
		return;
	be = &f->set->backend->be->counters;
	counts = deflater_give(&c->deflater);
	fe->compress_in += counts.in;
	be->compress_in += counts.in;
	fe->compress_out += counts.out;
	be->compress_out += counts.out;
}

static int parse_compression(struct statement *st, struct proxy *px, struct filter_line *line)
{
	(void)px;
	(void)line;
	return stmt_end(st);
}

const struct filter_kind compress_filter = {
	.name = "compression",
	.parse = parse_compression,
	.pool = &compressor_pool,
	.once = true,
	.http = true,
	.request = compressor_request,
	.response = compressor_response,
	.forget = compressor_end,
	.end = compressor_end,
};
