/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of bind lines with TLS: made at the first word about it, and what others than the
 * files of tls/ say to them and ask of them (tls/conn.h). */
#include "tls/binds.h"

#include "base/arena.h"
#include "net/bind_conf.h"
#include "net/proto.h"
#include "tls/conn.h"

#include <string.h>

struct list tls_binds = LIST_INIT(tls_binds);

struct tls_bind *tls_bind_of(struct bind_conf *conf, struct config *cfg)
{
	struct tls_bind *bind = conf->tls;

	if (bind)
		return bind;
	bind = conf->tls = arena_alloc(cfg->arena, sizeof(*bind));
	bind->conf = conf;
	bind->loc = conf->loc;
	bind->defaults = tls_global.bind;
	list_init(&bind->lines);
	list_append(&tls_binds, &bind->node);
	return bind;
}

struct span tls_bind_usual_alone(struct tls_bind *bind)
{
	struct span found = proto_unusual(bind->set.alpn);
	const struct tls_line *line;

	bind->offer.usual_alone = true;
	list_for_each(line, &bind->lines, node)
		if (!found.len && line->set)
			found = proto_unusual(line->set->alpn);
	return found;
}

bool tls_bind_takes_early(const struct tls_bind *bind)
{
	return bind->early;
}

void tls_bind_offer(struct tls_bind *bind, struct span wire)
{
	bind->offer.usual = wire;
}
