/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends of connections to servers (exchange/server_conn.h): asked for, given back; and the carrier of
 * HTTP/1, which lends the connection itself to one exchange at a time. Anything that happens on such
 * a connection while nobody has it (the server closes, or speaks without being asked) closes it. */
#include "exchange/server_conn.h"

#include "base/hash.h"
#include "base/kind.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/idle.h"
#include "http/upgrade_field.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/netns.h"
#include "proxy/proxy.h"
#include "stream/packets.h"
#include "stream/proxyheader.h"
#include "stream/source.h"
#include "stream/stream.h"
#include "tls/client.h"
#include "tls/link.h"

#include <string.h>

/* ---- one at a time: closing ---------------------------------------------------------------- */

enum { LAST_LARGE = 1,      /* the last response was: message_is_large */
       LAST_BODILESS = 2 }; /* to HEAD, or 204 or 304: a body behind it would be nobody's */

static struct pool single_pool = POOL_INIT("server conn", sizeof(struct server_conn));

static ALWAYS_INLINE void single_free(struct server_conn **sc)
{
	if ((*sc)->server)
		(*sc)->server->proxy->be->h1.open_connections--;
	idle_ended(*sc);
	pool_give(&single_pool, sc);
}

static void single_close(struct server_conn *sc)
{
	struct conn *conn = sc->conn;

	/* First: where connections are counted ("strict-maxconn"), another process opens one as
	 * soon as this one leaves. */
	conn_close(&conn, false);
	idle_leave(sc);
	single_free(&sc);
}

/* It has sent a body behind an answer that has none. Others' requests would be answered by the next
 * one: whoever asks it keeps its connections to itself from now on. */
COLD static void single_distrust(struct server *server)
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
COLD static bool single_has_body(struct conn *conn)
{
	static const char version[] = "HTTP/1.";
	char bytes[12];
	size_t got;

	if (conn_recv(conn, bytes, sizeof(bytes), &got) != IO_OK)
		return false;
	return got < sizeof(bytes) || memcmp(bytes, version, sizeof(version) - 1) != 0 ||
	       memcmp(bytes + 8, " 408", 4) != 0;
}

COLD static void single_close_unasked(struct server_conn *sc)
{
	struct server *server = sc->server;
	bool body = sc->last & LAST_BODILESS && single_has_body(sc->conn);

	single_close(sc);
	if (body)
		single_distrust(server);
}

/* The server has closed, or said something. What TLS says for itself (tickets) is nobody's. */
static void single_event(struct conn *conn)
{
	if (conn->flags & CONN_READABLE && !conn_is_quiet(conn))
		single_close_unasked(KIND_OF(struct server_conn, conn->owner));
	else if (conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		single_close(KIND_OF(struct server_conn, conn->owner));
}

/* ---- one at a time: the carrier -------------------------------------------------------------- */

static struct server_conn *single_open(struct conn **conn, bool once)
{
	struct server_conn *sc = pool_take(&single_pool);

	if (!sc)
		return NULL;
	sc->conn = *conn;
	sc->carrier = once ? CARRIER_ONCE : CARRIER_USUAL;
	*conn = NULL;
	return sc;
}

static ALWAYS_INLINE bool single_lend(struct server_conn *sc, struct stream *s)
{
	list_remove(&sc->node);
	end_take_conn(&s->relay.server, &sc->conn);
	return exchange_attach_server(s, sc->last & LAST_LARGE);
}

static bool single_bodiless(const struct exchange *x)
{
	return x->req.method == METHOD_HEAD || x->http.server_status == 204 ||
	       x->http.server_status == 304;
}

/* Bytes are behind the response that are none of it. */
COLD static bool single_is_unfit(const struct stream *s, bool bodiless)
{
	struct conn *conn = end_conn(&s->relay.server);

	if (bodiless && (conn->flags & CONN_HELD || single_has_body(conn)))
		single_distrust(s->server);
	return false;
}

/* Is it fit for another exchange? */
static ALWAYS_INLINE bool single_is_fit(const struct stream *s, bool bodiless)
{
	struct conn *conn = end_conn(&s->relay.server);

	/* A body that was read to its last byte and not beyond leaves it open what is behind. */
	if (conn->flags & CONN_HELD || (conn->flags & CONN_READABLE && !conn_is_quiet(conn)))
		return single_is_unfit(s, bodiless);
	if (conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR))
		return false;
	if (s->server->tls && !tls_client_is_current(conn))
		return false;
	return !(bodiless && s->server->speaks_unasked);
}

static ALWAYS_INLINE void single_rest(struct server_conn *sc, struct stream *s, bool bodiless)
{
	struct buf *held;

	sc->last = (uint8_t)((message_is_large(&s->exchange->res) ? LAST_LARGE : 0) |
			     (bodiless ? LAST_BODILESS : 0));
	if (unlikely(bodiless))
		conn_ack_now(end_conn(&s->relay.server)); /* or Nagle holds its body back until the next request */
	sc->conn = end_detach(&s->relay.server, &held);
	KIND_IS(struct server_conn, sc);
	sc->conn->owner = sc;
	sc->conn->ready = single_event;
	idle_join(sc);
}

