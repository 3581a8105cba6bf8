/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers that have room for one more exchange (manual 4.2 "http-reuse"; 5.2
 * "pool-max-conn", "pool-purge-delay", "max-reuse"). They are the server's, for everybody, or
 * private to the session that made them. Most are idle; one that lends many ends at once may be at
 * work. It knows neither streams nor exchanges: who asks says what decides (struct idle_facts). For the
 * carriers (exchange/server_conn.h) and for show servers conn. */
#ifndef EXCHANGE_IDLE_H
#define EXCHANGE_IDLE_H

#include "base/result.h"
#include "event/loop.h"
#include "exchange/server_conn.h"
#include "proxy/proxy.h"
#include "proxy/server.h"
#include "queue/slot.h"
#include "stream/origin.h"

struct message;
struct server_part;

extern struct server_part idle_server_part;

/* What an exchange tells of itself when it wants a connection. */
struct idle_facts {
	struct server *server;
	struct origin *origin;   /* where it comes from: connections are private to that */
	const struct addr *to;   /* where the server is */
	uint64_t packets;        /* of the mark and the TOS field of its packets: packets_key */
	uint64_t mark;           /* of what the server is told of the client, where that is personal */
	enum http_reuse reuse;   /* of the backend */
	bool first;              /* of its client's connection */
	bool personal;           /* what the connection shows to the server belongs to one client */
};

/* ---- for server_conn.c ------------------------------------------------------------------------
 */

/* It was made for such an exchange: whose is it, and what was the server told? dialled: the low bits
 * of server->moves then. */
void idle_describe(struct server_conn *sc, const struct idle_facts *facts, uint16_t dialled);
/* What was below is closed: its slot goes back ("strict-maxconn"). */
void idle_closed(struct server_conn *sc);
/* It goes: the server has one less. */
static inline void idle_ended(struct server_conn *sc)
{
	if (unlikely(sc->slot))
		idle_closed(sc);
	if (sc->server)
		sc->server->conns--;
}
/* Are there any that are private to it? */
static inline bool idle_has_private(const struct origin *origin)
{
	return origin->idle.next && !list_empty(&origin->idle);
}
/* One that may carry the exchange, newest first: of those (first and reuse are not looked at); of
 * everybody's (mark is not). name as in server_conn_take; personal is not looked at. NULL: there is
 * none. */
struct server_conn *idle_find_private(const struct idle_facts *facts, struct span name);
struct server_conn *idle_find(const struct idle_facts *facts, struct span name);
/* NTLM and Negotiate authenticate the connection, not the request: has a field of that name (of a
 * response), or what a request says of itself, one of them? The origin's connections are its own from
 * then on (private_servers). */
MUST_USE bool idle_binding_challenge(const struct message *res, struct span name);
MUST_USE bool idle_binding_credentials(const struct message *req);
/* An exchange uses it, one more: a new one; one out of a list. One less. */
void idle_used(struct server_conn *sc);
void idle_taken(struct server_conn *sc);
void idle_unused(struct server_conn *sc, struct origin *origin);

/* ---- for carriers -----------------------------------------------------------------------------
 */

extern unsigned idle_keep_below;                    /* of idle_limit */
void idle_join_otherwise(struct server_conn *sc);   /* of idle_join: private, at work, or listed */
void idle_begin_purge(struct server *server);
/* Of idle_may_wait: "strict-maxconn". */
MUST_USE bool idle_may_keep_slot(const struct server_conn *sc);
void idle_keeps_slot(struct server_conn *sc);          /* of idle_count: the same */

/* Behind an exchange, when nobody uses it: may it wait for another one? client_keeps: the client's
 * connection lives on. */
static inline bool idle_may_wait(const struct server_conn *sc, bool client_keeps)
{
	const struct server *server = sc->server;
	const struct server_settings *set = &server->set;

	if (loop_stats.sources > idle_keep_below || sc->moves != server->moves)
		return false;
	if (unlikely(slot_is_strict(server)) && !idle_may_keep_slot(sc))
		return false;
	if (set->max_reuse >= 0 && sc->uses > (unsigned)set->max_reuse)
		return false;
	if (sc->origin)
		return client_keeps && sc->origin->frontend->set.max_session_conns;
	/* More than were used at once of late could not be used at once either: without a limit,
	 * clients that bring one request each would leave one connection each. */
	if (server->idle_count >= server->idle_need &&
	    server->idle_count >= (unsigned)set->pool_low_conn)
		return false;
	return set->pool_purge_delay &&
	       (set->pool_max_conn < 0 || server->idle_count < (unsigned)set->pool_max_conn);
}

/* It has carried a second request: the server takes more than one. */
static inline bool idle_is_safe(const struct server_conn *sc)
{
	return sc->uses > 1;
}

/* In the server's list, and nobody uses it. */
static inline void idle_count(struct server_conn *sc)
{
	struct server *server = sc->server;

	server->idle_count++;
	server->idle_safe += idle_is_safe(sc);
	if (unlikely(slot_is_strict(server)))
		idle_keeps_slot(sc);
	if (unlikely(!timer_armed(&server->idle_timer)))
		idle_begin_purge(server);
}

/* It has room for one more exchange; or it was in the list, and nobody uses it any more. */
static inline void idle_join(struct server_conn *sc)
{
	if (unlikely(sc->origin || sc->lent || !list_empty(&sc->node))) {
		idle_join_otherwise(sc);
		return;
	}
	list_prepend(&sc->server->idle, &sc->node);
	idle_count(sc);
}
/* It has none. Where nobody uses it, it keeps its slot until it is closed. Does nothing where it is
 * not in the list. */
void idle_leave(struct server_conn *sc);

/* ---- for everybody ----------------------------------------------------------------------------
 */

/* A connection is about to be made: closes an idle one if descriptors are scarce, of the backend
 * first. */
void idle_spare(struct proxy *backend);
/* The same where a stream is connected that has the slot of an idle connection: that is closed. */
void idle_obey(struct server *server);
/* The table of descriptors is full: closes an idle one. True: a descriptor is free now. */
MUST_USE bool idle_free_descriptor(void);
/* Counts of descriptors: above low none is kept, from high on idle_spare acts; 0: never. */
void idle_limit(unsigned low, unsigned high);
/* The session ends: its private connections, too. */
void idle_close_origin(struct origin *origin);
/* All of the server; those at work behind their last exchange. */
void idle_close_server(struct server *server);
/* Of all servers, those made with certificates or authorities that have been replaced. Ones private
 * to a session stay with it and are not used again. */
void idle_close_outdated(void);
/* Of all servers: the process ends. */
void idle_close_all(void);

#endif
