/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of bind lines with TLS: made at the first word about it, and what others than the
 * files of tls/ say to them and ask of them (tls/conn.h). */
#include "tls/binds.h"

#include "base/arena.h"
#include "net/bind_conf.h"
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

static bool has_h2(struct span alpn)
{
	size_t at;

	for (at = 0; at < alpn.len; at += 1 + (unsigned char)alpn.ptr[at])
		if (alpn.ptr[at] == 2 && !memcmp(alpn.ptr + at + 1, "h2", 2))
			return true;
	return false;
}

bool tls_bind_leave_out_h2(struct tls_bind *bind)
{
	const struct tls_line *line;
	bool found = has_h2(bind->set.alpn);

	bind->offer.without_h2 = true;
	list_for_each(line, &bind->lines, node)
		found |= line->set && has_h2(line->set->alpn);
	return found;
}

bool tls_bind_takes_early(const struct tls_bind *bind)
{
	return bind->early;
}

void tls_bind_offer(struct tls_bind *bind, const char *wire)
{
	bind->offer.usual = span_of(wire);
}
