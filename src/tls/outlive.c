/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection that its user closes when all was said that early data asked for, while the client
 * has not finished the handshake. Only behind that can its end be said, and to close the socket now
 * would answer the client's last message with a RST, which takes the response away. So it goes on
 * here, with a descriptor of its own, until the handshake is done; then it lingers as others do.
 * Called by layer_ops.c; nobody is told anything.
 */
#include "tls/layer.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/timer.h"
#include "net/linger.h"
#include "net/orphan.h"
#include "tls/early.h"

enum { OUTLIVE_MS = 5000 };

struct outlive {
	struct orphan orphan;
	struct conn *conn;
	struct timer timer;
	struct reap reap;
};

static struct pool outlive_pool = POOL_INIT("tls outlive", sizeof(struct outlive));

static void outlive_free(struct reap *reap)
{
	struct outlive *o = container_of(reap, struct outlive, reap);

	pool_give(&outlive_pool, &o);
}

static void outlive_end(struct outlive *o)
{
	struct tls_conn *t = container_of(o->conn->layer, struct tls_conn, layer);

	orphan_spare(&o->orphan);
	timer_cancel(&o->timer);
	if (o->conn->flags & CONN_UNPROVEN || t->dead) {
		t->spoke = false; /* not here once more */
		conn_close(&o->conn, false);
	} else {
		conn_linger(&o->conn, 0);
	}
	loop_reap(&o->reap, outlive_free);
	orphan_end(&o->orphan);
}

static void outlive_give_up(struct orphan *orphan)
{
	struct outlive *o = container_of(orphan, struct outlive, orphan);

	timer_cancel(&o->timer);
	o->conn->flags |= CONN_BROKEN; /* nothing goes on behind the close */
	conn_close(&o->conn, false);
	loop_reap(&o->reap, outlive_free);
	orphan_end(&o->orphan);
}

static void outlive_timer(struct timer *timer)
{
	outlive_end(container_of(timer, struct outlive, timer));
}

/* The layer has gone on with the handshake before (layer_ops.c). More early data are not wanted. */
static void outlive_ready(struct conn *conn)
{
	struct tls_conn *t = container_of(conn->layer, struct tls_conn, layer);

	tls_early_free(t);
	if (!(conn->flags & CONN_UNPROVEN))
		outlive_end(conn->owner);
}

bool tls_outlive(struct conn *conn, struct tls_conn *t)
{
	struct outlive *o = pool_take(&outlive_pool);
	struct conn *own = o ? conn_new() : NULL;
	int fd = own ? orphan_dup(conn->src.fd) : -1;

	if (fd < 0 || conn_attach(own, &fd, conn->flags, outlive_ready) < 0) {
		conn_close(&own, false);
		if (o)
			pool_give(&outlive_pool, &o);
		return false;
	}
	loop_remove(&conn->src); /* closing it does not, while this descriptor is there */
	conn->flags &= (uint16_t)~CONN_CORKED;
	conn->layer = NULL;
	own->layer = &t->layer;
	own->owner = o;
	t->conn = own;
	tls_early_free(t);
	o->conn = own;
	timer_init(&o->timer, outlive_timer);
	timer_set(&o->timer, clock_now_ms + OUTLIVE_MS);
	orphan_begin(&o->orphan, outlive_give_up);
	return true;
}
