/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of a session's PROXY header (stream/vectors.h). Nearly all fit into an object of the
 * pool; larger ones are allocated. */
#include "stream/vectors.h"

#include "base/pool.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <stdlib.h>

enum { SMALL = 504 };

static struct pool vectors_pool = POOL_INIT("PROXY vectors", sizeof(struct vectors) + SMALL);

void vectors_keep(struct origin *o, struct span vectors)
{
	if (!vectors.len || !proxies_running->global.keeps_vectors)
		return;
	o->vectors = vectors.len <= SMALL ? pool_take(&vectors_pool) :
					     malloc(sizeof(struct vectors) + vectors.len);
	if (!o->vectors) {
		global_tally->no_memory++;
		return;
	}
	o->vectors->len = vectors.len;
	memcpy(o->vectors->bytes, vectors.ptr, vectors.len);
}

void vectors_drop(struct origin *o)
{
	if (!o->vectors)
		return;
	if (o->vectors->len <= SMALL) {
		pool_give(&vectors_pool, &o->vectors);
		return;
	}
	free(o->vectors);
	o->vectors = NULL;
}
