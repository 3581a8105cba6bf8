/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel does with the send buffer of a closed socket, for the records that did not fit in
 * there (tls/drain.h): layer_ops.c hands them over with a descriptor of the same socket, which is a
 * plain connection here. When all has left it lingers as others do. */
#include "tls/drain.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/timer.h"
#include "net/conn.h"
#include "net/linger.h"
#include "net/orphan.h"
#include "tls/records.h"

enum { DRAIN_QUIET_MS = 30000 };

struct drain {
	struct orphan orphan;
	struct conn *conn;
	struct buf *out;
	struct timer timer;
	struct reap reap;
};

static struct pool drain_pool = POOL_INIT("tls drain", sizeof(struct drain));

static void drain_free(struct reap *reap)
{
	struct drain *d = container_of(reap, struct drain, reap);

	pool_give(&drain_pool, &d);
}

static void drain_end(struct drain *d, bool lingers)
{
	orphan_spare(&d->orphan);
	timer_cancel(&d->timer);
	records_give(&d->out);
	if (lingers)
		conn_linger(&d->conn, DRAIN_QUIET_MS);
	else
		conn_close(&d->conn, false);
	loop_reap(&d->reap, drain_free);
	orphan_end(&d->orphan);
}

static void drain_give_up(struct orphan *orphan)
{
	drain_end(container_of(orphan, struct drain, orphan), false);
}

static void drain_timer(struct timer *timer)
{
	drain_end(container_of(timer, struct drain, timer), false);
}

static void drain_ready(struct conn *conn)
{
	struct drain *d = conn->owner;
	size_t sent;
	enum io r;

	while (conn->flags & CONN_WRITABLE && d->out->len) {
		r = conn_send(conn, buf_first(d->out), d->out->len, false, &sent);
		if (r == IO_ERR) {
			drain_end(d, false);
			return;
		}
		if (r != IO_OK)
			break;
		buf_skip(d->out, sent);
		timer_set(&d->timer, clock_now_ms + DRAIN_QUIET_MS);
	}
	if (!d->out->len)
		drain_end(d, true);
}

void tls_drain(struct conn *conn, struct buf **out)
{
	struct drain *d = pool_take(&drain_pool);
	struct conn *own = conn_new();
	int fd = d && own ? orphan_dup(conn->src.fd) : -1;

	if (fd < 0 || conn_attach(own, &fd, conn->flags & CONN_TCP, drain_ready) < 0) {
		conn_close(&own, false);
		if (d)
			pool_give(&drain_pool, &d);
		return;
	}
	loop_remove(&conn->src); /* closing it does not, while this descriptor is there */
	conn->flags &= (uint16_t)~CONN_CORKED; /* else it says FIN, which is for us to say behind
					        * the rest */
	own->owner = d;
	d->conn = own;
	d->out = *out;
	*out = NULL;
	timer_init(&d->timer, drain_timer);
	timer_set(&d->timer, clock_now_ms + DRAIN_QUIET_MS);
	orphan_begin(&d->orphan, drain_give_up);
}
