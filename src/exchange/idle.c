/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections to servers that have room for an exchange (exchange/idle.h): which of them may serve
 * whom, how many wait. The newest is taken first, so that those that are not needed grow old; every
 * pool-purge-delay half of those that were not needed since the last time are closed, oldest first.
 * What a connection does while it waits, and at its end, is its carrier's. */
#include "exchange/idle.h"

#include "base/clock.h"
#include "http/message.h"
#include "proxy/part.h"
#include "queue/queue.h"
#include "tally/tally.h"
#include "tls/client.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

enum { IDLE_LOOKED_AT = 16 }; /* of one server, for one exchange */

unsigned idle_keep_below = UINT_MAX;
static unsigned spare_above = UINT_MAX; /* descriptors: idle_limit */

/* ---- whose it is ------------------------------------------------------------------------- */

static bool idle_is_private(const struct idle_facts *facts)
{
	return facts->origin->private_servers || facts->reuse == REUSE_NEVER ||
	       facts->server->speaks_unasked || facts->personal;
}

static bool scheme_binds(const struct field *f)
{
	return (f->value.len >= 4 && !strncasecmp(f->value.ptr, "NTLM", 4)) ||
	       (f->value.len >= 9 && !strncasecmp(f->value.ptr, "Negotiate", 9));
}

bool idle_binding_challenge(const struct message *res, struct span name)
{
	const struct field *f;
	unsigned at = 0;

	while ((f = message_find(res, name, &at)))
		if (scheme_binds(f))
			return true;
	return false;
}

bool idle_binding_credentials(const struct message *req)
{
	const struct field *f;

	for (f = req->fields; f < req->fields + req->count; f++)
		if (unlikely(f->id == FIELD_AUTHORIZATION || f->id == FIELD_PROXY_AUTHORIZATION) &&
		    f->name.ptr && scheme_binds(f))
			return true;
	return false;
}

/* How often must a connection have been used, that this exchange may use it (manual,
 * http-reuse)? UINT_MAX: none will do. */
static unsigned idle_least_uses(const struct idle_facts *facts)
{
	if (likely(!facts->first))
		return facts->reuse == REUSE_NEVER ? UINT_MAX : 0;
	switch (facts->reuse) {
	case REUSE_NEVER:
		return UINT_MAX;
	case REUSE_ALWAYS:
		return 0;
	case REUSE_AGGRESSIVE:
		return 2;
	default:
		return UINT_MAX;
	}
}

/* As in the reference: a protocol of many exchanges at once will take a second one. */
static bool idle_lasts(const struct server_conn *sc)
{
	return sc->carrier != CARRIER_USUAL && server_conn_ops(sc)->many;
}

static ALWAYS_INLINE bool idle_same_addr(const struct addr *a, const struct addr *b)
{
	if (a->family != b->family)
		return false;
	if (likely(a->family == AF_INET))
		return a->port == b->port && a->v4.s_addr == b->v4.s_addr;
	switch (a->family) {
	case AF_INET6:
		return a->port == b->port && a->scope_id == b->scope_id &&
		       !memcmp(&a->v6, &b->v6, sizeof(a->v6));
	default:
		return a->path == b->path;
	}
}

static ALWAYS_INLINE bool idle_suits(const struct server_conn *sc, const struct addr *to, struct span name)
{
	return idle_same_addr(&sc->to, to) &&
	       (!sc->server->tls || (span_equal(tls_client_name(sc->conn), name) &&
				     tls_client_is_current(sc->conn)));
}


/* ---- lists ------------------------------------------------------------------------------- */

/* Everybody's, and nobody uses it. */
static inline bool idle_counts(const struct server_conn *sc)
{
	return !sc->origin && !sc->lent;
}

static inline void idle_uncount(struct server_conn *sc)
{
	sc->server->idle_count--;
	sc->server->idle_safe -= idle_is_safe(sc);
	if (unlikely(slot_is_strict(sc->server)))
		sc->slot = slot_hold(sc->server);
}

COLD void idle_closed(struct server_conn *sc)
{
	if (!sc->slot)
		return;
	sc->slot = false;
	slot_free(sc->server);
	queue_serve(sc->server);
}

void idle_leave(struct server_conn *sc)
{
	if (list_empty(&sc->node))
		return;
	list_remove(&sc->node);
	if (idle_counts(sc))
		idle_uncount(sc);
}

