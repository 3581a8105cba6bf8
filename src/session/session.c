/* SPDX-License-Identifier: BSD-2-Clause */
/* What is the same for sessions at each station of their life, which begins in accept.c. Called by
 * the stations: accept.c, handshake.c, keepalive.c, h2_carrier.c. */
#include "session/session.h"

#include "base/clock.h"
#include "base/pool.h"
#include "net/conn.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "session/admission.h"
#include "stream/rule_steps.h"
#include "stream/track.h"
#include "tally/tallies.h"

struct pool session_pool = POOL_INIT("session", sizeof(struct session));

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

	struct listener *l = se->origin.listener;

	timer_cancel(&se->timer);
	session_uncount(se);
	if (se->node.next)
		list_remove(&se->node);
	origin_free(&se->origin);
	pool_give(&session_pool, session);
	admission_give(l);
}

bool session_set_addrs(struct session *se, const struct addr *src, const struct addr *dst)
{
	if (!origin_keep_own(&se->origin)) {
		global_tally->no_memory++;
		return false;
	}
	se->origin.src = *src;
	se->origin.told->dst = *dst;
	se->origin.told->has_dst = true;
	return true;
}

void session_begin(struct session *se, struct conn **conn)
{
	if (session_rules(&se->origin, conn_link(*conn)) != RULES_PASS) {
		conn_close(conn, false);
		session_free(&se);
		return;
	}
	session_count(se->origin.frontend);
	track_session(&se->origin);
	se->conn = *conn;
	*conn = NULL;
	se->origin.listener->bind->begins(se);
}

