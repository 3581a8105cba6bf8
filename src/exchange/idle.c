/* SPDX-License-Identifier: BSD-2-Clause */
/* Idle connections to servers (exchange/idle.h). Anything that happens on an idle connection (the
 * server closes, or speaks without being asked) closes it. The newest is taken first, so that
 * those that are not needed grow old; every pool-purge-delay half of those that were not needed
 * since the last time are closed, oldest first. */
#include "exchange/idle.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/netns.h"
#include "proxy/proxy.h"
#include "stream/proxyheader.h"
#include "stream/source.h"
#include "stream/stream.h"
#include "tls/client.h"
#include "tls/conn.h"

#include <limits.h>
#include <string.h>

enum { IDLE_LOOKED_AT = 16, /* of one server, for one exchange */
       IDLE_PRIVATE = 5 };  /* of one session: what the PROXY header says may change with each
			     * request */

static unsigned keep_below = UINT_MAX, spare_above = UINT_MAX; /* descriptors: idle_limit */
static struct pool idle_pool = POOL_INIT("idle", sizeof(struct idle));

/* ---- whose it is ------------------------------------------------------------------------- */

/* What the connection shows to the server belongs to one client. */
static bool idle_is_personal(const struct server *server)
{
	const struct source_conf *src = server->set.source.set ? &server->set.source :
								 &server->proxy->set.source;

	return server->set.options.on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2) ||
	       netns_is_any(server->set.namespace) ||
	       (src->set && src->usesrc != USESRC_NONE && src->usesrc != USESRC_ADDR);
}

/* Rules may tell the server another address for each request of a client. */
static uint64_t idle_mark(struct stream *s)
{
	const struct addr *src;
	struct addr memory;
	size_t size;

	if (!idle_is_personal(s->server))
		return 0;
	if (proxyheader_wanted(s))
		return proxyheader_mark(s);
	src = source_client(s, &memory);
	size = src->family == AF_INET ? sizeof(src->v4) : sizeof(src->v6);
	return (uint64_t)hash_wt6(&src->v6, size) << 32 | src->port;
}

static bool idle_is_private(const struct stream *s)
{
	return s->origin->private_servers || s->backend->set.http_reuse == REUSE_NEVER ||
	       s->server->speaks_unasked || idle_is_personal(s->server);
}

/* How often must a connection have been used, that this exchange may use it (manual,
 * http-reuse)? UINT_MAX: none will do. */
static unsigned idle_least_uses(const struct stream *s)
{
	switch (s->backend->set.http_reuse) {
	case REUSE_NEVER:
		return UINT_MAX;
	case REUSE_ALWAYS:
		return 0;
	case REUSE_AGGRESSIVE:
		return s->exchange->first ? 2 : 0;
	default:
		return s->exchange->first ? UINT_MAX : 0;
	}
}

static bool idle_same_addr(const struct addr *a, const struct addr *b)
{
	if (a->family != b->family)
		return false;
	switch (a->family) {
	case AF_INET:
		return a->port == b->port && a->v4.s_addr == b->v4.s_addr;
	case AF_INET6:
		return a->port == b->port && a->scope_id == b->scope_id &&
		       !memcmp(&a->v6, &b->v6, sizeof(a->v6));
	default:
		return a->path == b->path;
	}
}

static bool idle_suits(const struct idle *idle, const struct addr *to, struct span name)
{
	return idle_same_addr(&idle->to, to) &&
	       (!idle->server->tls || (span_equal(tls_client_name(idle->conn), name) &&
				       tls_client_is_current(idle->conn)));
}

/* It has carried a second request: the server takes more than one. */
static bool idle_is_safe(const struct idle *idle)
{
	return idle->uses > 1;
}

/* ---- lists ------------------------------------------------------------------------------- */

static void idle_leave(struct idle *idle)
{
	list_remove(&idle->node);
	if (idle->origin)
		return;
	idle->server->idle_count--;
	idle->server->idle_safe -= idle_is_safe(idle);
}

static void idle_close(struct idle *idle)
{
	struct conn *conn = idle->conn;

	idle_leave(idle);
	conn_close(&conn, false);
	pool_give(&idle_pool, &idle);
}

void idle_close_server(struct server *server)
{
	while (!list_empty(&server->idle))
		idle_close(list_first(&server->idle, struct idle, node));
}

/* ---- who speaks unasked ------------------------------------------------------------------- */

/* It has sent a body behind an answer that has none. Others' requests would be answered by the next
 * one: whoever asks it keeps its connections to itself from now on. */
COLD static void idle_distrust(struct server *server)
{
	if (server->speaks_unasked)
		return;
	server->speaks_unasked = true;
	log_printf(server->proxy->set.log, LOG_L_WARNING, "Server %s/%s has sent a body behind an answer "
		   "to HEAD, a 204 or a 304: its connections are not shared any more.",
		   server->proxy->name, server->id);
	idle_close_server(server);
}

