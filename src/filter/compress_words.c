/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of compression (manual 4.2 "compression", 9.2). */
#include "filter/deflater.h"
#include "filter/filter.h"

#include "base/arena.h"
#include "proxy/part.h"
#include "proxy/proxy.h"

#include <string.h>

static struct compress_conf *conf_of(struct statement *st, struct proxy *px)
{
	return proxy_part_make(px, &compress_part, st->cfg->arena);
}

/* The direction that the word is about: "algo-req"; "algo" and "algo-res" mean responses. */
static struct compress_way *way_of(struct statement *st, const struct keyword *kw, struct proxy *px)
{
	struct compress_conf *conf = conf_of(st, px);

	return strstr(kw->name, "-req") ? &conf->request : &conf->response;
}

/* The next word; COMPRESS_NONE after a report. */
static enum compress_algo take_algo(struct statement *st)
{
	static const char *const names[] = { "identity", "gzip", "deflate", "raw-deflate", NULL };
	const char *word = stmt_need(st, "an algorithm: identity, gzip, deflate, raw-deflate");
	unsigned i;

	if (!word)
		return COMPRESS_NONE;
	for (i = 0; names[i] && strcmp(names[i], word); i++)
		continue;
	if (names[i] && deflater_has((enum compress_algo)(i + 1)))
		return (enum compress_algo)(i + 1);
	if (names[i])
		stmt_error(st, st->at - 1, "'%s' needs zlib, which this build is without", word);
	else
		stmt_unknown(st, st->at - 1, "algorithm", names);
	return COMPRESS_NONE;
}

static int parse_algos(struct statement *st, const struct keyword *kw, void *object)
{
	struct compress_way *way = way_of(st, kw, object);
	unsigned n = 0;

	memset(way->algos, 0, sizeof(way->algos));
	do {
		if (n == COMPRESS_ALGOS - 1)
			return stmt_error(st, st->at, "an algorithm was given twice");
		way->algos[n] = take_algo(st);
		if (way->algos[n++] == COMPRESS_NONE)
			return -1;
	} while (stmt_peek(st));
	return 0;
}

/* Nobody says what a server takes: there is nothing to choose from. */
static int parse_algo(struct statement *st, const struct keyword *kw, void *object)
{
	struct compress_way *way = way_of(st, kw, object);

	memset(way->algos, 0, sizeof(way->algos));
	way->algos[0] = take_algo(st);
	if (way->algos[0] == COMPRESS_NONE)
		return -1;
	if (stmt_peek(st))
		return stmt_error(st, st->at, "requests are compressed by one algorithm");
	return 0;
}

static int parse_direction(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const names[] = { "request", "response", "both", NULL };
	struct compress_conf *conf = conf_of(st, object);
	const char *word = stmt_need(st, "request, response or both");

	(void)kw;
	if (!word)
		return -1;
	if (strcmp(word, names[0]) != 0 && strcmp(word, names[1]) != 0 &&
	    strcmp(word, names[2]) != 0)
		return stmt_unknown(st, st->at - 1, "direction", names);
	conf->requests = strcmp(word, "response") != 0;
	conf->no_responses = !strcmp(word, "request");
	return stmt_end(st);
}

static int parse_least(struct statement *st, const struct keyword *kw, void *object)
{
	struct compress_way *way = way_of(st, kw, object);
	size_t bytes;

	if (stmt_size(st, "the size", &bytes))
		return -1;
	way->least = bytes;
	return stmt_end(st);
}

/* A further line adds to the types of those before it. */
static int parse_type(struct statement *st, const struct keyword *kw, void *object)
{
	struct compress_way *way = way_of(st, kw, object);
	const char *word = stmt_need(st, "a MIME type");
	size_t n = 0, more = (size_t)(st->count - st->at) + 2;
	const char **types;

	if (!word)
		return -1;
	while (way->types && way->types[n])
		n++;
	types = arena_alloc(st->cfg->arena, (n + more) * sizeof(*types));
	if (n)
		memcpy(types, way->types, n * sizeof(*types));
	for (; word; word = stmt_next(st))
		types[n++] = arena_strdup(st->cfg->arena, word);
	way->types = types;
	return 0;
}

static int parse_offload(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (px->caps & PROXY_DEFAULTS)
		stmt_warning(st, 0, "'%s' has no effect in a defaults section", kw->name);
	else
		conf_of(st, px)->offload = true;
	return 0;
}

#define TUNE(field) offsetof(struct deflater_tune, field)

static int parse_zlib_memory(struct statement *st, const struct keyword *kw, void *object)
{
	struct deflater_tune *tune = object;
	int64_t megabytes;

	if (stmt_int(st, kw->name, 0, 1 << 20, &megabytes))
		return -1;
	tune->most = (size_t)megabytes << 20;
	return 0;
}

