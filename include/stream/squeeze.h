/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes through zlib, one piece after the other; contexts are pooled. Built with zlib only. */
#ifndef STREAM_SQUEEZE_H
#define STREAM_SQUEEZE_H

#include "relay/pump.h"
#include "stream/compress.h"

/* "tune.comp.maxlevel", "tune.zlib.memlevel", "tune.zlib.windowsize", "maxzlibmem" (bytes; 0: no
 * limit); before the first use. */
struct squeeze_tune {
	int level, memlevel, windowsize;
	size_t most;
};
void squeeze_configure(const struct squeeze_tune *tune);
/* Can this build do it? */
bool squeeze_has(enum compress_algo algo);
/* A filter for a pump, which the caller gives back by pump_filter_free; NULL: no memory, or
 * more than maxzlibmem. */
struct pump_filter *squeeze_new(enum compress_algo algo);

/* Bytes that zlib holds, for show info. */
extern size_t squeeze_memory;

#endif
