/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: from an accepted socket to a stream. Order of life: admission_room is asked, the
 * listener accepts, session_accept makes the objects and applies the connection rules, the
 * handshake takes a PROXY header where one is due and speaks TLS, session_begin applies the session rules and
 * starts the stream. A stream's end frees its session (TCP mode). */
#include "stream/session.h"

#include "base/clock.h"
#include "base/pool.h"
#include "net/listener.h"
#include "proxy/tally.h"
#include "stream/admission.h"
#include "stream/handshake.h"
#include "stream/idle.h"
#include "stream/keepalive.h"
#include "stream/rules.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "stream/vectors.h"

#include <unistd.h>

static struct pool session_pool = POOL_INIT("session", sizeof(struct session));
static struct pool peer_pool = POOL_INIT("peer address", sizeof(struct addr));

bool session_speaks_http(const struct session *session)
{
	const struct proxy *px = session->frontend;

	return (px->set.mode == MODE_HTTP || session->upgraded) && !px->applet;
}

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

/* It has passed the connection and session rules. */
static void session_count(struct proxy *px)
{
	px->fe->counters.sessions++;
	rate_add(&px->fe->counters.session_rate, clock_now_ms, 1);
	global_tally->cum_sessions++;
	if (px->set.mode != MODE_HTTP)
		global_tally->cum_requests++;
	if (!px->stats_socket)
		rate_add(&global_tally->sess_rate, clock_now_ms, 1);
}

void session_free(struct session **session)
{
	struct session *se = *session;

	struct listener *l = se->listener;

	timer_cancel(&se->timer);
	if (se->node.next)
		list_remove(&se->node);
	idle_close_session(se);
	vars_free(&se->vars);
	vectors_drop(se);
	if (se->peer)
		pool_give(&peer_pool, &se->peer);
	pool_give(&session_pool, session);
	admission_give(l);
}

void session_set_addrs(struct session *se, const struct addr *src, const struct addr *dst)
{
	if (!se->peer)
		se->peer = pool_take(&peer_pool);
	if (se->peer)
		*se->peer = se->src;
	se->src = *src;
	se->dst = *dst;
	se->has_dst = true;
}

static void session_timer(struct timer *timer)
{
	struct session *se = container_of(timer, struct session, timer);

	if (se->stream)
		stream_timer(se->stream);
	else
		keepalive_timer(se);
}

static struct session *session_new(struct listener *l, const struct addr *from)
{
	struct session *se = pool_take(&session_pool);

	if (!se)
		return NULL;
	se->listener = l;
	se->frontend = l->bind->owner;
	se->netns = l->bind->namespace;
	se->src = *from;
	se->accepted = clock_wall();
	se->accepted_ms = clock_now_ms;
	timer_init(&se->timer, session_timer);
	return se;
}

void session_begin(struct session *se, struct conn **conn)
{
	if (session_rules(se, *conn) != RULES_PASS) {
		conn_close(conn, false);
		session_free(&se);
		return;
	}
	session_count(se->frontend);
	if (session_speaks_http(se))
		keepalive_wait(se, conn, NULL);
	else
		stream_start(se, conn, NULL);
}

void session_accept(struct listener *l, int *fd, const struct addr *from)
{
	struct proxy *px = l->bind->owner;
	struct conn *conn = conn_new();
	struct session *se;

	session_count_connection(l, px);
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
	if (connection_rules(se, conn) != RULES_PASS) {
		conn_close(&conn, false);
		session_free(&se);
		return;
	}
	if (handshake_wanted(se))
		handshake_start(se, &conn);
	else
		session_begin(se, &conn);
}
