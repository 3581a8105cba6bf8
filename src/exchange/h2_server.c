/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The carrier of HTTP/2 for servers (exchange/server_conn.h): a connection is a trunk, which lends
 * ends to many exchanges at once, as many as the server takes. While it has room it is in the list
 * of exchange/idle.h, at work or not.
 *
 * Invariants: what is in the list has a connection below, for it leaves the list when that is
 * about to close. A trunk is freed when the connection is gone and no end of it is lent.
 */
#include "exchange/server_conn.h"

#include "base/bug.h"
#include "base/kind.h"
#include "base/pool.h"
#include "exchange/exchange.h"
#include "exchange/idle.h"
#include "h2/conn.h"
#include "stream/stream.h"

struct trunk {
	struct server_conn sc;
	struct h2_conn *h2;
	bool once; /* no second exchange gets an end of it */
	KIND_MEMBER
};

static struct pool trunk_pool = POOL_INIT("http/2 server conn", sizeof(struct trunk));

static struct trunk *trunk_of(struct server_conn *sc)
{
	return container_of(sc, struct trunk, sc);
}

/* Others may share it from now on; or they may not. Where connections are counted
 * ("strict-maxconn") one that nobody uses, and that lends nothing, would keep its slot in vain. */
static void trunk_place(struct trunk *t)
{
	const int most = t->sc.server->set.max_reuse;

	if (t->once || t->sc.moves != t->sc.server->moves || !h2_conn_room(t->h2) ||
	    (most >= 0 && t->sc.uses > (unsigned)most)) {
		idle_leave(&t->sc);
		if (unlikely(t->sc.slot))
			h2_conn_drain(t->h2);
	} else {
		idle_join(&t->sc);
	}
}

/* ---- what the connection tells ----------------------------------------------------------- */

static void trunk_room(void *owner)
{
	struct trunk *t = KIND_OF(struct trunk, owner);

	if (!h2_conn_room(t->h2) || t->sc.lent || list_empty(&t->sc.node))
		trunk_place(t);
}

static void trunk_closed(void *owner)
{
	struct trunk *t = KIND_OF(struct trunk, owner);

	BUG_ON(t->sc.lent);
	idle_leave(&t->sc);
	h2_conn_free(&t->h2);
	idle_ended(&t->sc);
	pool_give(&trunk_pool, &t);
}

static const struct h2_owner trunk_owner = { .closed = trunk_closed, .room = trunk_room };

/* ---- the carrier ------------------------------------------------------------------------- */

static struct server_conn *trunk_open(struct conn **conn, bool once)
{
	struct trunk *t = pool_take(&trunk_pool);

	if (!t)
		return NULL;
	KIND_IS(struct trunk, t);
	t->sc.carrier = (uint8_t)CARRIER_OF(PROTO_H2);
	t->sc.conn = *conn;
	t->once = once;
	t->h2 = h2_conn_new(conn, true, &h2_conf.servers, &trunk_owner, t, (struct span){ NULL, 0 });
	if (!t->h2) {
		pool_give(&trunk_pool, &t);
		return NULL;
	}
	return &t->sc;
}

static bool trunk_lend(struct server_conn *sc, struct stream *s)
{
	struct trunk *t = trunk_of(sc);
	struct h2_stream *st;

	h2_conn_count(t->h2, &sc->server->proxy->be->h2);
	st = h2_conn_open(t->h2);
	if (st)
		h2_lend(st, &s->relay.server);
	s->exchange->http.server_major = st ? 2 : 0;
	trunk_place(t);
	return st != NULL;
}

/* Nothing more is asked of it. It is closed first: where connections are counted another process
 * opens one as soon as a slot is free, that of the last exchange or its own. */
static void trunk_retire(struct server_conn *sc)
{
	struct trunk *t = trunk_of(sc);

	if (!sc->lent)
		h2_conn_quit(t->h2);
	idle_leave(sc);
	if (sc->lent)
		h2_conn_drain(t->h2);
	else
		idle_closed(sc);
}

/* It did not answer in time: it may not be there any more, so nobody else waits for it. */
static bool trunk_was_silent(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return !x->http.server_status && (s->reason == END_SERVER_TIMEOUT || x->reason == END_SERVER_TIMEOUT);
}

static bool trunk_may_stay(struct trunk *t, const struct stream *s)
{
	return !t->once && !trunk_was_silent(s) && (t->sc.lent || h2_conn_room(t->h2));
}

/* What the exchange has said against another one is said of its stream alone, which is reset. */
static void trunk_take_back(struct server_conn *sc, struct stream *s, bool keep)
{
	bool refused = end_unprocessed(&s->relay.server);
	struct trunk *t = trunk_of(sc);

	if (!sc->lent && !sc->origin)
		list_remove(&sc->node); /* not counted there yet */
	end_close(&s->relay.server, !keep);
	s->exchange->http.server_major = 0;
	if (!trunk_may_stay(t, s) || (!sc->lent && (refused || !idle_may_wait(sc, s->exchange->client_keeps))))
		trunk_retire(sc);
	else if (refused)
		idle_leave(sc); /* until another one ends */
	else
		trunk_place(t);
}

/* What the poller has told of it a moment ago comes first, where that concerns no stream. */
static bool trunk_ready(struct server_conn *sc)
{
	struct trunk *t = trunk_of(sc);

	if (!h2_conn_room(t->h2)) {
		trunk_place(t);
		return false;
	}
	return sc->lent || !loop_deliver(&sc->conn->src);
}

const struct server_carrier_ops h2_server_carrier = {
	.name = "h2",
	.many = true,
	.open = trunk_open,
	.lend = trunk_lend,
	.take_back = trunk_take_back,
	.ready = trunk_ready,
	.retire = trunk_retire,
};
