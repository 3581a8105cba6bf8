/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's way of a pump. net/sockmap_program.c decides for each segment; here is what this
 * process does for it: it extends what the program may pass on, forwards what the program has left
 * to it, and says when all has left. kernel_take.c has how streams come there, kernel_leave.c how
 * they go.
 *
 * Invariants: bytes that were left to us are sent only when all that the kernel has passed on
 * before lies in the target's own queue (way_drained), and while forwarded differs from passed the
 * program passes on nothing. So the order is never broken, whoever sends. No more than
 * KERNEL_MOST_AHEAD bytes are passed on that the target has not acknowledged. */
#include "relay/kernel_way.h"

#include "base/clock.h"
#include "relay/pump_chain.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum {
	LONGEST_WAIT_MS = 20,
	TRIES_BROKEN = 8,
	LEAST_RECEIVE = 8 << 20,
};

struct kernel_way **kernel_ways;

static struct source ring = { .fd = -1 };
static struct kernel_lesson lesson;

/* ---- does it pay? -------------------------------------------------------------------------- */

bool kernel_tries(void)
{
	return kernel_lesson_tries(&lesson);
}

/* Option kernel-relay auto: a byte of it has taken so long before, and takes so long now. */
static void kernel_judge(struct kernel_relay *k)
{
	uint64_t moved = way_shared(&k->ways[0].route->relayed) +
			 way_shared(&k->ways[1].route->relayed);
	uint64_t ms = clock_now_ms - k->judge_ms;

	if (ms < KERNEL_JUDGED_MS || moved < k->judge_least)
		return;
	if (!kernel_lesson_pays(&lesson, k->judge_ps, ms * 1000000000 / moved))
		kernel_leave_begin(k, &kernel_stats.unprofitable);
	k->judge_ps = 0;
}

/* ---- what the program may pass on ------------------------------------------------------------ */

static bool way_memory(const struct kernel_way *way, uint64_t *size, uint64_t *queued)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(memory);

	if (!way->pump->to->ops || getsockopt(end_socket(way->pump->to)->src.fd, SOL_SOCKET,
					      SO_MEMINFO, memory, &len))
		return false;
	*size = memory[SK_MEMINFO_SNDBUF];
	*queued = memory[SK_MEMINFO_WMEM_QUEUED];
	return true;
}

/* Of the segments before, only what has reached the queue is known to take no memory of its own. */
static void way_grant_segments(struct kernel_way *way, uint64_t relayed, uint64_t segments,
			       uint64_t credit)
{
	if (way->left >= way->mark_relayed) {
		way->seen_segments = way->mark_segments;
		way->mark_relayed = relayed;
		way->mark_segments = segments;
	}
	if (way->left >= relayed)
		way->seen_segments = segments;
	way->route->segments_low = way->seen_segments + credit / 2;
	__atomic_store_n(&way->route->segments_until, way->seen_segments + credit,
			 __ATOMIC_RELEASE);
}

/* True: copies, or better pipes, are faster. */
static bool way_is_bulk(struct kernel_way *way, uint64_t relayed, bool behind)
{
	const struct kernel_way *other = &way->owner->ways[!way->pump->is_response];
	uint64_t answers = other->pump ? way_shared(&other->route->segments) : 0;

	if (!kernel_is_bulk(&way->bulk, kernel_weight(relayed, way_sent(way)), answers,
			    clock_now_ms))
		return false;
	if (!behind)
		kernel_leave_begin(way->owner, &kernel_stats.bulk);
	return true;
}

void way_grant(struct kernel_way *way)
{
	struct sockmap_route *route = way->route;
	uint64_t segments = way_shared(&route->segments), relayed = way_shared(&route->relayed);
	uint64_t acked, ahead, credit, size, queued, pending;
	struct tcp_info info;

	if (!way->synced)
		return;
	if (way->owner->judge_ps)
		kernel_judge(way->owner);
	way_look(way, &info);
	if (!way_memory(way, &size, &queued))
		return;
	acked = info.tcpi_bytes_acked - way->acked_base;
	ahead = kernel_ahead(relayed + way_sent(way), acked);
	pending = relayed > way->left ? relayed - way->left : 0;
	credit = kernel_credit(size, queued, pending, ahead);
	kernel_stats.behind += !credit;
	if (way_is_bulk(way, relayed, !credit) || way->owner->leaving)
		credit = 0;
	route->bytes_low = relayed + credit / 2;
	__atomic_store_n(&route->bytes_until, relayed + credit, __ATOMIC_RELEASE);
	way_grant_segments(way, relayed, segments, kernel_segments(size, queued, pending));
}