/* One that is not kept stays with the end, which closes it. */
static ALWAYS_INLINE void single_take_back(struct server_conn *sc, struct stream *s, bool keep)
{
	bool bodiless = single_bodiless(s->exchange);

	if (keep && end_conn(&s->relay.server) && single_is_fit(s, bodiless) &&
	    idle_may_wait(sc, s->exchange->client_keeps))
		single_rest(sc, s, bodiless);
	else
		single_free(&sc);
}

/* What the poller has told of it a moment ago comes first: it may close it. Behind an answer that
 * has no body the kernel is asked, too. */
static ALWAYS_INLINE bool single_ready(struct server_conn *sc)
{
	if (loop_deliver(&sc->conn->src))
		return false; /* if it is still there, it is found again */
	if (likely(!(sc->last & LAST_BODILESS)) || conn_is_quiet(sc->conn))
		return true;
	single_close_unasked(sc);
	return false;
}

const struct server_carrier_ops single_server_carrier = {
	.name = "h1",
	.open = single_open,
	.lend = single_lend,
	.take_back = single_take_back,
	.ready = single_ready,
	.retire = single_close,
};

/* ---- the same, for one exchange alone -------------------------------------------------------- */

static bool once_lend(struct server_conn *sc, struct stream *s)
{
	return single_lend(sc, s);
}

static void once_take_back(struct server_conn *sc, struct stream *s, bool keep)
{
	(void)s;
	(void)keep;
	single_free(&sc);
}

const struct server_carrier_ops once_server_carrier = {
	.name = "h1",
	.open = single_open,
	.lend = once_lend,
	.take_back = once_take_back,
	.retire = single_close,
};

/* ---- agreed upon in TLS ---------------------------------------------------------------------- */

static unsigned agreed_carrier(struct link link)
{
	enum proto proto = tls_link_proto(link);

	return proto_can(proto, PROTO_SERVERS) ? CARRIER_OF(proto) : CARRIER_USUAL;
}

static struct server_conn *agreed_open(struct conn **conn, bool once)
{
	return server_carriers[agreed_carrier(conn_link(*conn))]->open(conn, once);
}

const struct server_carrier_ops agreed_server_carrier = { .name = "by ALPN", .open = agreed_open };

/* ---- what the pool is told ------------------------------------------------------------------- */

/* What the connection shows to the server belongs to one client. */
static bool server_is_personal(const struct server *server)
{
	const struct source_conf *src = server->set.source.set ? &server->set.source :
								 &server->proxy->set.source;

	return server->set.options.on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2) ||
	       netns_is_any(server->set.namespace) ||
	       (src->set && src->usesrc != USESRC_NONE && src->usesrc != USESRC_ADDR);
}

/* Rules may tell the server another address for each request of a client. */
static uint64_t server_conn_mark(struct stream *s)
{
	const struct addr *src;
	struct addr memory;
	size_t size;

	if (!server_is_personal(s->server))
		return 0;
	if (proxyheader_wanted(s))
		return proxyheader_mark(s);
	src = source_client(s, &memory);
	size = src->family == AF_INET ? sizeof(src->v4) : sizeof(src->v6);
	return (uint64_t)hash_wt6(&src->v6, size) << 32 | src->port;
}

/* Without the mark and whether it is personal. */
static ALWAYS_INLINE struct idle_facts server_conn_facts(const struct stream *s, const struct addr *to)
{
	return (struct idle_facts){ .server = s->server,
				    .origin = s->origin,
				    .to = to,
				    .packets = packets_key(s),
				    .reuse = (enum http_reuse)s->backend->set.http_reuse,
				    .first = s->exchange->first };
}

/* Of a new connection. */
static void server_conn_describe(struct server_conn *sc, struct stream *s, const struct addr *to)
{
	struct idle_facts facts = server_conn_facts(s, to);

	facts.personal = server_is_personal(s->server);
	facts.mark = server_conn_mark(s);
	idle_describe(sc, &facts, s->dialled);
}

APART static struct server_conn *server_conn_find_private(struct stream *s, const struct addr *to,
							  struct span name)
{
	struct idle_facts facts = server_conn_facts(s, to);

	facts.mark = server_conn_mark(s);
	return idle_find_private(&facts, name);
}

/* Its own come first. */
static ALWAYS_INLINE struct server_conn *server_conn_find(struct stream *s, const struct addr *to,
							  struct span name)
{
	struct server_conn *sc = NULL;
	struct idle_facts facts;

	if (unlikely(idle_has_private(s->origin)))
		sc = server_conn_find_private(s, to, name);
	if (sc)
		return sc;
	facts = server_conn_facts(s, to);
	return idle_find(&facts, name);
}

