/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that are being closed while their peer may still be sending (RFC 9112 9.6). Bytes
 * that lie unread in a socket make close() send RST, and so does each that comes behind it; RST
 * throws away what the peer has not got yet of the last response. So our side is shut down, what
 * comes is dropped, and the descriptor goes when the peer has closed. It goes before that when
 *
 * - the peer has taken everything, and has sent nothing for two seconds (where the process stops:
 *   200 ms), or goes on sending for 30;
 * - the peer takes nothing more (SIOCOUTQ) and sends nothing for as long as the caller waits for
 *   it;
 * - five minutes are over, or others need the place or the descriptor (net/orphan.h).
 *
 * Whoever is left so gets no more of what the layer below still has (tls/drain.h). conn_part
 * decides whether lingering is necessary. Called where clients' connections end
 * (stream/client_close.c). */
#include "net/linger.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/list.h"
#include "base/pool.h"
#include "event/timer.h"
#include "net/conn.h"
#include "net/orphan.h"

#include <errno.h>
#include <sys/socket.h>

enum { QUIET_MS = 2000, HURRY_QUIET_MS = 200, HURRY_LOOK_MS = 50 };
enum { TAKEN_MS = 30000, PATIENCE_MOST_MS = 60000, LINGER_MOST_MS = 300000,
       LOOK_MS = 1000 };
enum { PIECE = 1 << 17, LINGER_BYTES = 16 << 20 };

struct lingerer {
	struct orphan orphan;
	struct list node; /* of lingering */
	struct conn *conn;
	struct timer timer;
	struct task task;
	long left;           /* bytes that may still be dropped */
	unsigned queued;     /* bytes that the peer had not taken when we looked last */
	unsigned patience_ms;
	uint64_t began_ms;
	uint64_t moved_ms;   /* it took some, or sent some */
	uint64_t taken_ms;   /* it had taken all; 0: it has not */
	struct reap reap;
	KIND_MEMBER
};

static struct pool lingerers = POOL_INIT("lingerer", sizeof(struct lingerer));
static struct list lingering = LIST_INIT(lingering);
static bool hurries;

static void linger_free(struct reap *reap)
{
	struct lingerer *l = container_of(reap, struct lingerer, reap);

	pool_give(&lingerers, &l);
}

static void linger_end(struct lingerer *l)
{
	timer_cancel(&l->timer);
	task_cancel(&l->task);
	list_remove(&l->node);
	conn_close(&l->conn, false);
	loop_reap(&l->reap, linger_free);
	orphan_end(&l->orphan);
}

static void linger_give_up(struct orphan *orphan)
{
	struct lingerer *l = container_of(orphan, struct lingerer, orphan);

	l->conn->flags |= CONN_BROKEN; /* nothing goes on behind the close */
	linger_end(l);
}

/* By closing nothing is lost any more that the peer would have wanted. */
static bool linger_over(struct lingerer *l)
{
	const uint64_t now = clock_now_ms;
	unsigned queued = conn_unacknowledged(l->conn);

	if (queued < l->queued)
		l->moved_ms = now;
	l->queued = queued;
	if (now - l->began_ms >= LINGER_MOST_MS)
		return true;
	if (queued)
		return now - l->moved_ms >= l->patience_ms;
	if (!l->taken_ms)
		l->taken_ms = now;
	return l->left <= 0 || now - l->moved_ms >= (hurries ? HURRY_QUIET_MS : QUIET_MS) ||
	        now - l->taken_ms >= TAKEN_MS;
}

static void linger_look_later(struct lingerer *l)
{
	timer_set(&l->timer, clock_now_ms + (hurries ? HURRY_LOOK_MS : LOOK_MS));
}

static void linger_look(struct lingerer *l)
{
	if (linger_over(l))
		linger_give_up(&l->orphan);
	else
		linger_look_later(l);
}

void linger_hurry(void)
{
	struct lingerer *l;

	hurries = true;
	list_for_each(l, &lingering, node)
		linger_look_later(l);
}

static void linger_timer(struct timer *timer)
{
	linger_look(container_of(timer, struct lingerer, timer));
}

static ssize_t linger_drop(struct conn *conn)
{
	char buf[4096]; /* what is not TCP knows no MSG_TRUNC */

	return conn->flags & CONN_TCP ? recv(conn->src.fd, NULL, PIECE, MSG_TRUNC) :
					recv(conn->src.fd, buf, sizeof(buf), 0);
}

/* One piece: others wait as well. What is too much stays where it is, and the peer waits with the
 * rest. */
static void linger_take(struct lingerer *l)
{
	ssize_t n = l->left > 0 ? linger_drop(l->conn) : 1;

	if (n > 0 && l->left > 0) {
		l->left -= n;
		l->moved_ms = clock_now_ms;
		task_wake(&l->task);
	} else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
		   l->conn->flags & CONN_ERROR) {
		linger_end(l);
	} else if (l->left <= 0) {
		linger_look(l);
	}
}

static void linger_task(struct task *task)
{
	linger_take(container_of(task, struct lingerer, task));
}

static void linger_ready(struct conn *conn)
{
	linger_take(KIND_OF(struct lingerer, conn->owner));
}

bool conn_may_lose(const struct conn *conn, bool may_send)
{
	if (conn->src.fd < 0 ||
	    conn->flags & (CONN_EOF | CONN_RDHUP | CONN_HUP | CONN_BROKEN | CONN_ERROR | CONN_VANISHES))
		return false;
	if (conn->layer && conn->layer->ops->outlives(conn))
		return false;
	return may_send || conn_unacknowledged(conn) > 0;
}

void conn_part(struct conn **connp, unsigned patience_ms, bool may_send)
{
	struct conn *conn = *connp;

	if (conn_may_lose(conn, may_send)) {
		conn_linger(connp, patience_ms);
		return;
	}
	if (conn->flags & CONN_RDHUP && !(conn->layer && conn->layer->ops->outlives(conn)))
		conn_discard(conn); /* nothing comes behind it */
	conn_close(connp, false);
}

void conn_linger(struct conn **connp, unsigned patience_ms)
{
	struct conn *conn = *connp;
	struct lingerer *l;

	l = pool_take(&lingerers);
	if (!l) {
		conn_discard(conn);
		conn_close(connp, false);
		return;
	}
	*connp = NULL;
	list_append(&lingering, &l->node);
	orphan_begin(&l->orphan, linger_give_up);
	l->conn = conn;
	l->left = LINGER_BYTES;
	l->patience_ms = patience_ms && patience_ms < PATIENCE_MOST_MS ? patience_ms :
									 PATIENCE_MOST_MS;
	l->began_ms = l->moved_ms = clock_now_ms;
	KIND_IS(struct lingerer, l);
	conn->owner = l;
	conn->ready = linger_ready;
	timer_init(&l->timer, linger_timer);
	task_init(&l->task, linger_task);
	linger_look_later(l);
	conn_shut(conn);
	l->queued = conn_unacknowledged(conn);
	linger_ready(conn);
}