/* Are bytes there that may be a body? Some servers say 408 before they close a connection that
 * nobody uses. The connection is of no use any more. */
COLD static bool idle_has_body(struct conn *conn)
{
	static const char version[] = "HTTP/1.";
	char bytes[12];
	size_t got;

	if (conn_recv(conn, bytes, sizeof(bytes), &got) != IO_OK)
		return false;
	return got < sizeof(bytes) || memcmp(bytes, version, sizeof(version) - 1) != 0 ||
	       memcmp(bytes + 8, " 408", 4) != 0;
}

COLD static void idle_close_unasked(struct idle *idle)
{
	struct server *server = idle->server;
	bool body = idle->bodiless && idle_has_body(idle->conn);

	idle_close(idle);
	if (body)
		idle_distrust(server);
}

void idle_suspect(struct stream *s)
{
	const struct idle *idle = s->exchange->idle;

	if (idle && s->exchange->reused && idle->bodiless)
		idle_distrust(s->server);
}

/* The server has closed, or said something. What TLS says for itself (tickets) is nobody's. */
static void idle_ready(struct conn *conn)
{
	if (conn->flags & CONN_READABLE && !conn_is_quiet(conn))
		idle_close_unasked(conn->owner);
	else if (conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		idle_close(conn->owner);
}

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
	struct idle *idle, *next;

	list_for_each_safe(idle, next, &server->idle, node)
		if (!tls_client_is_current(idle->conn))
			idle_close(idle);
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
		idle_close(list_first(&origin->idle, struct idle, node));
}

/* ---- scarce descriptors ------------------------------------------------------------------ */

void idle_limit(unsigned low, unsigned high)
{
	keep_below = low ? low : UINT_MAX;
	spare_above = high ? high : UINT_MAX;
}

static bool idle_spare_of(struct proxy *px)
{
	struct server *server;

	for (server = proxy_destination(px, NULL); server; server = proxy_destination(px, server)) {
		if (list_empty(&server->idle))
			continue;
		idle_close(list_entry(server->idle.prev, struct idle, node));
		return true;
	}
	return false;
}

void idle_spare(const struct stream *s)
{
	struct proxy *px;

	if (loop_stats.sources < spare_above || idle_spare_of(s->backend))
		return;
	list_for_each(px, &proxies_running->list, node) {
		if (idle_spare_of(px))
			return;
	}
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

	if (keep < (unsigned)server->set.pool_low_conn)
		keep = (unsigned)server->set.pool_low_conn;
	for (n = have > keep ? (have - keep + 1) / 2 : 0; n && !list_empty(&server->idle); n--)
		idle_close(list_entry(server->idle.prev, struct idle, node));
	server->idle_need = server->idle_used;
	if (server->idle_count)
		timer_set(timer, clock_now_ms + server->set.pool_purge_delay);
}

/* ---- an exchange ------------------------------------------------------------------------- */

void idle_begin(struct stream *s, const struct addr *to)
{
	struct idle *idle = pool_take(&idle_pool);

	s->exchange->idle = idle;
	if (!idle)
		return; /* it will be closed behind the exchange */
	list_init(&idle->node);
	idle->server = s->server;
	idle->origin = idle_is_private(s) ? s->origin : NULL;
	idle->to = *to;
	idle->mark = idle_mark(s);
	idle->uses = 1;
	if (!idle->origin) {
		s->server->idle_used++;
		idle_note_need(s->server);
	}
}

static struct idle *idle_find_private(struct stream *s, const struct addr *to, struct span name)
{
	struct idle *idle;
	uint64_t mark;

	if (!s->origin->idle.next || list_empty(&s->origin->idle))
		return NULL;
	mark = idle_mark(s);
	list_for_each(idle, &s->origin->idle, node)
		if (idle->server == s->server && idle->mark == mark && idle_suits(idle, to, name))
			return idle;
	return NULL;
}

static struct idle *idle_find(struct stream *s, const struct addr *to, struct span name)
{
	struct idle *idle = idle_find_private(s, to, name);
	unsigned least = idle_least_uses(s), looked = 0;

	if (idle || least == UINT_MAX || idle_is_private(s))
		return idle;
	list_for_each(idle, &s->server->idle, node) {
		if (idle->uses >= least && idle_suits(idle, to, name))
			return idle;
		if (++looked == IDLE_LOOKED_AT)
			break;
	}
	return NULL;
}

/* May it be lent? What the poller has told of it a moment ago comes first: it may close it. Behind
 * an answer that has no body the kernel is asked, too. */
