/* SPDX-License-Identifier: BSD-2-Clause */
/* Origins (stream/origin.h): what is the same for all, whoever carries their streams. */
#include "stream/origin.h"

#include "base/pool.h"
#include "proxy/proxy.h"
#include "stream/vectors.h"

struct counters origin_uncounted;
void (*origin_ends)(struct origin *o);

static struct pool told_pool = POOL_INIT("peer address", sizeof(struct told));

bool origin_speaks_http(const struct origin *o)
{
	const struct proxy *px = o->frontend;

	return (px->set.mode == MODE_HTTP || o->upgraded) && !px->applet;
}

const char *origin_netns(const struct origin *o)
{
	if (o->told && o->told->netns)
		return o->told->netns;
	return o->listener ? o->listener->bind->namespace : NULL;
}

struct told *origin_told(struct origin *o)
{
	if (!o->told)
		o->told = pool_take(&told_pool);
	return o->told;
}

bool origin_keep_own(struct origin *o)
{
	struct told *told = origin_told(o);

	if (!told || told->has_own)
		return told;
	told->has_own = true;
	told->own_src = o->src;
	told->own_dst = told->dst;
	told->has_own_dst = told->has_dst;
	return true;
}

void origin_free(struct origin *o)
{
	if (o->idle.next)
		origin_ends(o);
	vars_free(&o->vars);
	if (!o->told)
		return;
	vectors_drop(o->told);
	pool_give(&told_pool, &o->told);
}
