/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the beginning of streams, their servers and their end to whoever watches the terminal.
 * Called by the moments of streams when -d was given; changes nothing.
 */
#include "stream/trace.h"

#include "base/str.h"
#include "net/addr.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/server.h"
#include "stream/stream.h"
#include "stream/subscriber.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned trace_fd(const struct end *end)
{
	return end_is_conn(end) ? (unsigned)link_show(end_own_link(end)).number & 0xffff : 0xffff;
}

/* "00000001:fe.accept(0005)=000b from [127.0.0.1:4040]": numbers are the stream's, the listener's
 * descriptor and the client's. */
static void trace_accept(const struct stream *s)
{
	const struct origin *o = s->origin;
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	addr_print_port(&o->src, &t);
	printf("%08" PRIx64 ":%s.accept(%04x)=%04x from [%s]\n", s->id, o->frontend->name,
	       o->listener ? (unsigned)o->listener->src.fd & 0xffff : 0xffff,
	       trace_fd(&s->relay.client), buf);
	fflush(stdout);
}

/* "00000001:fe.connected[000b:000c] be/s1": what is about to reach whom. Once more with each
 * connection that is tried behind it. */
static void trace_connected(const struct stream *s)
{
	printf("%08" PRIx64 ":%s.connected[%04x:%04x] %s/%s\n", s->id, s->origin->frontend->name,
	       trace_fd(&s->relay.client), trace_fd(&s->relay.server),
	       s->backend ? s->backend->name : s->origin->frontend->name,
	       s->server ? s->server->id : "<NOSRV>");
	fflush(stdout);
}

/* "00000001:fe.closed[000b:000c] be/s1 cD 4/4: sentence": the descriptors of both sides (ffff:
 * none), backend and server, termination code, bytes from and to the client, why. */
static void trace_closed(const struct stream *s)
{
	struct stream_bytes all = stream_bytes_of(s);
	char code[3];

	stream_termination(s, code);
	printf("%08" PRIx64 ":%s.closed[%04x:%04x] %s/%s %s %" PRIu64 "/%" PRIu64 ": %s\n", s->id,
	       s->origin->frontend->name, trace_fd(&s->relay.client), trace_fd(&s->relay.server),
	       s->backend ? s->backend->name : s->origin->frontend->name,
	       s->server ? s->server->id : "<NOSRV>", code, all.in, all.out,
	       reason_text((enum reason)s->reason));
	fflush(stdout);
}

static enum moment_said trace_hear(struct stream *s, enum moment moment)
{
	switch (moment) {
	case MOMENT_BEGUN:
		trace_accept(s);
		break;
	case MOMENT_CONNECTED:
		trace_connected(s);
		break;
	case MOMENT_ENDED:
		trace_closed(s);
		break;
	default: /* another one wants to know */
		break;
	}
	return SAID_GOES_ON;
}

const struct subscriber trace_subscriber = {
	.name = "trace",
	.moments = AT_MOMENT(BEGUN) | AT_MOMENT(CONNECTED) | AT_MOMENT(ENDED),
	.hear = trace_hear,
};
