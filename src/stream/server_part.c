/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that still have servers and backends which have left (proxy/server_add.h,
 * proxy/backend_add.h). */
#include "stream/server_part.h"

#include "proxy/part.h"
#include "proxy/proxy.h"
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

struct server_part stream_server_part = { .leave = part_forget, .mark = part_mark };

/* Who has chosen it and does not count there yet chooses anew. */
static void part_forget_backend(struct proxy *px)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->extra && s->extra->chosen == px)
			s->extra->chosen = NULL;
}

static void part_mark_backends(void)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->backend)
			s->backend->in_use = true;
}

struct proxy_part stream_proxy_part = { .leave = part_forget_backend,
						  .mark = part_mark_backends };