static const struct keyword keywords[] = {
	{ "maxzlibmem", SCOPE_GLOBAL, 0, "<megabytes>", parse_zlib_memory, .dflt = "0: no limit",
	  .help = "memory for compression; responses beyond it are not compressed" },
	{ "tune.comp.maxlevel", SCOPE_GLOBAL, 0, "<number>", set_int, .offset = TUNE(level), .min = 1,
	  .max = 9, .dflt = "1", .help = "level of compression" },
	{ "tune.zlib.memlevel", SCOPE_GLOBAL, 0, "<number>", set_int, .offset = TUNE(memlevel),
	  .min = 1, .max = 9, .dflt = "8", .help = "memory for the state of a compression" },
	{ "tune.zlib.windowsize", SCOPE_GLOBAL, 0, "<number>", set_int, .offset = TUNE(windowsize),
	  .min = 9, .max = 15, .dflt = "15", .help = "base two logarithm of the window of zlib" },
	{ "compression algo", SCOPE_PROXY, 0, "<algorithm> ...", parse_algos,
	  .help = "how responses may be compressed: gzip, deflate, raw-deflate, identity" },
	{ "compression algo-req", SCOPE_PROXY, 0, "<algorithm>", parse_algo,
	  .help = "how requests are compressed: gzip, deflate, raw-deflate, identity" },
	{ "compression algo-res", SCOPE_PROXY, 0, "<algorithm> ...", parse_algos,
	  .help = "the same as compression algo" },
	{ "compression direction", SCOPE_PROXY, 0, "{ request | response | both }",
	  parse_direction, .dflt = "response",
	  .help = "are requests compressed, responses, or both?" },
	{ "compression minsize-req", SCOPE_PROXY, 0, "<size>", parse_least, .dflt = "0",
	  .help = "requests with a shorter body are not compressed" },
	{ "compression minsize-res", SCOPE_PROXY, 0, "<size>", parse_least, .dflt = "0",
	  .help = "responses with a shorter body are not compressed" },
	{ "compression type", SCOPE_PROXY, 0, "<mime type> ...", parse_type, .dflt = "all",
	  .help = "types of responses that are compressed: their beginning" },
	{ "compression type-req", SCOPE_PROXY, 0, "<mime type> ...", parse_type, .dflt = "all",
	  .help = "types of requests that are compressed: their beginning" },
	{ "compression type-res", SCOPE_PROXY, 0, "<mime type> ...", parse_type, .dflt = "all",
	  .help = "the same as compression type" },
	{ "compression offload", SCOPE_PROXY, 0, "", parse_offload,
	  .help = "servers are not told that the client takes compressed responses" },
	{ 0 },
};

static bool has_algo(const struct proxy *px, bool response)
{
	const struct compress_conf *conf = compress_conf_of(px);

	return conf && (response ? &conf->response : &conf->request)->algos[0] != COMPRESS_NONE;
}

/* Has what the section says of this direction no filter that does it? */
static bool is_unplaced(const struct proxy *px, bool response)
{
	return has_algo(px, response) && !compress_has_filter(px, response);
}

static void warn_useless(struct config *cfg, const struct proxy *px, bool response)
{
	if (is_unplaced(px, response))
		config_warning(cfg, &px->loc,
			       "'compression %s' of '%s' has no effect without 'filter %s'",
			       response ? "algo" : "algo-req", px->name,
			       response ? "comp-res" : "comp-req");
}

/* Words of compression do nothing without a filter, which is there by itself where it is the only
 * one: beside others its place is to be said. */
static int finish_proxy(struct config *cfg, struct proxy *px)
{
	if (px->caps & PROXY_DEFAULTS || (!is_unplaced(px, false) && !is_unplaced(px, true)))
		return 0;
	if (compress_has_filter(px, false) || compress_has_filter(px, true)) {
		warn_useless(cfg, px, false);
		warn_useless(cfg, px, true);
		return 0;
	}
	if (px->filters)
		return config_error(cfg, &px->loc, "beside other filters 'filter compression' says at "
				    "which place '%s' compresses", px->name);
	filter_add(cfg, px, &compress_filter);
	return 0;
}

/* ---- words without effect, which other sections might give them --------------------------- */

/* Does any section say how such messages are compressed, or that they are? */
static bool anybody(const struct proxies *all, bool (*says)(const struct proxy *px, bool response),
		    bool response)
{
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		if (says(px, response))
			return true;
	return false;
}

/* Is there one that compresses such messages, once it is told how? */
static bool may_act(const struct proxy *px, bool response)
{
	const struct compress_conf *conf = compress_conf_of(px);

	if (filter_find(px, response ? &compress_response_filter : &compress_request_filter, NULL))
		return true;
	return conf && (response ? !conf->no_responses : conf->requests);
}

static void doubt_proxy(struct config *cfg, const struct proxies *all, const struct proxy *px)
{
	const struct compress_conf *conf = compress_conf_of(px);

	if (conf && conf->offload && !anybody(all, has_algo, true))
		config_warning(cfg, &px->loc, "'compression offload' of '%s' has no effect without "
			       "'compression algo'", px->name);
	if (has_algo(px, false) && !is_unplaced(px, false) && !anybody(all, may_act, false))
		config_warning(cfg, &px->loc,
			       "'compression algo-req' of '%s' has no effect without "
			       "'compression direction request' or 'both'",
			       px->name);
}

static int compress_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		bad |= finish_proxy(cfg, px);
	list_for_each(px, &all->list, node)
		doubt_proxy(cfg, all, px);
	return bad;
}

struct proxy_part compress_filter_part = { .make = finish_proxy };

static void compress_init(struct config *cfg, void *data)
{
	(void)cfg;
	*(struct deflater_tune *)data = (struct deflater_tune){ .level = 1, .memlevel = 8,
							      .windowsize = 15 };
}

static int compress_prepare(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)err;
	deflater_configure(data);
	return 0;
}

const struct module compress_module = {
	.name = "compress",
	.keywords = keywords,
	.data_size = sizeof(struct deflater_tune),
	.init = compress_init,
	.prepare = compress_prepare,
	.finish = compress_finish,
};
