/* SPDX-License-Identifier: BSD-2-Clause */
/* Origins (stream/origin.h): what is the same for all, whoever carries their streams. */
#include "stream/origin.h"

#include "base/pool.h"
#include "proxy/proxy.h"
#include "stream/own_frontend.h"
#include "stream/vectors.h"

struct counters origin_uncounted;
void (*origin_ends)(struct origin *o);

static struct pool own_pool = POOL_INIT("peer address", sizeof(struct own_addrs));

bool origin_speaks_http(const struct origin *o)
{
	const struct proxy *px = o->frontend;

	return (px->set.mode == MODE_HTTP || o->upgraded) && !px->applet;
}

bool origin_keep_own(struct origin *o)
{
	if (o->own)
		return true;
	o->own = pool_take(&own_pool);
	if (o->own)
		*o->own = (struct own_addrs){ o->src, o->dst, o->has_dst };
	return o->own != NULL;
}

void origin_free(struct origin *o)
{
	if (o->idle.next)
		origin_ends(o);
	vars_free(&o->vars);
	vectors_drop(o);
	if (o->own)
		pool_give(&own_pool, &o->own);
}

void origin_own_frontend(struct own_frontend *own, const char *name, struct proxy *backend)
{
	*own = (struct own_frontend){
		.proxy = { .name = name, .caps = PROXY_FRONTEND, .default_backend = backend,
			   .set.mode = MODE_HTTP, .fe = &own->tally },
	};
	list_init(&own->proxy.binds);
	list_init(&own->proxy.switch_rules);
	list_init(&own->proxy.streams);
	list_init(&own->proxy.queue);
	list_init(&own->proxy.uppers);
}
