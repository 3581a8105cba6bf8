/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes through zlib, one piece after the other; contexts are pooled. Built with zlib only. */
#ifndef FILTER_DEFLATER_H
#define FILTER_DEFLATER_H

#include "relay/chain.h"
#include "filter/compress.h"

/* "tune.comp.maxlevel", "tune.zlib.memlevel", "tune.zlib.windowsize", "maxzlibmem" (bytes; 0: no
 * limit); before the first use. */
struct deflater_tune {
	int level, memlevel, windowsize;
	size_t most;
};
void deflater_configure(const struct deflater_tune *tune);
/* Can this build do it? */
bool deflater_has(enum compress_algo algo);
/* A member for the chain of a pump, which is given back by deflater_give; NULL: no memory, more
 * than maxzlibmem, or compress_exceeds. */
struct pump_filter *deflater_get(enum compress_algo algo);
/* The same body comes another time, from its beginning. */
void deflater_renew(struct pump_filter *filter);
/* The chain that it was in has been left. What it has done: bytes that went in, and came out. */
struct deflater_counts {
	uint64_t in, out;
};
struct deflater_counts deflater_give(struct pump_filter **filter);

/* Is more compressed a second than maxcomprate allows, or this process busier than maxcompcpuusage?
 * Then responses are not compressed any more, and those under way less, piece by piece, down to not
 * at all. */
bool compress_exceeds(void);
/* Bytes went in, and came out. */
void compress_count(size_t in, size_t out);

/* Gives back what waits for the next response. */
void deflater_trim(void);

/* Bytes that zlib holds, for show info. */
extern size_t deflater_memory;

#endif
