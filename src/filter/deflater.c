/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib as a filter of a pump. What was given is flushed with each piece, so that a response that
 * comes drop by drop arrives so. zlib's own memory is taken once for a context and used again by
 * the next response: at most maxzlibmem of it. */
#include "config.h"

#include "filter/deflater.h"

#include "base/list.h"
#include "base/memory.h"
#include "base/pool.h"

#include <string.h>

#ifdef HAVE_ZLIB

#include <zlib.h>

struct deflater {
	struct pump_filter filter;
	struct deflater_counts counts;
	struct list node;          /* among those that wait for the next response */
	enum compress_algo algo;
	size_t size;               /* of zlib's memory; 0: none of its own */
	int level;                 /* at present */
	z_stream z;                /* size is not 0 */
	/* Of one that shares the context: */
	uint32_t sum, total;       /* for the last bytes: CRC-32 or Adler-32; bytes that went in */
	bool begun;
};

static struct pool deflater_pool = POOL_INIT("deflater", sizeof(struct deflater));
static struct list idle[COMPRESS_ALGOS];
static struct deflater_tune tune = { .level = 1, .memlevel = 8, .windowsize = 15 };
size_t deflater_memory;

void deflater_configure(const struct deflater_tune *wanted)
{
	tune = *wanted;
}

bool deflater_has(enum compress_algo algo)
{
	return algo != COMPRESS_NONE;
}

/* Contexts take so many bytes at most. Responses beyond them share one: each piece is compressed by
 * itself, which costs some percent more of output, and a slow reader no memory. */
enum { CONTEXTS_MOST = 16 << 20 };

/* What deflateInit2 takes, as zlib's manual computes it. */
static size_t context_size(void)
{
	return ((size_t)1 << (tune.windowsize + 2)) + ((size_t)1 << (tune.memlevel + 9));
}

static int window_bits(enum compress_algo algo, int window)
{
	switch (algo) {
	case COMPRESS_GZIP:
		return window + 16;
	case COMPRESS_RAW_DEFLATE:
		return -window;
	default:
		return window;
	}
}

static void deflater_count(struct deflater *s, const struct filter_piece *piece)
{
	s->counts.in += piece->taken;
	s->counts.out += piece->made;
	compress_count(piece->taken, piece->made);
}

/* From piece to piece one level down while too much is compressed, else one up. */
static int deflater_level(const struct deflater *s)
{
	if (compress_exceeds())
		return s->level - (s->level > 0);
	return s->level + (s->level < tune.level);
}

/* All that went in so far has come out, so zlib has nothing to say to a change. */
static void deflater_adapt(struct deflater *s)
{
	int level = deflater_level(s);

	if (level == s->level)
		return;
	s->z.next_in = NULL;
	s->z.avail_in = 0;
	if (deflateParams(&s->z, level, Z_DEFAULT_STRATEGY) == Z_OK)
		s->level = level;
}

/* Sizes: a piece, and what zlib still holds of it, always fit into twice the room of a piece. */
static bool deflater_pass(struct pump_filter *filter, struct filter_piece *piece)
{
	struct deflater *s = container_of(filter, struct deflater, filter);
	int r;

	s->z.next_out = (Bytef *)piece->out;
	s->z.avail_out = (uInt)piece->room;
	deflater_adapt(s);
	s->z.next_in = (Bytef *)(uintptr_t)piece->bytes;
	s->z.avail_in = (uInt)piece->len;
	r = deflate(&s->z, piece->last ? Z_FINISH : Z_SYNC_FLUSH);
	piece->taken = piece->len;
	piece->made = piece->room - s->z.avail_out;
	deflater_count(s, piece);
	return !s->z.avail_in && s->z.avail_out && (piece->last ? r == Z_STREAM_END : r == Z_OK);
}

/* ---- the context that responses share ------------------------------------------------------ */

static z_stream common;
static int common_level = -1; /* there is none */

