/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection to the server: start, wait, try again. "retries" and "option redispatch" of
 * the manual: a failed connection is tried again on the same server after a second (or the
 * connect timeout, when that is shorter), and on another server at once. */
#include "stream/connect.h"

#include "base/clock.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/learn.h"
#include "proxy/proxy.h"
#include "proxy/server_dial.h"
#include "stream/connect_tls.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/packets.h"
#include "stream/place.h"
#include "stream/proxyheader.h"
#include "stream/retry.h"
#include "stream/socks.h"
#include "stream/source.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "tls/conn.h"
#include "tls/link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_DELAY_MS = 1000 };
/* A Unix socket that is missing or refuses does so at once: a server there is tried that often
 * without a pause. */
enum { LOCAL_TRIES = 100 };

bool (*connect_no_descriptor)(void);
struct conn *(*connect_inside)(struct stream *s);

/* The server's conn while it connects: its events wake the steps, not the pumps. */
static void connect_ready(struct conn *conn)
{
	struct end *end = conn->owner;

	stream_wake(stream_of(container_of(end, struct relay, server)));
}

const struct addr *connect_mapped(struct stream *s, struct addr *to)
{
	const struct server *server = s->server;
	struct addr dst;

	*to = server->state->addr;
	if (!stream_dst(s, &dst))
		return to;
	if (server->state->port_follows)
		to->port = (uint16_t)(dst.port + server->state->port_offset);
	if (addr_is_any(to) && dst.family != AF_UNIX) {
		dst.port = to->port;
		*to = dst;
	}
	return to;
}

/* Manual 8.5, RC: "the error logs will tell precisely what was missing". */
static void connect_count_failure(struct stream *s)
{
	s->server->tally->counters.failed_connections++;
	s->backend->be->counters.failed_connections++;
}

static int connect_resource(struct stream *s, const char *what)
{
	log_printf(s->backend->set.log, LOG_L_EMERG, "Cannot connect to server %s/%s: %s: %s.",
		   s->backend->name, s->server->id, what, strerror(errno));
	connect_count_failure(s);
	return stream_fail(s, END_RESOURCE);
}

static int connect_give_up(struct stream *s, bool timed_out)
{
	connect_count_failure(s);
	return stream_fail(s, timed_out ? END_CONNECT_TIMEOUT : END_SERVER_REFUSED);
}

int connect_done(struct stream *s)
{
	s->connect_ms = (uint32_t)(clock_now_ms - s->origin->accepted_ms);
	return STEP_GOTO + REQ_CONNECTED_MOMENT;
}

/* Are bytes for the server at hand already? */
static bool connect_has_bytes(const struct stream *s)
{
	struct link client = end_own_link(&s->relay.client);

	return s->exchange || s->server->tls || pump_held(&s->relay.request) ||
	       proxyheader_wanted(s) || s->server->set.socks4.family ||
	       (!link_is_quiet(client) && !link_at_end(client));
}

static enum dial_result connect_dial(struct stream *s, const struct addr *to, int *fd)
{
	bool bytes = s->server->set.options.on & SRV_TFO && connect_has_bytes(s);
	struct dial_packets packets;
	struct addr client;

	return server_dial(s->server, to, source_client(s, &client), origin_netns(s->origin), bytes,
			   packets_of(s, &packets) ? &packets : NULL, fd);
}

/* The table of descriptors is full: a connection that nobody uses makes room. */
COLD static enum dial_result connect_dial_again(struct stream *s, const struct addr *to, int *fd)
{
	int saved = errno;

	if ((saved == EMFILE || saved == ENFILE) && connect_no_descriptor &&
	    connect_no_descriptor())
		return connect_dial(s, to, fd);
	errno = saved;
	return DIAL_RESOURCE;
}

/* The server is inside the program, or refuses. */
COLD static int connect_to_inside(struct stream *s)
{
	struct conn *conn = connect_inside(s);

	if (!conn)
		return STEP_GOTO + REQ_RETRY;
	end_take_conn(&s->relay.server, &conn);
	return STEP_NEXT;
}

