/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: from an accepted socket to a stream. Order of life: admission_room is asked, the
 * listener accepts, session_accept makes the objects and applies the connection rules, the
 * handshake takes a PROXY header where one is due and speaks TLS, session_begin applies the session
 * rules and calls what the bind line says (session_kind), which starts the stream. A stream's end
 * frees its session (TCP mode). */
#include "session/session.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/message_end.h"
#include "session/admission.h"
#include "session/client_protos.h"
#include "session/handshake.h"
#include "session/keepalive.h"
#include "stream/client_close.h"
#include "stream/rule_steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "tally/tallies.h"
#include "tls/link.h"

#include <unistd.h>

static void session_timer(struct timer *timer)
{
	struct session *se = container_of(timer, struct session, timer);

	if (se->deadline_ms)
		keepalive_timer(se);
	else if (se->stream)
		stream_timer(se->stream);
}

/* ---- the carrier --------------------------------------------------------------------------- */

static bool session_lends(struct origin *origin, struct end *end, struct buf **held)
{
	struct session *se = session_of(origin);

	*held = se->held;
	se->held = NULL;
	end_take_conn(end, &se->conn);
	se->stream = stream_of(container_of(end, struct relay, client));
	return true;
}

static void session_takes_back(struct origin *origin, struct end *end)
{
	struct session *se = session_of(origin);

	se->conn = end_detach(end, &se->held);
	se->deadline_ms = UINT64_MAX;
}

/* The next request counts its times from here. */
APART static void session_over(struct session *se)
{
	session_free(&se);
}

static void session_ended(struct origin *origin)
{
	struct session *se = session_of(origin);

	if (!se->deadline_ms) {
		session_over(se);
		return;
	}
	se->origin.accepted = clock_wall();
	se->origin.accepted_ms = clock_now_ms;
	se->origin.handshake_ms = 0;
	keepalive_wait(se);
}

static bool session_draining(const struct origin *origin)
{
	(void)origin;
	return keepalive_is_over();
}

/* The exchange has ended, of which the connection was taken back. */
COLD static void session_goes_on(struct origin *origin)
{
	struct session *se = session_of(origin);

	se->deadline_ms = 0;
	client_protos[origin->goes_on].begin(se);
}

static const struct carrier_ops session_changes = {
	.name = "h1",
	.is_h1 = true,
	.take_back = session_takes_back,
	.ended = session_goes_on,
};

static void session_hands_over(struct origin *origin, enum proto proto)
{
	origin->goes_on = (uint8_t)proto;
	origin->carrier = &session_changes;
}

COLD static void session_waits_on(struct origin *origin);

static const struct carrier_ops session_rests = {
	.name = "h1",
	.is_h1 = true,
	.take_back = session_takes_back,
	.ended = session_waits_on,
};

static void session_resumes(struct origin *origin)
{
	origin->carrier = &session_rests;
}

static const struct carrier_ops session_carrier = {
	.name = "h1",
	.is_h1 = true,
	.lend = session_lends,
	.take_back = session_takes_back,
	.ended = session_ended,
	.draining = session_draining,
	.hand_over = session_hands_over,
	.nothing_came = session_resumes,
};

static void session_waits_on(struct origin *origin)
{
	origin->carrier = &session_carrier;
	keepalive_resume(session_of(origin));
}

COLD static void session_short(struct session *se)
{
	global_tally->no_memory++;
	buffer_give(&se->held);
	client_close(&se->conn, se->origin.frontend, se->origin.requests > 0);
	session_free(&se);
}

void session_lend(struct session *se)
{
	if (!stream_start(&se->origin, &se->timer))
		session_short(se);
}

struct session *session_new(struct listener *l, const struct addr *from)
{
	struct session *se = pool_take(&session_pool);

	if (!se)
		return NULL;
	KIND_IS(struct session, se);
	se->origin.carrier = &session_carrier;
	se->origin.listener = l;
	se->origin.frontend = KIND_OF(struct proxy, l->bind->owner);
	se->origin.src = *from;
	se->origin.accepted = clock_wall();
	se->origin.accepted_ms = clock_now_ms;
	se->origin.session_vars = &se->origin.vars;
	timer_init(&se->timer, session_timer);
	return se;
}

/* ---- accepted ------------------------------------------------------------------------------ */

static void session_count_connection(struct listener *l, struct proxy *px)
{
	px->fe->counters.connections++;
	rate_add(&px->fe->counters.connection_rate, clock_now_ms, 1);
	l->tally->counters.connections++;
	global_tally->cum_conns++;
	if (!px->stats_socket)
		rate_add(&global_tally->conn_rate, clock_now_ms, 1);
	if (l->bind->tls) {
		global_tally->cum_tls++;
		rate_add(&global_tally->tls_rate, clock_now_ms, 1);
	}
}

static void session_begin_agreed(struct session *se)
{
	enum proto proto = tls_link_proto(conn_link(se->conn));

	client_protos[proto_can(proto, PROTO_CLIENTS) ? proto : PROTO_USUAL].begin(se);
}

void (*session_kind(const struct bind_conf *bind))(struct session *session)
{
	const struct proxy *px = KIND_OF(const struct proxy, bind->owner);

	if (px->set.mode != MODE_HTTP || px->applet)
		return session_lend;
	if (bind->proto)
		return client_protos[bind->proto].begin;
	return bind->tls ? session_begin_agreed : client_protos[PROTO_USUAL].begin;
}

/* From a port that only root may take: rather an attack by reflection than a client. */
COLD static bool session_privileged(const struct addr *from)
{
	return (from->family == AF_INET || from->family == AF_INET6) && from->port < 1024;
}

void session_accept(struct listener *l, int *fd, const struct addr *from)
{
	struct proxy *px = KIND_OF(struct proxy, l->bind->owner);
	struct conn *conn = conn_new();
	struct session *se;

	session_count_connection(l, px);
	if (unlikely(admission_rejects_privileged) && session_privileged(from)) {
		px->fe->counters.denied_connections++;
		l->tally->counters.denied_connections++;
		conn_close(&conn, false);
		close(*fd);
		*fd = -1;
		return;
	}
	if (!conn || !(se = session_new(l, from))) {
		global_tally->no_memory++;
		conn_close(&conn, false);
		close(*fd);
		*fd = -1;
		return;
	}
	l->tally->counters.sessions++;
	admission_take(l); /* whatever the rules will say of it */
	/* Bytes that have arrived already give an event at once. */
	if (conn_attach(conn, fd, CONN_WRITABLE | (from->family != AF_UNIX ? CONN_TCP : 0),
			NULL) < 0) {
		global_tally->accept_failures++;
		conn_close(&conn, false);
		session_free(&se);
		return;
	}
	if (connection_rules(&se->origin, conn_link(conn)) != RULES_PASS) {
		conn_close(&conn, false);
		session_free(&se);
		return;
	}
	if (handshake_wanted(se))
		handshake_start(se, &conn);
	else
		session_begin(se, &conn);
}