static void idle_retire(struct server_conn *sc)
{
	server_conn_ops(sc)->retire(sc);
}

/* The oldest that nobody uses; NULL: none. */
static struct server_conn *idle_oldest(const struct server *server)
{
	const struct list *node;

	for (node = server->idle.prev; node != &server->idle; node = node->prev) {
		struct server_conn *sc = list_entry(node, struct server_conn, node);

		if (!sc->lent)
			return sc;
	}
	return NULL;
}

void idle_close_server(struct server *server)
{
	while (!list_empty(&server->idle))
		idle_retire(list_first(&server->idle, struct server_conn, node));
}

/* None waits any more; those that are in use end with their exchange. */
static void idle_leave_server(struct server *server)
{
	server->set.pool_purge_delay = 0;
	idle_close_server(server);
}

struct server_part idle_server_part = { .leave = idle_leave_server };

void idle_close_all(void)
{
	struct proxy *px;
	struct server *server;

	list_for_each(px, &proxies_running->list, node)
		for (server = proxy_destination(px, NULL); server; server = proxy_destination(px, server))
			idle_close_server(server);
}

static void idle_close_outdated_of(struct server *server)
{
	struct server_conn *sc, *next;

	list_for_each_safe(sc, next, &server->idle, node)
		if (!tls_client_is_current(sc->conn))
			idle_retire(sc);
}

void idle_close_outdated(void)
{
	struct proxy *px;
	struct server *server;

	list_for_each(px, &proxies_running->list, node)
		for (server = px->servers; server; server = server->next)
			if (server->tls)
				idle_close_outdated_of(server);
}

void idle_close_origin(struct origin *origin)
{
	if (!origin->idle.next)
		return;
	while (!list_empty(&origin->idle))
		idle_retire(list_first(&origin->idle, struct server_conn, node));
}

/* ---- scarce descriptors ------------------------------------------------------------------ */

void idle_limit(unsigned low, unsigned high)
{
	idle_keep_below = low ? low : UINT_MAX;
	spare_above = high ? high : UINT_MAX;
}

static bool idle_spare_of(struct proxy *px)
{
	struct server *server;

	for (server = proxy_destination(px, NULL); server; server = proxy_destination(px, server)) {
		struct server_conn *sc = idle_oldest(server);

		if (!sc)
			continue;
		idle_retire(sc);
		return true;
	}
	return false;
}

void idle_spare(struct proxy *backend)
{
	struct proxy *px;

	if (loop_stats.sources < spare_above || idle_spare_of(backend))
		return;
	list_for_each(px, &proxies_running->list, node) {
		if (idle_spare_of(px))
			return;
	}
}

static void idle_make_room(struct server *server)
{
	struct server_conn *sc = idle_oldest(server);

	if (sc)
		idle_retire(sc);
}

void idle_obey(struct server *server)
{
	if (slot_is_borrowed(server))
		idle_make_room(server);
}

/* Others may wait for the slot that it keeps. */
void idle_keeps_slot(struct server_conn *sc)
{
	server_hooks.make_room = idle_make_room;
	queue_watch();
	slot_keep(sc->server, sc->slot);
	sc->slot = false;
}

bool idle_may_keep_slot(const struct server_conn *sc)
{
	const struct server *server = sc->server;

	/* The slot of a private one would be kept from its own client, too. */
	return !sc->origin && !slots_exceed(server) && !(tally_shared && queue_others_wait(server));
}

bool idle_free_descriptor(void)
{
	struct proxy *px;

	list_for_each(px, &proxies_running->list, node)
		if (idle_spare_of(px))
			return true;
	return false;
}

/* ---- purge ------------------------------------------------------------------------------- */

static void idle_note_need(struct server *server)
{
	if (server->idle_used > server->idle_need)
		server->idle_need = server->idle_used;
}

static void idle_purge(struct timer *timer)
{
	struct server *server = container_of(timer, struct server, idle_timer);
	unsigned have = server->idle_count + server->idle_used, keep = server->idle_need, n;
	struct server_conn *sc;

	if (keep < (unsigned)server->set.pool_low_conn)
		keep = (unsigned)server->set.pool_low_conn;
	for (n = have > keep ? (have - keep + 1) / 2 : 0; n && (sc = idle_oldest(server)); n--)
		idle_retire(sc);
	server->idle_need = server->idle_used;
	if (server->idle_count)
		timer_set(timer, clock_now_ms + server->set.pool_purge_delay);
}