static bool common_make(void)
{
	if (common_level >= 0)
		return true;
	if (deflateInit2(&common, tune.level, Z_DEFLATED, -tune.windowsize, tune.memlevel,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	common_level = tune.level;
	return true;
}

/* RFC 1952 2.3, RFC 1950 2.2. */
static size_t common_begin(const struct deflater *s, char *out)
{
	static const char gzip[10] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
	unsigned cmf = (unsigned)(tune.windowsize - 8) << 4 | Z_DEFLATED;

	if (s->algo == COMPRESS_GZIP) {
		memcpy(out, gzip, sizeof(gzip));
		return sizeof(gzip);
	}
	if (s->algo == COMPRESS_RAW_DEFLATE)
		return 0;
	out[0] = (char)cmf;
	out[1] = (char)((31 - cmf * 256 % 31) % 31);
	return 2;
}

static void common_sum(struct deflater *s, const struct filter_piece *piece)
{
	const Bytef *bytes = (const Bytef *)piece->bytes;

	if (!piece->len)
		return;
	s->total += (uint32_t)piece->len;
	s->sum = (uint32_t)(s->algo == COMPRESS_GZIP ? crc32(s->sum, bytes, (uInt)piece->len) :
						       adler32(s->sum, bytes, (uInt)piece->len));
}

static size_t common_end(const struct deflater *s, char *out)
{
	unsigned i;

	if (s->algo == COMPRESS_RAW_DEFLATE)
		return 0;
	if (s->algo == COMPRESS_DEFLATE) {
		for (i = 0; i < 4; i++)
			out[i] = (char)(s->sum >> (24 - 8 * i));
		return 4;
	}
	for (i = 0; i < 4; i++) {
		out[i] = (char)(s->sum >> 8 * i);
		out[4 + i] = (char)(s->total >> 8 * i);
	}
	return 8;
}

static bool deflater_pass_common(struct pump_filter *filter, struct filter_piece *piece)
{
	enum { TRAILER = 8 };
	struct deflater *s = container_of(filter, struct deflater, filter);
	size_t head = s->begun ? 0 : common_begin(s, piece->out);
	int r;

	s->begun = true;
	s->level = deflater_level(s);
	deflateReset(&common);
	common.next_out = (Bytef *)piece->out + head;
	common.avail_out = (uInt)(piece->room - TRAILER - head);
	common.next_in = NULL;
	common.avail_in = 0;
	if (s->level != common_level &&
	    deflateParams(&common, s->level, Z_DEFAULT_STRATEGY) == Z_OK)
		common_level = s->level;
	common.next_in = (Bytef *)(uintptr_t)piece->bytes;
	common.avail_in = (uInt)piece->len;
	r = deflate(&common, piece->last ? Z_FINISH : Z_SYNC_FLUSH);
	common_sum(s, piece);
	piece->taken = piece->len;
	piece->made = (size_t)((char *)common.next_out - piece->out);
	if (piece->last)
		piece->made += common_end(s, piece->out + piece->made);
	deflater_count(s, piece);
	return !common.avail_in && common.avail_out && r == (piece->last ? Z_STREAM_END : Z_OK);
}

/* ---- life ----------------------------------------------------------------------------------- */

static bool deflater_copy(struct pump_filter *filter, struct filter_piece *piece)
{
	struct deflater *s = container_of(filter, struct deflater, filter);

	if (piece->len) /* nothing is at NULL */
		memcpy(piece->out, piece->bytes, piece->len);
	piece->taken = piece->made = piece->len;
	deflater_count(s, piece);
	return true;
}

static const struct pump_filter_ops deflater_ops = { .changes = true, .pass = deflater_pass };
static const struct pump_filter_ops common_ops = { .changes = true, .pass = deflater_pass_common };
static const struct pump_filter_ops identity_ops = { .changes = true, .pass = deflater_copy };

static void common_renew(struct deflater *s)
{
	s->sum = s->algo == COMPRESS_GZIP ? 0 : 1;
	s->total = 0;
	s->begun = false;
}

void deflater_renew(struct pump_filter *filter)
{
	struct deflater *s = container_of(filter, struct deflater, filter);

	if (s->size)
		deflateReset(&s->z);
	else
		common_renew(s);
}

static void deflater_end(struct deflater *s)
{
	deflateEnd(&s->z);
	deflater_memory -= s->size;
	pool_give(&deflater_pool, &s);
}

struct deflater_counts deflater_give(struct pump_filter **filter)
{
	struct deflater *s = container_of(*filter, struct deflater, filter);
	struct deflater_counts counts = s->counts;

	*filter = NULL;
	if (s->size && pool_freed)
		pool_freed(s->size);
	if (!s->size)
		pool_give(&deflater_pool, &s);
	else if (memory_debug.how & MEMORY_APART)
		deflater_end(s);
	else
		list_prepend(&idle[s->algo], &s->node);
	return counts;
}

void deflater_trim(void)
{
	unsigned algo;

	for (algo = 0; algo < COMPRESS_ALGOS; algo++) {
		while (idle[algo].next && !list_empty(&idle[algo])) {
			struct deflater *s = container_of(idle[algo].next, struct deflater, node);

			list_remove(&s->node);
			deflater_end(s);
		}
	}
}

static struct deflater *deflater_idle(enum compress_algo algo)
{
	struct deflater *s;

	if (!idle[algo].next)
		list_init(&idle[algo]);
	if (list_empty(&idle[algo]))
		return NULL;
	s = container_of(idle[algo].next, struct deflater, node);
	list_remove(&s->node);
	s->filter = (struct pump_filter){ .ops = &deflater_ops };
	s->counts = (struct deflater_counts){ 0, 0 };
	deflateReset(&s->z);
	if (s->level != tune.level && deflateParams(&s->z, tune.level, Z_DEFAULT_STRATEGY) == Z_OK)
		s->level = tune.level;
	return s;
}

/* With a context of its own. */
static bool deflater_init(struct deflater *s)
{
	if (deflateInit2(&s->z, tune.level, Z_DEFLATED, window_bits(s->algo, tune.windowsize),
			 tune.memlevel, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	s->filter.ops = &deflater_ops;
	s->size = context_size();
	deflater_memory += s->size;
	return true;
}

static struct deflater *deflater_new(enum compress_algo algo)
{
	size_t more = algo == COMPRESS_IDENTITY ? 0 : context_size();
	struct deflater *s;

	if (more && tune.most && deflater_memory + more > tune.most)
		return NULL;
	s = pool_take(&deflater_pool);
	if (!s)
		return NULL;
	s->algo = algo;
	s->level = tune.level;
	common_renew(s);
	s->filter.ops = &identity_ops;
	if (!more || (deflater_memory + more <= CONTEXTS_MOST && deflater_init(s)))
		return s;
	s->filter.ops = &common_ops;
	if (!common_make())
		pool_give(&deflater_pool, &s);
	return s;
}

struct pump_filter *deflater_get(enum compress_algo algo)
{
	struct deflater *s;

	if (compress_exceeds())
		return NULL;
	s = algo == COMPRESS_IDENTITY ? NULL : deflater_idle(algo);
	if (!s)
		s = deflater_new(algo);
	return s ? &s->filter : NULL;
}
#else

size_t deflater_memory;

void deflater_configure(const struct deflater_tune *wanted)
{
	(void)wanted;
}

bool deflater_has(enum compress_algo algo)
{
	(void)algo;
	return false;
}

struct pump_filter *deflater_get(enum compress_algo algo)
{
	(void)algo;
	return NULL;
}

void deflater_renew(struct pump_filter *filter)
{
	(void)filter;
}

struct deflater_counts deflater_give(struct pump_filter **filter)
{
	*filter = NULL;
	return (struct deflater_counts){ 0, 0 };
}

void deflater_trim(void)
{
}
#endif
