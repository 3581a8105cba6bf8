/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of compression (manual 4.2 "compression", 9.2). */
#include "filter/deflater.h"
#include "filter/filter.h"

#include "base/arena.h"
#include "proxy/backend_part.h"
#include "proxy/proxy.h"

#include <string.h>

/* The section's own, as a copy of what its defaults section has handed on. */
static struct compress_conf *conf_of(struct statement *st, struct proxy *px)
{
	struct compress_conf *conf = arena_alloc(st->cfg->arena, sizeof(*conf));

	if (px->set.compression)
		*conf = *px->set.compression;
	px->set.compression = conf;
	return conf;
}

static int parse_algo(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const names[] = { "identity", "gzip", "deflate", "raw-deflate", NULL };
	struct compress_conf *conf = conf_of(st, object);
	const char *word = stmt_need(st, "an algorithm: identity, gzip, deflate, raw-deflate");
	unsigned i, n = 0;

	(void)kw;
	memset(conf->algos, 0, sizeof(conf->algos));
	for (; word; word = stmt_next(st)) {
		for (i = 0; names[i] && strcmp(names[i], word); i++)
			continue;
		if (!names[i])
			return stmt_unknown(st, st->at - 1, "algorithm", names);
		if (!deflater_has((enum compress_algo)(i + 1)))
			return stmt_error(st, st->at - 1, "'%s' needs zlib, which this build is without",
					  word);
		if (n == COMPRESS_ALGOS - 1)
			return stmt_error(st, st->at - 1, "an algorithm was given twice");
		conf->algos[n++] = (enum compress_algo)(i + 1);
	}
	return n ? 0 : -1;
}

/* A further line adds to the types of those before it. */
static int parse_type(struct statement *st, const struct keyword *kw, void *object)
{
	struct compress_conf *conf = conf_of(st, object);
	const char *word = stmt_need(st, "a MIME type");
	size_t n = 0, more = (size_t)(st->count - st->at) + 2;
	const char **types;

	(void)kw;
	if (!word)
		return -1;
	while (conf->types && conf->types[n])
		n++;
	types = arena_alloc(st->cfg->arena, (n + more) * sizeof(*types));
	if (n)
		memcpy(types, conf->types, n * sizeof(*types));
	for (; word; word = stmt_next(st))
		types[n++] = arena_strdup(st->cfg->arena, word);
	conf->types = types;
	return 0;
}

static int parse_offload(struct statement *st, const struct keyword *kw, void *object)
{
	struct proxy *px = object;

	if (px->caps & PROXY_DEFAULTS)
		stmt_warning(st, 0, "'%s' has no effect in a defaults section", kw->name);
	else
		px->compress_offload = true;
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
	{ "compression algo", SCOPE_PROXY, 0, "<algorithm> ...", parse_algo,
	  .help = "how responses may be compressed: gzip, deflate, raw-deflate, identity" },
	{ "compression type", SCOPE_PROXY, 0, "<mime type> ...", parse_type, .dflt = "all",
	  .help = "types of responses that are compressed: their beginning" },
	{ "compression offload", SCOPE_PROXY, 0, "", parse_offload,
	  .help = "servers are not told that the client takes compressed responses" },
	{ 0 },
};

/* "compression type" alone would do nothing, and neither does a filter that is not told how. Beside
 * other filters its place is to be said. */
static int finish_proxy(struct config *cfg, struct proxy *px)
{
	const struct filter_line *line = filter_find(px, &compress_filter, NULL);

	if (px->set.compression && px->set.compression->algos[0] == COMPRESS_NONE)
		px->set.compression = NULL;
	if (px->compress_offload && !px->set.compression)
		config_warning(cfg, &px->loc, "'compression offload' of '%s' has no effect without "
			       "'compression algo'", px->name);
	if (!px->set.compression || line || px->caps & PROXY_DEFAULTS)
		return 0;
	if (px->filters)
		return config_error(cfg, &px->loc, "beside other filters 'filter compression' says at "
				    "which place '%s' compresses", px->name);
	filter_add(cfg, px, &compress_filter);
	return 0;
}

static int compress_finish(struct config *cfg, void *data)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;
	int bad = 0;

	(void)data;
	list_for_each(px, &all->list, node)
		bad |= finish_proxy(cfg, px);
	return bad;
}

const struct backend_part compress_backend_part = { .make = finish_proxy };

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
