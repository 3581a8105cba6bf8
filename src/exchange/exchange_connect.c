/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of an exchange that comes before a connection to its server is made: the client may be
 * sent there itself, or a connection is idle. Called by the step table (exchange_kind.c). */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "exchange/idle.h"
#include "exchange/reply.h"
#include "http/upgrade_field.h"
#include "http/uri.h"
#include "proxy/proxy.h"
#include "stream/connect.h"
#include "stream/connect_tls.h"
#include "stream/steps.h"
#include "tls/conn.h"

#include <string.h>

/* "redir" of the server line: the client is to ask there itself. */
APART static bool server_redirects(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct span target;
	struct reply *reply;
	const char *to;

	if (x->asked != METHOD_GET && x->asked != METHOD_HEAD)
		return false;
	target = uri_path_and_query(x->req.target);
	if (!target.len || *target.ptr != '/')
		return false;
	to = arena_printf(x->arena, "%s%.*s", s->server->set.redir, (int)target.len, target.ptr);
	if (!to) {
		exchange_reply(x, NULL);
		return true;
	}
	reply = reply_new(x, 302, NULL, (struct span){ NULL, 0 });
	reply_add(x, reply, span_of("cache-control"), span_of("no-cache"));
	reply_add(x, reply, span_of("location"), span_of(to));
	if (reply)
		reply->ends = END_LOCAL;
	exchange_reply(x, reply);
	return true;
}

/* The word "ws": WebSocket goes by another protocol than the rest, so over a new connection. */
static bool wants_its_own(const struct stream *s)
{
	return s->server->ws && upgrade_is_websocket(&s->exchange->req);
}

/* One that is left of another exchange, where the name of the server must agree, or the protocol.
 */
APART static bool server_reuses_particular(struct stream *s, const struct addr *to)
{
	struct span name = { "", 0 };
	char copy[TLS_NAME_MOST]; /* other expressions are evaluated before it is looked at */

	if (!connect_tls_name(s, &name) || wants_its_own(s))
		return false;
	if (name.len)
		memcpy(copy, name.ptr, name.len);
	if (server_conn_take(s, to, (struct span){ copy, name.len }))
		return true;
	idle_spare(s->backend);
	return false;
}

static bool server_reuses(struct stream *s, const struct addr *to)
{
	if (s->server->particular)
		return server_reuses_particular(s, to);
	if (server_conn_take(s, to, (struct span){ "", 0 }))
		return true;
	idle_spare(s->backend);
	return false;
}

static int server_connect(struct stream *s, const struct addr *to)
{
	s->phase = PHASE_CONNECT;
	if (unlikely(s->server->set.redir) && server_redirects(s)) {
		idle_obey(s->server);
		return STEP_GOTO + REQ_FORWARD;
	}
	if (server_reuses(s, to))
		return connect_done(s);
	idle_obey(s->server);
	return connect_anew(s, to);
}

APART static int server_connect_mapped(struct stream *s)
{
	struct addr own;

	return server_connect(s, connect_mapped(s, &own));
}

int exchange_connect(struct stream *s)
{
	/* A client may know what the server wants, and say it unasked; a stream of HTTP/2 does not
	 * know what another one was asked. */
	if (unlikely(idle_binding_credentials(&s->exchange->req)))
		s->origin->private_servers = true;
	return connect_is_plain(s->server) ? server_connect(s, &s->server->state->addr) :
					     server_connect_mapped(s);
}

bool exchange_connected(struct stream *s)
{
	struct addr own;

	return server_conn_made(s, connect_address(s, &own));
}
