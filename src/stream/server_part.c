/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that still have servers which have left (proxy/server_add.h). */
#include "stream/server_part.h"

#include "proxy/proxy.h"
#include "proxy/server_part.h"
#include "stream/extra.h"
#include "stream/stream.h"

/* Whom a stream has not taken yet it does not take any more: balancing chooses. */
static void part_forget(struct server *server)
{
	struct stream *s;

	list_for_each(s, &streams_all, node) {
		if (!s->extra)
			continue;
		if (s->extra->persist == server)
			s->extra->persist = NULL;
		if (s->extra->avoid == server)
			s->extra->avoid = NULL;
	}
}

static void part_mark(void)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->server)
			s->server->in_use = true;
}

const struct server_part stream_server_part = { .leave = part_forget, .mark = part_mark };
