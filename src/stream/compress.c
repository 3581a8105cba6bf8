/* SPDX-License-Identifier: BSD-2-Clause */
/* Which responses are compressed: what the client accepts, what the response says of itself. Called
 * by the exchange at both heads; pure but for the edited head. */
#include "stream/compress.h"

#include "base/arena.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "stream/exchange.h"
#include "stream/squeeze.h"

#include <string.h>
#include <strings.h>

#define SPAN(text) ((struct span){ text, sizeof(text) - 1 })

/* The token that a client asks with, and that Content-Encoding says. */
static const char *const codings[COMPRESS_ALGOS] = {
	[COMPRESS_IDENTITY] = "identity", [COMPRESS_GZIP] = "gzip",
	[COMPRESS_DEFLATE] = "deflate",   [COMPRESS_RAW_DEFLATE] = "deflate",
};

const char *compress_coding(enum compress_algo algo)
{
	return codings[algo];
}

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

static bool weaken_etag(struct exchange *x)
{
	unsigned at = 0;
	struct field *f = message_find_id(&x->res, FIELD_ETAG, &at);
	char *weak;

	if (!f || begins_with(f->value, "W/"))
		return true;
	weak = arena_printf(x->arena, "W/%.*s", (int)f->value.len, f->value.ptr);
	if (!weak)
		return false;
	message_set_value(&x->res, f, span_of(weak));
	return true;
}

bool compress_head(struct exchange *x, enum compress_algo algo)
{
	struct message *res = &x->res;

	if (message_delete(res, SPAN("content-length")) &&
	    !message_add(res, x->arena, SPAN("Transfer-Encoding"), SPAN("chunked")))
		return false;
	return weaken_etag(x) && message_add(res, x->arena, SPAN("Vary"), SPAN("Accept-Encoding")) &&
	       (algo == COMPRESS_IDENTITY ||
		message_add(res, x->arena, SPAN("Content-Encoding"), span_of(codings[algo])));
}

/* ---- an exchange ------------------------------------------------------------------------- */

/* What the backend says goes before what the frontend says. */
static const struct compress_conf *conf_of(const struct stream *s)
{
	const struct compress_conf *be = s->backend->set.compression;

	return be ? be : s->session->frontend->set.compression;
}

static bool offloads(const struct stream *s)
{
	return s->backend->set.compression ? s->backend->compress_offload :
					     s->session->frontend->compress_offload;
}

void compress_request(struct exchange *x)
{
	const struct compress_conf *conf = conf_of(x->stream);

	if (likely(!conf) || x->attempts)
		return;
	if (!x->compress) /* else the head was made before, to be sent early */
		x->compress = (uint8_t)compress_accepted(&x->req, conf);
	if (offloads(x->stream))
		message_delete(&x->req, SPAN("accept-encoding"));
}

bool compress_response(struct exchange *x)
{
	struct pump *pump = &x->stream->relay.response;
	struct counters *fe = &x->stream->session->frontend->fe->counters;
	struct counters *be = &x->stream->backend->be->counters;

	if (x->reply || !compress_fits(&x->req, &x->res, conf_of(x->stream)))
		return true;
	pump->filter = squeeze_new(x->compress);
	if (!pump->filter) {
		fe->compress_bypassed += x->res.length;
		be->compress_bypassed += x->res.length;
		return true;
	}
	fe->compressed_responses++;
	be->compressed_responses++;
	if (x->res.framing == BODY_CHUNKED)
		h1_end_decode(&x->stream->relay.server);
	x->res.framing = BODY_CHUNKED;
	x->http.compressed = x->compress == COMPRESS_RAW_DEFLATE ? "raw-deflate" :
								  codings[x->compress];
	return compress_head(x, x->compress);
}

void compress_end(struct exchange *x)
{
	struct pump *pump = &x->stream->relay.response;
	struct counters *fe = &x->stream->session->frontend->fe->counters;
	struct counters *be;

	if (!pump->filter)
		return;
	be = &x->stream->backend->be->counters;
	fe->compress_in += pump->filter->taken;
	be->compress_in += pump->filter->taken;
	fe->compress_out += pump->copied;
	be->compress_out += pump->copied;
	pump_filter_free(pump);
}