int connect_anew(struct stream *s, const struct addr *to)
{
	struct addr way;
	enum dial_result dialled;
	struct conn *conn;
	int fd;

	s->dialled = (uint16_t)s->server->moves;
	s->server->tally->counters.connects++;
	s->backend->be->counters.connects++;
	if (unlikely(connect_inside != NULL))
		return connect_to_inside(s);
	if (!socks_way(s, to, &way))
		return STEP_GOTO + REQ_RETRY;
	dialled = connect_dial(s, &way, &fd);
	if (unlikely(dialled == DIAL_RESOURCE))
		dialled = connect_dial_again(s, &way, &fd);
	switch (dialled) {
	case DIAL_SOURCE:
		return connect_resource(s, "cannot use the source address, or no port of it is "
					   "free");
	case DIAL_RESOURCE:
		return connect_resource(s, "no socket");
	case DIAL_REFUSED:
		return STEP_GOTO + REQ_RETRY;
	case DIAL_STARTED:
		break;
	}
	conn = conn_new();
	if (!conn || conn_attach(conn, &fd,
				 CONN_CONNECTING | (way.family != AF_UNIX ? CONN_TCP : 0),
				 connect_ready) < 0) {
		if (fd >= 0)
			close(fd);
		conn_close(&conn, false);
		return connect_resource(s, "no connection");
	}
	end_take_conn(&s->relay.server, &conn);
	end_conn(&s->relay.server)->ready = connect_ready;
	stream_arm_wait(s, stream_timeout(s, TIMEOUT_CONNECT));
	return STEP_NEXT;
}

int connect_start(struct stream *s)
{
	struct addr own;

	s->phase = PHASE_CONNECT;
	return connect_anew(s, connect_address(s, &own));
}

static void connect_observe(struct stream *s, bool ok)
{
	uint32_t ms = (uint32_t)clock_now_ms - s->phase_ms;

	if (s->server->learns & LEARNS_CONNECTIONS)
		learn_seen(s->server, ok ? OBSERVED_CONNECTED : OBSERVED_NOT_CONNECTED,
			   (uint64_t)ms * 1000);
}

/* The connection is made. What we ourselves say before the client's bytes: to a SOCKS proxy; who
 * the client is, where a request's head or a ClientHello follows at once. */
static enum io connect_greet(struct stream *s)
{
	struct addr own;
	enum io r = socks_go(s, connect_address(s, &own));

	if (r == IO_OK && (s->exchange || s->server->tls) && proxyheader_wanted(s) &&
	    !proxyheader_send(s)) {
		conn_fail(end_conn(&s->relay.server), CONN_WRITABLE, ECONNABORTED);
		return IO_ERR;
	}
	return r;
}

/* What is above can use it. */
static int connect_made(struct stream *s)
{
	end_use_conn(&s->relay.server);
	if (!s->kind->connected(s))
		return stream_fail(s, END_RESOURCE);
	connect_observe(s, true);
	return connect_done(s);
}

static int connect_waits(struct stream *s)
{
	if (stream_client_gone(s))
		return STEP_END;
	return stream_wait_over(s) ? STEP_GOTO + REQ_RETRY : STEP_WAIT;
}

static int connect_handshake(struct stream *s)
{
	int next = STEP_GOTO + REQ_RETRY;

	switch (tls_conn_handshake(end_conn(&s->relay.server))) {
	case IO_OK:
		connect_tls_done(s);
		early_connected(s);
		return connect_made(s);
	case IO_AGAIN:
		next = connect_waits(s);
		break;
	case IO_EOF:
	case IO_ERR:
		break;
	}
	if (next == STEP_GOTO + REQ_RETRY)
		connect_tls_failed(s);
	return next;
}

static int connect_secure(struct stream *s)
{
	struct span early = early_words(s), name;

	if (s->reason != END_NONE)
		return STEP_END;
	if (!connect_tls_name(s, &name))
		return connect_give_up(s, false);
	if (tls_may_connect && !tls_may_connect()) {
		connect_tls_too_many(s);
		connect_count_failure(s);
		return stream_fail(s, END_RESOURCE);
	}
	if (connect_tls_begin(s, name, early))
		return connect_handshake(s);
	errno = ENOMEM;
	return connect_resource(s, "no TLS");
}

