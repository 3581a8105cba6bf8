/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers that have room for one more exchange (manual 4.2 "http-reuse"; 5.2
 * "pool-max-conn", "pool-purge-delay", "max-reuse"). They are the server's, for everybody, or
 * private to the session that made them. Most are idle; one that lends many ends at once may be at
 * work. For the carriers (exchange/server_conn.h) and for show servers conn. */
#ifndef EXCHANGE_IDLE_H
#define EXCHANGE_IDLE_H

#include "base/result.h"
#include "event/loop.h"
#include "exchange/exchange.h"
#include "exchange/server_conn.h"
#include "proxy/server.h"
#include "queue/slot.h"

struct server_part;

extern struct server_part idle_server_part;

/* ---- for server_conn.c ------------------------------------------------------------------------
 */

/* The connection of the stream's end is a new one: whose is it, and what was the server told? */
void idle_describe(struct server_conn *sc, struct stream *s, const struct addr *to);
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
/* One that may carry the exchange, newest first. name as in server_conn_take. NULL: there is none.
 */
struct server_conn *idle_find(struct stream *s, const struct addr *to, struct span name);
/* NTLM and Negotiate authenticate the connection, not the request: where a field of that name (of a
 * response), or what a request says of itself, has one of them, the origin's connections are its
 * own from now on. */
void idle_note_challenge(struct stream *s, const struct message *res, struct span name);
void idle_note_credentials(struct stream *s, const struct message *req);
/* An exchange uses it, one more: a new one; one out of a list. One less. */
void idle_used(struct server_conn *sc);
void idle_taken(struct server_conn *sc);
void idle_unused(struct server_conn *sc, const struct stream *s);

/* ---- for carriers -----------------------------------------------------------------------------
 */

extern unsigned idle_keep_below;                    /* of idle_limit */
void idle_join_otherwise(struct server_conn *sc);   /* of idle_join: private, at work, or listed */
void idle_begin_purge(struct server *server);
/* Of idle_may_wait: "strict-maxconn". */
MUST_USE bool idle_may_keep_slot(const struct server_conn *sc);
void idle_keeps_slot(struct server_conn *sc);          /* of idle_count: the same */

/* Behind the exchange, when nobody uses it: may it wait for another one? */
static inline bool idle_may_wait(const struct server_conn *sc, const struct stream *s)
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
		return s->exchange->client_keeps && s->origin->frontend->set.max_session_conns;
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

/* A connection is about to be made: closes an idle one if descriptors are scarce. */
void idle_spare(const struct stream *s);
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
