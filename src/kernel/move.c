/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's way of a pump. net/sockmap_program.c decides for each segment; here is what this
 * process does for it: it forwards what the program has left to it, and says when all has left.
 * grant.c extends what the program may pass on, take.c has how streams come there,
 * leave.c how they go.
 *
 * Invariants: bytes that were left to us are sent only when all that the kernel has passed on
 * before lies in the target's own queue (way_drained), and while forwarded differs from passed the
 * program passes on nothing. So the order is never broken, whoever sends. No more than
 * KERNEL_MOST_AHEAD bytes are passed on that the target has not acknowledged. */
#include "kernel/way.h"

#include "base/clock.h"
#include "relay/pump_moves.h"

#include <errno.h>

enum { LONGEST_WAIT_MS = 20, TRIES_BROKEN = 8 };

/* No event tells when the kernel's worker has sent what it has taken. */
void kernel_wait(struct kernel_relay *k)
{
	if (timer_armed(&k->timer))
		return;
	k->wait_ms = k->wait_ms ? k->wait_ms * 2 : 1;
	if (k->wait_ms > LONGEST_WAIT_MS)
		k->wait_ms = LONGEST_WAIT_MS;
	timer_set(&k->timer, clock_now_ms + k->wait_ms);
}

bool kernel_waits(struct pump *pump)
{
	struct kernel_way *way = kernel_way_of(pump);

	if (way_drained(way))
		return false;
	kernel_wait(way->owner);
	return true;
}

/* ---- a move -------------------------------------------------------------------------------- */

/* What was left to us may wait where it is counted against no buffer: behind what its socket is
 * to send, until the kernel's worker comes to that. Then the sender is not stopped by its
 * window, but here. */
void way_brake(struct kernel_way *way)
{
	uint64_t waits = way_shared(&way->route->passed) - way_sent(way) - way->skipped;
	int fd = end_socket(way->pump->from)->src.fd;

	if (way->owner->leaving ||
	    (way->braked ? waits > KERNEL_BRAKED_LEAST : waits < KERNEL_BRAKED_MOST))
		return;
	if (way->braked)
		sockmap_let(fd);
	else if (sockmap_hold(fd))
		return; /* with the next bytes */
	way->braked = !way->braked;
}

/* What was sent is told to the program. From the moment at which it is all, the program may pass
 * on, and what comes to us then may have something in front of it. */
static void way_account(struct kernel_way *way)
{
	uint64_t passed = way_shared(&way->route->passed);
	uint64_t forwarded = way_sent(way) + way->skipped;

	if (forwarded == way->route->forwarded)
		return;
	if (unlikely(way->braked))
		way_brake(way);
	if (passed == forwarded)
		way->ours = false;
	if (passed == forwarded ||
	    kernel_weight(way->left, way_sent(way)) > way->bulk.bytes + KERNEL_BULK_BYTES)
		way_grant(way);
	__atomic_store_n(&way->route->forwarded, forwarded, __ATOMIC_SEQ_CST);
}

/* The first bytes that come after the takeover may repeat some that we have received before: the
 * peer had not got our acknowledgement. The kernel's count of bytes tells how many. From here on
 * the program itself compares. False: not now. */
static bool way_sync(struct kernel_way *way)
{
	struct tcp_info info;
	uint64_t passed = way_shared(&way->route->passed), received;

	if (!kernel_ask(way->pump->from, &info))
		return false;
	received = info.tcpi_bytes_received - way->received_base;
	if (info.tcpi_state == TCP_STATE_CLOSE_WAIT || info.tcpi_state == TCP_STATE_LAST_ACK ||
	    info.tcpi_state == TCP_STATE_CLOSING)
		received--; /* the FIN counts */
	if (!passed || passed != way_shared(&way->route->passed))
		return false;
	if (info.tcpi_state == TCP_STATE_CLOSE && received == passed + 1)
		received--; /* both FIN have come */
	if (received > passed)
		return false;
	way->excess = passed - received;
	if (info.tcpi_state == TCP_STATE_CLOSE && way->excess) /* is the FIN among them? */
		way->route->fault = 1;
	way->synced = true;
	return true;
}

