/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the beginning and the end of streams to whoever watches the terminal. Called by
 * stream_start and stream_end when -d was given; changes nothing.
 */
#include "stream/trace.h"

#include "base/str.h"
#include "net/addr.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/server.h"
#include "stream/stream.h"

#include <inttypes.h>
#include <stdio.h>

bool trace_enabled;

static unsigned trace_fd(const struct end *end)
{
	return end->ops == &end_conn_ops ?
		       (unsigned)link_show(end_own_link(end)).number & 0xffff : 0xffff;
}

void trace_accept(const struct stream *s)
{
	const struct origin *o = s->origin;
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	addr_print_port(&o->src, &t);
	printf("%08" PRIx64 ":%s.accept(%04x)=%04x from [%s]\n", s->id, o->frontend->name,
	       (unsigned)o->listener->src.fd & 0xffff, trace_fd(&s->relay.client), buf);
	fflush(stdout);
}

void trace_closed(const struct stream *s)
{
	char code[3];

	stream_termination(s, code);
	printf("%08" PRIx64 ":%s.closed[%04x:%04x] %s/%s %s %" PRIu64 "/%" PRIu64 ": %s\n", s->id,
	       s->origin->frontend->name, trace_fd(&s->relay.client), trace_fd(&s->relay.server),
	       s->backend ? s->backend->name : s->origin->frontend->name,
	       s->server ? s->server->id : "<NOSRV>", code, s->counted_in, s->counted_out,
	       reason_text((enum reason)s->reason));
	fflush(stdout);
}