int connect_wait(struct stream *s)
{
	struct conn *conn = end_conn(&s->relay.server);

	if (tls_link_is(conn_link(conn)))
		return connect_handshake(s);
	/* The client's end and the server's answer may have come in any order: before the one is
	 * acted upon the other is looked for. */
	if (*s->relay.client.flags & CONN_RDHUP)
		conn_look(conn);
	if (conn->flags & (CONN_ERROR | CONN_HUP) && conn_check_error(conn))
		return STEP_GOTO + REQ_RETRY;
	if (!(conn->flags & CONN_WRITABLE))
		return connect_waits(s);
	switch (connect_greet(s)) {
	case IO_OK:
		break;
	case IO_AGAIN:
		return connect_waits(s);
	case IO_EOF:
	case IO_ERR:
		return STEP_GOTO + REQ_RETRY;
	}
	conn->flags &= (uint16_t)~CONN_CONNECTING;
	return s->server->tls ? connect_secure(s) : connect_made(s);
}

/* Does the retry that comes now go to another server? Manual, "option redispatch <interval>":
 * every so many retries; -1 the last one, -2 the one before. As in the reference, a balancing
 * that does not tie clients to servers chooses anew at each retry. */
static bool connect_elsewhere(const struct stream *s)
{
	const struct proxy_settings *set = &s->backend->set;
	int interval = set->redispatch_interval;

	if (!(set->options.on & OPT_REDISPATCH) ||
	    (!s->backend->dispatch && s->backend->usable + s->backend->usable_backup < 2))
		return false;
	if (!balance_is_hash(set->balance) && !(s->extra && s->extra->direct))
		return true;
	if (interval < 0)
		return (int)s->failures == (int)retries_of(s) + 1 + interval;
	return interval > 0 && s->failures % interval == 0;
}

/* Away from a server that balancing would not choose any more, too, unless the client asks for
 * it. */
static bool connect_moves(const struct stream *s)
{
	const struct stream_extra *extra = s->extra;

	if ((extra && extra->persist && extra->persist_forced) || server_is_dispatch(s->server))
		return false;
	return connect_elsewhere(s) ||
	       (!server_usable(s->server) && !(extra && extra->direct));
}

int connect_again(struct stream *s)
{
	if (!connect_moves(s))
		return REQ_CONNECT;
	place_redispatch(s);
	return REQ_ASSIGN;
}

static unsigned connect_delay(const struct stream *s)
{
	unsigned timeout = stream_timeout(s, TIMEOUT_CONNECT);

	return timeout && timeout < RETRY_DELAY_MS ? timeout : RETRY_DELAY_MS;
}

static int connect_failed(struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.server);
	bool timed_out = conn && !conn->error && tls_link_fault(conn_link(conn)) == TLS_FAULT_NONE;

	connect_observe(s, false);
	if (s->failures >= retries_of(s) || early_is_lost(s) ||
	    !retry_allowed(s))
		return connect_give_up(s, timed_out);
	s->failures++;
	end_close(&s->relay.server, false);
	if (connect_moves(s)) {
		place_redispatch(s);
		return STEP_GOTO + REQ_ASSIGN;
	}
	s->server->tally->counters.retries++;
	s->backend->be->counters.retries++;
	if (timed_out || (s->server->state->addr.family == AF_UNIX && s->failures <= LOCAL_TRIES))
		return STEP_GOTO + REQ_CONNECT;
	stream_arm_wait(s, connect_delay(s));
	return STEP_WAIT;
}

int connect_retry(struct stream *s)
{
	if (!s->request.waiting)
		return connect_failed(s);
	if (stream_client_gone(s))
		return STEP_END;
	return stream_wait_over(s) ? STEP_GOTO + connect_again(s) : STEP_WAIT;
}