/* Behind the end of the source: was each of its bytes seen? */
static bool way_is_whole(struct kernel_way *way)
{
	return way_shared(&way->route->passed) == way->route->forwarded && way_complete(way, true);
}

/* The kernel says that nothing is there, or that nothing comes any more. It may have put off
 * what it has left to us, and knows no better then. Once the connection is broken, it may have
 * given that up together with what it could not send. */
static enum io way_nothing(struct kernel_way *way, enum io r)
{
	struct conn *conn = end_socket(way->pump->from);
	struct tcp_info info;

	if (r == IO_ERR || way->pump->buf ||
	    way_shared(&way->route->passed) == way->route->forwarded)
		return r;
	if (++way->vain > TRIES_BROKEN && kernel_ask(way->pump->from, &info) &&
	    info.tcpi_state == TCP_STATE_CLOSE) {
		conn_fail(conn, CONN_READABLE, ECONNRESET);
		return IO_ERR;
	}
	conn->flags &= (uint16_t)~CONN_EOF;
	kernel_wait(way->owner);
	return IO_AGAIN;
}

/* There may be something for us. IO_OK: there is, and we may send it. */
static enum io way_enter(struct kernel_way *way)
{
	size_t n;
	char c;
	enum io r = conn_peek(end_socket(way->pump->from), &c, 1, &n);

	way->pump->calls++;
	if (r != IO_OK)
		return way_nothing(way, r);
	way->vain = 0;
	if ((!way->synced && !way_sync(way)) || !way_drained(way)) {
		kernel_wait(way->owner);
		return IO_AGAIN;
	}
	if (way_shared(&way->route->passed) == way->route->forwarded)
		return IO_AGAIN; /* what we saw was not counted yet: we are told */
	way->owner->wait_ms = 0;
	way->ours = true;
	return IO_OK;
}

static enum io way_skip(struct kernel_way *way)
{
	char bytes[4096];
	size_t n = way->excess < sizeof(bytes) ? (size_t)way->excess : sizeof(bytes), got;
	enum io r = way->pump->from->ops->recv(way->pump->from, bytes, n, &got);

	if (r != IO_OK)
		return r;
	*way->pump->from->flags |= CONN_READABLE;
	way->excess -= got;
	way->skipped += got;
	return IO_OK;
}

/* The source will not be heard any more, so its own events do not tell that the sink is gone. */
static bool way_sink_gone(const struct kernel_way *way)
{
	const unsigned gone = CONN_ERROR | CONN_HUP;
	struct tcp_info info;

	return !(way->pump->flags & PUMP_FINISHED) && way->pump->to->in->flags & PUMP_NO_PULL &&
	       *way->pump->to->flags & gone &&
	       (!kernel_ask(way->pump->to, &info) || info.tcpi_state == TCP_STATE_CLOSE);
}

static enum io way_break(struct kernel_way *way, bool by_sink)
{
	kernel_stats.faults += !by_sink;
	conn_fail(end_socket(by_sink ? way->pump->to : way->pump->from),
		  by_sink ? CONN_WRITABLE : CONN_READABLE, EPIPE);
	if (by_sink)
		way->pump->flags |= PUMP_WRITE_ERROR;
	return pump_moves_took(way->pump, IO_ERR);
}

enum io kernel_move(struct pump *pump)
{
	struct kernel_way *way = kernel_way_of(pump);
	enum io r = pump_moves_push(pump);

	way_account(way);
	if (r != IO_OK)
		return r;
	if (way_sink_gone(way))
		return way_break(way, true);
	if (way_shared(&way->route->fault) && !(pump->flags & PUMP_NO_PULL))
		return way_break(way, false);
	/* Who is about to leave receives nothing: so its sender is stopped, and little is refused.
	 */
	if (way->owner->leaving || !pump_moves_may_pull(pump))
		return IO_AGAIN;
	r = way->ours ? IO_OK : way_enter(way);
	if (r == IO_OK) {
		r = way->excess ? way_skip(way) : pump_copy(pump);
		way_account(way);
		if (r != IO_OK)
			r = way_nothing(way, r);
	}
	if (r == IO_EOF && !way_is_whole(way))
		return way_break(way, false);
	return pump_moves_took(pump, r);
}
