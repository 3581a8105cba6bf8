/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that are being closed while their peer may still be sending (RFC 9112 9.6). Bytes
 * that lie unread in a socket make close() send RST, and RST throws away what the peer's kernel
 * has not handed over yet of the last response. So our side is shut down, what comes is dropped,
 * and the descriptor goes when the peer has closed, when it has sent too much, or after two
 * seconds. Called where HTTP sessions end; nobody is told anything. */
#include "net/linger.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/timer.h"
#include "net/conn.h"

#include <errno.h>
#include <sys/socket.h>

enum { LINGER_MS = 2000, LINGER_MOST = 1000, PIECE = 1 << 20, LINGER_BYTES = 16 << 20 };

struct lingerer {
	struct conn *conn;
	struct timer timer;
	long left; /* bytes that may still be dropped */
	struct reap reap;
};

static struct pool lingerers = POOL_INIT("lingerer", sizeof(struct lingerer));
static unsigned lingering;

static void linger_free(struct reap *reap)
{
	struct lingerer *l = container_of(reap, struct lingerer, reap);

	pool_give(&lingerers, &l);
}

static void linger_end(struct lingerer *l)
{
	timer_cancel(&l->timer);
	conn_close(&l->conn, false);
	lingering--;
	loop_reap(&l->reap, linger_free);
}

static void linger_timer(struct timer *timer)
{
	linger_end(container_of(timer, struct lingerer, timer));
}

static void linger_ready(struct conn *conn)
{
	struct lingerer *l = conn->owner;
	char buf[4096]; /* what is not TCP knows no MSG_TRUNC */
	ssize_t n;

	do
		n = conn->flags & CONN_TCP ? recv(conn->src.fd, NULL, PIECE, MSG_TRUNC) :
					     recv(conn->src.fd, buf, sizeof(buf), 0);
	while (n > 0 && (l->left -= n) > 0);
	if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		linger_end(l);
}

void conn_linger(struct conn **connp)
{
	struct lingerer *l = lingering < LINGER_MOST ? pool_take(&lingerers) : NULL;
	struct conn *conn = *connp;

	if (!l) {
		conn_discard(conn);
		conn_close(connp, false);
		return;
	}
	*connp = NULL;
	lingering++;
	l->conn = conn;
	l->left = LINGER_BYTES;
	conn->owner = l;
	conn->ready = linger_ready;
	timer_init(&l->timer, linger_timer);
	timer_set(&l->timer, clock_now_ms + LINGER_MS);
	conn_shut(conn);
	linger_ready(conn);
}
