/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib as a filter of a pump. What was given is flushed with each piece, so that a response that
 * comes drop by drop arrives so. zlib's own memory is taken once for a context and used again by
 * the next response: at most maxzlibmem of it. */
#include "config.h"

#include "stream/squeeze.h"

#include "base/list.h"
#include "base/pool.h"

#include <string.h>

#ifdef HAVE_ZLIB

#include <zlib.h>

struct squeezer {
	struct pump_filter filter; /* first */
	struct list node;          /* among those that wait for the next response */
	enum compress_algo algo;
	bool raw;                  /* identity */
	z_stream z;
};

static struct pool squeezer_pool = POOL_INIT("squeezer", sizeof(struct squeezer));
static struct list idle[COMPRESS_ALGOS];
static struct squeeze_tune tune = { .level = 1, .memlevel = 8, .windowsize = 15 };
size_t squeeze_memory;

void squeeze_configure(const struct squeeze_tune *wanted)
{
	tune = *wanted;
}

bool squeeze_has(enum compress_algo algo)
{
	return algo != COMPRESS_NONE;
}

/* What deflateInit2 takes, as zlib's manual computes it. */
static size_t context_size(void)
{
	return ((size_t)1 << (tune.windowsize + 2)) + ((size_t)1 << (tune.memlevel + 9));
}

static int window_bits(enum compress_algo algo)
{
	switch (algo) {
	case COMPRESS_GZIP:
		return tune.windowsize + 16;
	case COMPRESS_RAW_DEFLATE:
		return -tune.windowsize;
	default:
		return tune.windowsize;
	}
}

/* Sizes: PUMP_FILTER_IN bytes, and what zlib still holds of them, always fit into the output. */
static bool squeeze_run(struct pump_filter *filter, const char *in, size_t len, char *out,
			size_t size, bool last, size_t *made)
{
	struct squeezer *s = container_of(filter, struct squeezer, filter);
	int r;

	s->z.next_in = (Bytef *)(uintptr_t)in;
	s->z.avail_in = (uInt)len;
	s->z.next_out = (Bytef *)out;
	s->z.avail_out = (uInt)size;
	r = deflate(&s->z, last ? Z_FINISH : Z_SYNC_FLUSH);
	*made = size - s->z.avail_out;
	return !s->z.avail_in && s->z.avail_out && (last ? r == Z_STREAM_END : r == Z_OK);
}

static bool copy_run(struct pump_filter *filter, const char *in, size_t len, char *out, size_t size,
		     bool last, size_t *made)
{
	(void)filter;
	(void)last;
	(void)size;
	if (len) /* nothing is at NULL */
		memcpy(out, in, len);
	*made = len;
	return true;
}

static void squeeze_free(struct pump_filter *filter)
{
	struct squeezer *s = container_of(filter, struct squeezer, filter);

	if (s->raw)
		pool_give(&squeezer_pool, &s);
	else
		list_prepend(&idle[s->algo], &s->node);
}

static struct squeezer *squeezer_idle(enum compress_algo algo)
{
	struct squeezer *s;

	if (!idle[algo].next)
		list_init(&idle[algo]);
	if (list_empty(&idle[algo]))
		return NULL;
	s = container_of(idle[algo].next, struct squeezer, node);
	list_remove(&s->node);
	deflateReset(&s->z);
	return s;
}

static struct squeezer *squeezer_new(enum compress_algo algo)
{
	struct squeezer *s;

	if (algo != COMPRESS_IDENTITY && tune.most && squeeze_memory + context_size() > tune.most)
		return NULL;
	s = pool_take(&squeezer_pool);
	if (!s)
		return NULL;
	s->algo = algo;
	s->raw = algo == COMPRESS_IDENTITY;
	s->filter.run = s->raw ? copy_run : squeeze_run;
	s->filter.free = squeeze_free;
	if (s->raw)
		return s;
	if (deflateInit2(&s->z, tune.level, Z_DEFLATED, window_bits(algo), tune.memlevel,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		pool_give(&squeezer_pool, &s);
		return NULL;
	}
	squeeze_memory += context_size();
	return s;
}

struct pump_filter *squeeze_new(enum compress_algo algo)
{
	struct squeezer *s = algo == COMPRESS_IDENTITY ? NULL : squeezer_idle(algo);

	if (!s)
		s = squeezer_new(algo);
	return s ? &s->filter : NULL;
}
#else

size_t squeeze_memory;

void squeeze_configure(const struct squeeze_tune *wanted)
{
	(void)wanted;
}

bool squeeze_has(enum compress_algo algo)
{
	(void)algo;
	return false;
}

struct pump_filter *squeeze_new(enum compress_algo algo)
{
	(void)algo;
	return NULL;
}
#endif