static bool idle_speaks(struct idle *idle)
{
	if (loop_deliver(&idle->conn->src))
		return true; /* if it is still there, it is found again */
	if (likely(!idle->bodiless) || conn_is_quiet(idle->conn))
		return false;
	idle_close_unasked(idle);
	return true;
}

static struct idle *idle_choose(struct stream *s, const struct addr *to, struct span name)
{
	struct idle *idle;

	do {
		idle = idle_find(s, to, name);
	} while (idle && unlikely(idle_speaks(idle)));
	return idle;
}

bool idle_take(struct stream *s, const struct addr *to, struct span name)
{
	struct idle *idle = idle_choose(s, to, name);
	struct exchange *x = s->exchange;

	if (!idle)
		return false;
	idle_leave(idle);
	idle->uses++;
	if (!idle->origin) {
		s->server->idle_used++;
		idle_note_need(s->server);
	}
	end_take_conn(&s->relay.server, &idle->conn);
	x->idle = idle;
	if (!exchange_attach_server(s, idle->large)) {
		exchange_forget_server(s);
		return false;
	}
	x->reused = true;
	s->server->tally->counters.reuses++;
	s->backend->be->counters.reuses++;
	return true;
}

static bool idle_bodiless(const struct exchange *x)
{
	return x->req.method == METHOD_HEAD || x->http.server_status == 204 ||
	       x->http.server_status == 304;
}

static bool idle_may_stay(const struct stream *s, const struct idle *idle)
{
	const struct server_settings *set = &s->server->set;
	struct conn *conn = end_conn(&s->relay.server);
	bool bodiless = idle_bodiless(s->exchange);

	/* A body that was read to its last byte and not beyond leaves it open what is behind. */
	if (conn->flags & CONN_HELD || (conn->flags & CONN_READABLE && !conn_is_quiet(conn))) {
		if (bodiless && (conn->flags & CONN_HELD || idle_has_body(conn)))
			idle_distrust(s->server);
		return false;
	}
	if (conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		return false;
	if (s->server->tls && !tls_client_is_current(conn))
		return false;
	if (bodiless && s->server->speaks_unasked)
		return false;
	if (loop_stats.sources > keep_below)
		return false;
	if (set->max_reuse >= 0 && idle->uses > (unsigned)set->max_reuse)
		return false;
	if (idle->origin)
		return s->exchange->client_keeps;
	/* More than were used at once of late could not be used at once either: without a limit,
	 * clients that bring one request each would leave one connection each. */
	if (idle->server->idle_count >= idle->server->idle_need &&
	    idle->server->idle_count >= (unsigned)set->pool_low_conn)
		return false;
	return set->pool_purge_delay &&
	       (set->pool_max_conn < 0 || idle->server->idle_count < (unsigned)set->pool_max_conn);
}

/* Room for one more: the oldest goes. */
static void idle_bound_private(struct origin *origin)
{
	const struct list *node;
	unsigned n = 0;

	for (node = origin->idle.next; node != &origin->idle; node = node->next)
		n++;
	if (n >= IDLE_PRIVATE)
		idle_close(list_entry(origin->idle.prev, struct idle, node));
}

static void idle_file(struct stream *s, struct idle *idle)
{
	struct origin *origin = idle->origin;
	struct server *server = idle->server;
	struct buf *held;

	idle->large = message_is_large(&s->exchange->res);
	idle->bodiless = idle_bodiless(s->exchange);
	if (unlikely(idle->bodiless))
		conn_ack_now(end_conn(&s->relay.server)); /* or Nagle holds its body back until the next request */
	idle->conn = end_detach(&s->relay.server, &held);
	idle->conn->owner = idle;
	idle->conn->ready = idle_ready;
	if (origin) {
		if (!origin->idle.next)
			list_init(&origin->idle);
		idle_bound_private(origin);
		list_prepend(&origin->idle, &idle->node);
		return;
	}
	list_prepend(&server->idle, &idle->node);
	server->idle_count++;
	server->idle_safe += idle_is_safe(idle);
	if (!timer_armed(&server->idle_timer)) {
		timer_init(&server->idle_timer, idle_purge);
		timer_set(&server->idle_timer, clock_now_ms + server->set.pool_purge_delay);
	}
}

void idle_give(struct stream *s, bool keep)
{
	struct idle *idle = s->exchange->idle;

	if (!idle)
		return;
	s->exchange->idle = NULL;
	if (!idle->origin)
		idle->server->idle_used--;
	if ((s->origin->private_servers || s->server->speaks_unasked) && !idle->origin)
		idle->origin = s->origin;
	if (keep && end_conn(&s->relay.server) && idle_may_stay(s, idle))
		idle_file(s, idle);
	else
		pool_give(&idle_pool, &idle);
}
