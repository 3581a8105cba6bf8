/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of a session's PROXY header (stream/vectors.h). Nearly all fit into an object of the
 * pool; larger ones are allocated. */
#include "stream/vectors.h"

#include "base/pool.h"
#include "proxy/proxy.h"
#include "stream/origin.h"
#include "tally/tallies.h"

#include <stdlib.h>

enum { SMALL = 504 };

static struct pool vectors_pool = POOL_INIT("PROXY vectors", sizeof(struct vectors) + SMALL);

static struct vectors *vectors_copy(struct span vectors)
{
	struct vectors *v = vectors.len <= SMALL ? pool_take(&vectors_pool) :
						   malloc(sizeof(struct vectors) + vectors.len);

	if (!v)
		return NULL;
	v->len = vectors.len;
	memcpy(v->bytes, vectors.ptr, vectors.len);
	return v;
}

void vectors_keep(struct origin *o, struct span vectors)
{
	struct told *told;

	if (!vectors.len || !proxies_running->global.keeps_vectors)
		return;
	told = origin_told(o);
	if (!told || !(told->vectors = vectors_copy(vectors)))
		global_tally->no_memory++;
}

void vectors_drop(struct told *told)
{
	if (!told->vectors)
		return;
	if (told->vectors->len <= SMALL) {
		pool_give(&vectors_pool, &told->vectors);
		return;
	}
	free(told->vectors);
	told->vectors = NULL;
}