/* ---- for exchanges --------------------------------------------------------------------------- */

/* What each request does is called by name where it is the carrier of nearly all. */
#define CALL(sc, op, ...)                                                               \
	(likely(!(sc)->carrier) ? single_##op(sc, ##__VA_ARGS__) :                       \
				  server_conn_ops(sc)->op(sc, ##__VA_ARGS__))

/* The carrier of a new connection: that of the server, but for WebSocket where "ws" says so. */
static unsigned server_conn_carrier(const struct stream *s)
{
	const struct server *server = s->server;

	if (likely(!server->ws) || server->carrier == CARRIER_BY_ALPN || !upgrade_is_websocket(&s->exchange->req))
		return server->carrier;
	return CARRIER_OF(server->ws);
}

/* No memory for what others would need of it: a connection of HTTP/1 serves this exchange alone, and
 * is closed behind it. */
COLD static bool server_conn_once(struct stream *s)
{
	unsigned carrier = server_conn_carrier(s);

	if (carrier == CARRIER_BY_ALPN)
		carrier = agreed_carrier(end_own_link(&s->relay.server));
	s->exchange->reused = false;
	return carrier == CARRIER_USUAL && exchange_attach_server(s, false);
}

/* Exchanges of HTTP/1 are counted here, those of other protocols where they are made. */
static ALWAYS_INLINE bool counts_here(const struct server_conn *sc)
{
	return likely(sc->carrier == CARRIER_USUAL) || sc->carrier == CARRIER_ONCE;
}

static ALWAYS_INLINE void count_lent(const struct server_conn *sc, bool made)
{
	struct h1_counts *h1 = &sc->server->proxy->be->h1;

	if (!counts_here(sc))
		return;
	h1->total_streams++;
	h1->open_streams++;
	h1->total_connections += made;
	h1->open_connections += made;
}

/* What this try has brought: of bodies what the pumps have moved. */
static ALWAYS_INLINE void count_given(const struct server_conn *sc, const struct stream *s)
{
	struct h1_counts *h1 = &sc->server->proxy->be->h1;
	const struct exchange *x = s->exchange;
	struct stream_bytes all;

	if (!counts_here(sc))
		return;
	all = stream_bytes_of(s);
	h1->open_streams--;
	h1->bytes_in += x->server_in + (all.out - x->bytes_out);
	h1->bytes_out += x->server_out + (all.in - x->bytes_in);
	h1->spliced_bytes_in += s->relay.response.spliced;
	h1->spliced_bytes_out += s->relay.request.spliced;
}

bool server_conn_made(struct stream *s, const struct addr *to)
{
	struct end *end = &s->relay.server;
	struct conn *conn = end_conn(end);
	unsigned carrier = server_conn_carrier(s);
	struct server_conn *sc = server_carriers[carrier]->open(&conn, carrier != s->server->carrier);

	if (!sc)
		return server_conn_once(s); /* the connection is the end's still */
	server_conn_describe(sc, s, to);
	end_forget(end);
	s->exchange->reused = false;
	s->exchange->server_conn = sc;
	idle_used(sc);
	count_lent(sc, true);
	return server_conn_ops(sc)->lend(sc, s);
}

static struct server_conn *server_conn_choose(struct stream *s, const struct addr *to, struct span name)
{
	struct server_conn *sc;

	do {
		sc = server_conn_find(s, to, name);
	} while (sc && unlikely(!CALL(sc, ready)));
	return sc;
}

bool server_conn_take(struct stream *s, const struct addr *to, struct span name)
{
	struct server_conn *sc = server_conn_choose(s, to, name);

	if (!sc)
		return false;
	s->exchange->server_conn = sc;
	idle_taken(sc);
	count_lent(sc, false);
	if (unlikely(!CALL(sc, lend, s))) {
		exchange_forget_server(s);
		return false;
	}
	s->exchange->reused = true;
	s->server->tally->counters.reuses++;
	s->backend->be->counters.reuses++;
	return true;
}

void server_conn_give(struct stream *s, bool keep)
{
	struct server_conn *sc = s->exchange->server_conn;

	if (unlikely(!sc))
		return;
	s->exchange->server_conn = NULL;
	count_given(sc, s);
	s->exchange->server_in = s->exchange->server_out = 0;
	idle_unused(sc, s->origin);
	CALL(sc, take_back, s, keep);
}

void exchange_forget_server(struct stream *s)
{
	server_conn_give(s, false);
	end_close(&s->relay.server, false);
	s->connected = false;
}

void server_conn_suspect(struct stream *s)
{
	const struct server_conn *sc = s->exchange->server_conn;

	if (sc && sc->carrier == CARRIER_USUAL && s->exchange->reused &&
	    sc->last & LAST_BODILESS)
		single_distrust(s->server);
}