/* ---- waiting ------------------------------------------------------------------------------- */

void kernel_timer(struct timer *timer)
{
	struct kernel_relay *k = container_of(timer, struct kernel_relay, timer);
	struct relay *relay = k->relay;

	if (k->leaving)
		kernel_leave_try(k);
	*relay->client.flags |= CONN_READABLE;
	*relay->server.flags |= CONN_READABLE;
	task_wake(&relay->task);
}

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
	struct kernel_way *way = pump->kernel;

	if (!way || way_drained(way))
		return false;
	kernel_wait(way->owner);
	return true;
}

/* ---- a move -------------------------------------------------------------------------------- */

/* What was left to us may wait where it is counted against no buffer: behind what its socket is
 * to send, until the kernel's worker comes to that. Then the sender is not stopped by its
 * window, but here. */
static void way_brake(struct kernel_way *way)
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
	struct kernel_way *way = pump->kernel;
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
		r = way->excess ? way_skip(way) : pump_moves_copy(pump);
		way_account(way);
		if (r != IO_OK)
			r = way_nothing(way, r);
	}
	if (r == IO_EOF && !way_is_whole(way))
		return way_break(way, false);
	return pump_moves_took(pump, r);
}

/* ---- events -------------------------------------------------------------------------------- */

static void way_told(struct kernel_way *way)
{
	struct relay *relay = way->owner->relay;
	struct pump *pump = way->pump;

	/* First, so that whatever comes from here on tells again. */
	__atomic_exchange_n(&way->route->told, 0, __ATOMIC_SEQ_CST);
	way_count(way);
	way_grant(way);
	if (way_shared(&way->route->passed) == way->route->forwarded &&
	    !way_shared(&way->route->fault))
		return;
	*pump->from->flags |= CONN_READABLE;
	if (!relay->client.ops || !relay->server.ops)
		return;
	way_brake(way);
	pump_run(pump);
}

/* It has just been noticed, or a try is due: not with each thing that is told. */
static bool kernel_leaves_now(const struct kernel_relay *k)
{
	return k->leaving && timer_armed(&k->timer) && k->timer.when <= clock_now_ms;
}

/* Only what was told before: who moves much is told of more meanwhile, and the loop has others to
 * serve. Of the rest the poller tells again. */
static void kernel_ready(struct source *src, uint32_t events)
{
	const uint64_t end = sockmap_told();
	int number;

	(void)src;
	(void)events;
	while ((number = sockmap_next(end)) >= 0) {
		if (kernel_ways[number])
			way_told(kernel_ways[number]);
		/* Who is to leave does so now: a turn of bulk is long. */
		if (kernel_ways[number] && kernel_leaves_now(kernel_ways[number]->owner))
			kernel_timer(&kernel_ways[number]->owner->timer);
	}
}

/* ---- start --------------------------------------------------------------------------------- */

bool kernel_is_possible(void)
{
	return kernel_ways != NULL;
}

/* The last number of a setting; 0: not to be had. */
static uint64_t setting_read(const char *path)
{
	unsigned long number, last = 0;
	FILE *f = fopen(path, "re");

	while (f && fscanf(f, "%lu", &number) == 1)
		last = number;
	if (f)
		fclose(f);
	return last;
}

int kernel_start(unsigned streams, struct err *err)
{
	enum { MOST_STREAMS = 1 << 17 };
	unsigned routes = 2 * (streams < MOST_STREAMS ? streams : MOST_STREAMS);

	kernel_receive_limit = setting_read("/proc/sys/net/core/rmem_max");
	kernel_passed_most = setting_read("/proc/sys/net/ipv4/tcp_rmem");
	if (kernel_passed_most < LEAST_RECEIVE)
		kernel_passed_most = LEAST_RECEIVE;
	if (sockmap_open(routes, err) < 0)
		return -1;
	kernel_ways = calloc(routes, sizeof(struct kernel_way *));
	ring.fd = sockmap_fd();
	ring.ready = kernel_ready;
	if (kernel_ways && loop_add(&ring, EPOLLIN) == 0)
		return 0;
	kernel_stop();
	return err_set(err, "out of memory");
}

void kernel_stop(void)
{
	if (ring.registered)
		loop_remove(&ring);
	ring.fd = -1;
	free(kernel_ways);
	kernel_ways = NULL;
	sockmap_close();
}
