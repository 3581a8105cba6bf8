/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: from an accepted socket to a stream. Order of life: session_room is asked, the
 * listener accepts, session_accept makes the objects and applies the connection rules, the
 * handshake takes a PROXY header where one is due, session_begin applies the session rules and
 * starts the stream. A stream's end frees its session (TCP mode). */
#include "stream/session.h"

#include "base/clock.h"
#include "base/pool.h"
#include "net/listener.h"
#include "proxy/tally.h"
#include "stream/handshake.h"
#include "stream/idle.h"
#include "stream/keepalive.h"
#include "stream/rules.h"
#include "stream/stream.h"

#include <unistd.h>

static struct pool session_pool = POOL_INIT("session", sizeof(struct session));

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned left_of(unsigned limit, unsigned current)
{
	return current < limit ? limit - current : 0;
}

bool session_speaks_http(const struct session *session)
{
	const struct proxy *px = session->frontend;

	return (px->set.mode == MODE_HTTP || session->upgraded) && !px->applet;
}

/* Room below a rate limit; 0: *wait_ms until one more fits. */
static unsigned rate_left(const struct rate *rate, unsigned limit, unsigned *wait_ms)
{
	uint64_t room = rate_room(rate, clock_now_ms, limit);

	if (!room)
		*wait_ms = rate_wait(rate, clock_now_ms, limit);
	return room > UINT32_MAX ? UINT32_MAX : (unsigned)room;
}

unsigned session_room(struct listener *l, unsigned *wait_ms)
{
	const struct proxy *px = l->bind->owner;
	unsigned room = left_of(px->state->maxconn, px->fe->current);

	*wait_ms = 0;
	if (l->maxconn)
		room = smaller(room, left_of(l->maxconn, l->tally->current));
	if (px->stats_socket)
		return room;
	if (global_state->stopping)
		return 0;
	room = smaller(room, left_of(global_state->maxconn, global_tally->current));
	if (room && px->state->rate_limit)
		room = smaller(room, rate_left(&px->fe->counters.session_rate, px->state->rate_limit,
					       wait_ms));
	if (room && global_state->maxconn_rate)
		room = smaller(room, rate_left(&global_tally->conn_rate,
					       global_state->maxconn_rate, wait_ms));
	if (room && global_state->maxsess_rate)
		room = smaller(room, rate_left(&global_tally->sess_rate,
					       global_state->maxsess_rate, wait_ms));
	return room;
}

static void session_count_connection(struct listener *l, struct proxy *px)
{
	px->fe->counters.connections++;
	rate_add(&px->fe->counters.connection_rate, clock_now_ms, 1);
	l->tally->counters.connections++;
	global_tally->cum_conns++;
	if (!px->stats_socket)
		rate_add(&global_tally->conn_rate, clock_now_ms, 1);
}

/* It takes a place, whatever the rules will say of it. */
static void session_count_place(struct listener *l, struct proxy *px)
{
	struct counters *fe = &px->fe->counters, *c = &l->tally->counters;

	px->fe->current++;
	tally_raise(&fe->connections_max, &fe->connections_top, &px->fe->current);
	c->sessions++;
	l->current++;
	l->tally->current++;
	tally_raise(&c->connections_max, &c->connections_top, &l->tally->current);
	if (!px->stats_socket)
		global_tally->current++;
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

	se->frontend->fe->current--;
	se->listener->current--;
	se->listener->tally->current--;
	if (!se->frontend->stats_socket)
		global_tally->current--;
	timer_cancel(&se->timer);
	idle_close_session(se);
	vars_free(&se->vars);
	pool_give(&session_pool, session);
	listeners_wake();
}

static struct session *session_new(struct listener *l, const struct addr *from)
{
	struct session *se = pool_take(&session_pool);

	if (!se)
		return NULL;
	se->listener = l;
	se->frontend = l->bind->owner;
	se->src = *from;
	se->accepted = clock_wall();
	se->accepted_ms = clock_now_ms;
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
	session_count_place(l, px);
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
	if (l->bind->options.on & BIND_ACCEPT_PROXY || se->expects_proxy)
		handshake_start(se, &conn);
	else
		session_begin(se, &conn);
}