/* ---- an exchange ------------------------------------------------------------------------- */

void idle_describe(struct server_conn *sc, const struct idle_facts *facts, uint16_t dialled)
{
	struct server *server = facts->server;

	list_init(&sc->node);
	sc->server = server;
	server->conns++;
	sc->origin = idle_is_private(facts) ? facts->origin : NULL;
	sc->to = *facts->to;
	sc->moves = server->moves - (uint16_t)(server->moves - dialled);
	sc->mark = facts->mark;
	sc->packets = facts->packets;
}

struct server_conn *idle_find_private(const struct idle_facts *facts, struct span name)
{
	const struct server *server = facts->server;
	struct server_conn *sc, *next;

	list_for_each_safe(sc, next, &facts->origin->idle, node) {
		if (sc->server != server)
			continue;
		if (sc->moves != server->moves)
			idle_retire(sc); /* the server has another address since */
		else if (sc->mark == facts->mark && sc->packets == facts->packets &&
			 idle_suits(sc, facts->to, name))
			return sc;
	}
	return NULL;
}

struct server_conn *idle_find(const struct idle_facts *facts, struct span name)
{
	unsigned least = idle_least_uses(facts), looked = 0;
	struct server_conn *sc;

	/* Where all connections are private to sessions, none is in the server's list. */
	if (least == UINT_MAX || facts->origin->private_servers)
		return NULL;
	list_for_each(sc, &facts->server->idle, node) {
		if ((sc->uses >= least || idle_lasts(sc)) && sc->packets == facts->packets &&
		    idle_suits(sc, facts->to, name))
			return sc;
		if (++looked == IDLE_LOOKED_AT)
			break;
	}
	return NULL;
}

void idle_used(struct server_conn *sc)
{
	if (likely(idle_counts(sc))) {
		sc->server->idle_used++;
		idle_note_need(sc->server);
	}
	sc->uses++;
	sc->lent++;
}

void idle_taken(struct server_conn *sc)
{
	if (likely(idle_counts(sc)))
		idle_uncount(sc);
	if (unlikely(sc->slot))
		idle_closed(sc); /* the stream has one of its own */
	idle_used(sc);
}

/* From now on a connection is its client's: the server authenticates it, or is not to be trusted.
 */
COLD static void idle_make_private(struct server_conn *sc, struct origin *origin)
{
	if (sc->lent || sc->origin)
		return; /* others use it, too: it was no such protocol */
	list_remove(&sc->node);
	sc->origin = origin;
}

void idle_unused(struct server_conn *sc, struct origin *origin)
{
	sc->lent--;
	if (likely(idle_counts(sc)))
		sc->server->idle_used--;
	if (unlikely(origin->private_servers || sc->server->speaks_unasked))
		idle_make_private(sc, origin);
}

/* Room for one more: the oldest goes, of those that nobody uses. What the PROXY header says may
 * change with each request, and a client may ask for every server there is. */
static void idle_bound_private(struct origin *origin)
{
	struct server_conn *sc, *oldest = NULL;
	unsigned n = 0;

	list_for_each(sc, &origin->idle, node) {
		oldest = sc->lent ? oldest : sc;
		n++;
	}
	if (n >= (unsigned)origin->frontend->set.max_session_conns && oldest)
		idle_retire(oldest);
}

void idle_join_otherwise(struct server_conn *sc)
{
	struct origin *origin = sc->origin;
	struct server *server = sc->server;

	if (!list_empty(&sc->node) && (origin || sc->lent))
		return;
	if (!origin) {
		list_remove(&sc->node);
		list_prepend(&server->idle, &sc->node);
		if (!sc->lent)
			idle_count(sc);
		return;
	}
	if (!origin->idle.next)
		list_init(&origin->idle);
	idle_bound_private(origin);
	list_prepend(&origin->idle, &sc->node);
}

void idle_begin_purge(struct server *server)
{
	timer_init(&server->idle_timer, idle_purge);
	timer_set(&server->idle_timer, clock_now_ms + server->set.pool_purge_delay);
}
