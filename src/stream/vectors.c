/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of a session's PROXY header (stream/vectors.h). Nearly all fit into an object of the pool;
 * larger ones are allocated. */
#include "stream/vectors.h"

#include "base/pool.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <stdlib.h>

enum { SMALL = 504 };

static struct pool vectors_pool = POOL_INIT("PROXY vectors", sizeof(struct vectors) + SMALL);

void vectors_keep(struct session *se, struct span vectors)
{
	if (!vectors.len || !proxies_running->global.keeps_vectors)
		return;
	se->vectors = vectors.len <= SMALL ? pool_take(&vectors_pool) :
					     malloc(sizeof(struct vectors) + vectors.len);
	if (!se->vectors) {
		global_tally->no_memory++;
		return;
	}
	se->vectors->len = vectors.len;
	memcpy(se->vectors->bytes, vectors.ptr, vectors.len);
}

void vectors_drop(struct session *se)
{
	if (!se->vectors)
		return;
	if (se->vectors->len <= SMALL) {
		pool_give(&vectors_pool, &se->vectors);
		return;
	}
	free(se->vectors);
	se->vectors = NULL;
}
