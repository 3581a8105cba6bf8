/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's way of a pump. net/sockmap.c has the program that decides for each segment; here is
 * what this process does for it: it takes relays over, extends what the program may pass on,
 * forwards what the program has left to it, and says when all has left.
 *
 * Invariants: bytes that were left to us are sent only when all that the kernel has passed on
 * before lies in the target's own queue (kernel_drained), and while forwarded differs from passed
 * the program passes on nothing. So the order is never broken, whoever sends. No more than
 * MOST_AHEAD bytes are passed on that the target has not acknowledged. */
#include "relay/kernel.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/pool.h"
#include "event/timer.h"
#include "net/sock.h"
#include "net/sockmap.h"
#include "relay/chain.h"
#include "relay/pump.h"
#include "relay/pump_chain.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { TCP_STATE_CLOSE = 7, TCP_STATE_CLOSE_WAIT = 8, TCP_STATE_LAST_ACK = 9,
       TCP_STATE_CLOSING = 11 };

enum {
	MOST_AHEAD = 1 << 19,       /* bytes that the target has not acknowledged */
	MOST_UNSENT = 1 << 20,      /* in the target's queue; more, so that MOST_AHEAD never waits */
	MOST_SEGMENTS = 1024,       /* that were not seen in the target's queue yet */
	SEGMENT_COST = 256,         /* of a small one in the target's queue, bytes at most */
	LEAST_GRANT = 8192,         /* smaller ones would be a change of ways for each */
	SMALL_PIECE = 16384,        /* who moves more at a time is better off with pipes */
	BULK_BYTES = 1 << 20,
	BULK_PIECE = 1 << 18,       /* with an answer to each it is no bulk */
	BULK_MS = 100,
	LONGEST_WAIT_MS = 20,
	TRIES_BROKEN = 8,
	LEAST_RECEIVE = 8 << 20,
};

/* One direction. */
struct kernel_way {
	struct pump *pump;           /* NULL: not by the kernel */
	struct kernel_relay *owner;
	struct sockmap_route *route;
	int number;
	bool synced;                 /* received and passed were compared: see kernel_sync */
	unsigned vain;               /* tries since something was there */
	bool ours;                   /* we may send what was left to us */
	uint64_t received_base;      /* of the source, before the kernel had it */
	uint64_t left_base;          /* bytes of the target's queue that were ever in it, then */
	uint64_t acked_base;         /* of these acknowledged, then */
	uint64_t sent_base;          /* bytes that the pump had sent */
	uint64_t skipped;            /* bytes that came twice */
	uint64_t excess;             /* such that lie in front, to be skipped */
	uint64_t left;               /* of what was relayed, seen in the target's queue */
	uint64_t mark_relayed, mark_segments; /* at some grant before */
	uint64_t seen_segments;      /* of those relayed, seen in the target's queue */
	bool bulk;
	uint64_t judged_bytes, judged_answers, judged_ms;
	uint64_t counted, counted_passed;
};

struct kernel_relay {
	struct list node; /* all that live */
	struct relay *relay;
	struct kernel_way ways[2]; /* of the request, of the response */
	struct timer timer;
	unsigned wait_ms;
};

struct kernel_stats kernel_stats;
unsigned kernel_after;

static struct pool kernel_pool = POOL_INIT("kernel relay", sizeof(struct kernel_relay));
static struct kernel_way **ways; /* by the number of the route */
static struct source ring = { .fd = -1 };
static struct list living = LIST_INIT(living);
static uint64_t passed_most; /* no receive buffer holds more */

/* ---- what the kernel knows ----------------------------------------------------------------- */

static bool kernel_ask(const struct end *end, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	*info = (struct tcp_info){ 0 };
	return end->ops && !getsockopt(end_socket(end)->src.fd, IPPROTO_TCP, TCP_INFO, info, &len);
}

static uint64_t kernel_queued(const struct end *end)
{
	int queued = 0;

	return ioctl(end_socket(end)->src.fd, SIOCOUTQ, &queued) < 0 ? 0 : (uint64_t)queued;
}

/* Bytes that the pump has sent since the kernel has the direction. */
static uint64_t way_sent(const struct kernel_way *way)
{
	return way->pump->copied + way->pump->spliced - way->sent_base;
}

static uint64_t way_shared(const uint64_t *field)
{
	return __atomic_load_n(field, __ATOMIC_ACQUIRE);
}

static void way_count(struct kernel_way *way)
{
	uint64_t relayed = way_shared(&way->route->relayed);
	uint64_t passed = way_shared(&way->route->passed);

	kernel_stats.bytes += relayed - way->counted;
	kernel_stats.passed += passed - way->counted_passed;
	way->counted = relayed;
	way->counted_passed = passed;
}

/* How many of the bytes that were relayed have reached the target's queue. What is acknowledged is
 * asked first: what is acknowledged in between is then missing in the sum, never counted twice. */
static void way_look(struct kernel_way *way, struct tcp_info *info)
{
	uint64_t in_queue, left;

	if (!kernel_ask(way->pump->to, info))
		return;
	in_queue = info->tcpi_bytes_acked + kernel_queued(way->pump->to);
	left = in_queue - way->left_base - way_sent(way);
	if ((int64_t)(left - way->left) > 0)
		way->left = left;
}

/* All that the kernel has taken on has reached the target's queue: what is sent now comes behind
 * it. Holds until the program passes on more, which it does not while forwarded differs from
 * passed. */
static bool way_drained(struct kernel_way *way)
{
	uint64_t relayed = way_shared(&way->route->relayed);
	struct tcp_info info;

	if (way->left >= relayed)
		return true;
	way_look(way, &info);
	return way->left >= relayed;
}

/* ---- what the program may pass on ------------------------------------------------------------ */

/* What the target's queue takes at once: what waits in front of it would hold up what its socket has
 * received and left to us, for the kernel has one queue for both. An eighth is for what the queue
 * needs itself. */
static uint64_t way_room(const struct kernel_way *way)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(memory);

	if (!way->pump->to->ops || getsockopt(end_socket(way->pump->to)->src.fd, SOL_SOCKET,
					      SO_MEMINFO, memory, &len) ||
	    memory[SK_MEMINFO_SNDBUF] <= memory[SK_MEMINFO_WMEM_QUEUED])
		return 0;
	return (memory[SK_MEMINFO_SNDBUF] - memory[SK_MEMINFO_WMEM_QUEUED]) / 8 * 7;
}

/* How many segments may be passed on: of those before, only what has reached the queue is known to
 * take no memory of its own. */
static void way_grant_segments(struct kernel_way *way, uint64_t relayed, uint64_t segments,
			       uint64_t room)
{
	uint64_t credit = room / SEGMENT_COST < MOST_SEGMENTS ? room / SEGMENT_COST : MOST_SEGMENTS;

	if (way->left >= way->mark_relayed) {
		way->seen_segments = way->mark_segments;
		way->mark_relayed = relayed;
		way->mark_segments = segments;
	}
	if (way->left >= relayed)
		way->seen_segments = segments;
	way->route->segments_low = way->seen_segments + credit / 2;
	__atomic_store_n(&way->route->segments_until, way->seen_segments + credit, __ATOMIC_RELEASE);
}

/* Much comes, and hardly anything goes the other way meanwhile: copies are faster. Judged after so
 * many bytes, or so much time. */
static bool way_is_bulk(struct kernel_way *way, uint64_t relayed)
{
	const struct kernel_way *other = &way->owner->ways[!way->pump->is_response];
	uint64_t moved = relayed + way_shared(&way->route->passed) - way->judged_bytes;
	uint64_t answers = other->pump ? way_shared(&other->route->segments) : 0;

	if (moved >= BULK_BYTES || clock_now_ms - way->judged_ms >= BULK_MS) {
		way->bulk = moved >= BULK_BYTES && answers - way->judged_answers < moved / BULK_PIECE;
		way->judged_bytes += moved;
		way->judged_answers = answers;
		way->judged_ms = clock_now_ms;
	}
	return way->bulk;
}

/* The program may pass on so much more. */
static void way_grant(struct kernel_way *way)
{
	struct sockmap_route *route = way->route;
	uint64_t segments = way_shared(&route->segments), relayed = way_shared(&route->relayed);
	uint64_t ahead, credit, room;
	struct tcp_info info;

	if (!way->synced)
		return;
	room = way_room(way);
	way_look(way, &info);
	room -= relayed - way->left < room ? relayed - way->left : room; /* comes there next */
	ahead = relayed + way_sent(way) - (info.tcpi_bytes_acked - way->acked_base);
	credit = ahead < MOST_AHEAD ? MOST_AHEAD - ahead : 0;
	if (credit > room)
		credit = room;
	if (credit < LEAST_GRANT)
		credit = 0;
	kernel_stats.behind += !credit;
	if (way_is_bulk(way, relayed))
		credit = 0;
	route->bytes_low = relayed + credit / 2;
	__atomic_store_n(&route->bytes_until, relayed + credit, __ATOMIC_RELEASE);
	way_grant_segments(way, relayed, segments, room);
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void kernel_timer(struct timer *timer)
{
	struct kernel_relay *k = container_of(timer, struct kernel_relay, timer);
	struct relay *relay = k->relay;

	*relay->client.flags |= CONN_READABLE;
	*relay->server.flags |= CONN_READABLE;
	task_wake(&relay->task);
}

/* No event tells when the kernel's worker has sent what it has taken. */
static void kernel_wait(struct kernel_relay *k)
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

/* What was sent is told to the program. From the moment at which it is all, the program may pass
 * on, and what comes to us then may have something in front of it. */
static void way_account(struct kernel_way *way)
{
	uint64_t passed = way_shared(&way->route->passed);
	uint64_t forwarded = way_sent(way) + way->skipped;

	if (forwarded == way->route->forwarded)
		return;
	if (passed == forwarded) {
		way->ours = false;
		way_grant(way);
	}
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
static bool way_complete(struct kernel_way *way)
{
	uint64_t seen = way_shared(&way->route->relayed) + way_shared(&way->route->passed);
	struct tcp_info info;

	if (way_shared(&way->route->passed) != way->route->forwarded ||
	    !kernel_ask(way->pump->from, &info))
		return false;
	return info.tcpi_bytes_received - way->received_base - 1 == seen - way->skipped;
}

/* The kernel says that nothing is there, or that nothing comes any more. It may have put off what it
 * has left to us, and knows no better then. Once the connection is broken, it may have given that up
 * together with what it could not send. */
static enum io way_nothing(struct kernel_way *way, enum io r)
{
	struct conn *conn = end_socket(way->pump->from);
	struct tcp_info info;

	if (r == IO_ERR || way->pump->buf || way_shared(&way->route->passed) == way->route->forwarded)
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
	if (!pump_moves_may_pull(pump))
		return IO_AGAIN;
	r = way->ours ? IO_OK : way_enter(way);
	if (r == IO_OK) {
		r = way->excess ? way_skip(way) : pump_moves_unseen(pump);
		way_account(way);
		if (r != IO_OK)
			r = way_nothing(way, r);
	}
	if (r == IO_EOF && !way_complete(way))
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
	if (relay->client.ops && relay->server.ops)
		pump_run(pump);
}

static void kernel_ready(struct source *src, uint32_t events)
{
	int number;

	(void)src;
	(void)events;
	while ((number = sockmap_next()) >= 0)
		if (ways[number])
			way_told(ways[number]);
}

/* ---- taking over --------------------------------------------------------------------------- */

/* Nothing is there to be received, and nothing has come between two looks at what has. */
static bool end_is_drained(const struct end *end, uint64_t *received)
{
	struct tcp_info before, after;
	size_t n;
	char c;

	if (!kernel_ask(end, &before) || conn_peek(end_socket(end), &c, 1, &n) != IO_AGAIN ||
	    !kernel_ask(end, &after))
		return false;
	*received = after.tcpi_bytes_received;
	return before.tcpi_bytes_received == after.tcpi_bytes_received;
}

/* How many bytes were ever in the queue, and how many of them are acknowledged: at one moment. */
static bool end_queue(const struct end *end, uint64_t *left, uint64_t *acked)
{
	struct tcp_info before, after;
	uint64_t queued;

	if (!kernel_ask(end, &before))
		return false;
	queued = kernel_queued(end);
	if (!kernel_ask(end, &after))
		return false;
	*acked = after.tcpi_bytes_acked;
	*left = *acked + queued;
	return before.tcpi_bytes_acked == after.tcpi_bytes_acked;
}

static bool way_begin(struct kernel_way *way, struct pump *pump)
{
	uint64_t received;

	if (!end_queue(pump->to, &way->left_base, &way->acked_base) ||
	    !end_is_drained(pump->from, &received))
		return false;
	way->received_base = received;
	way->sent_base = pump->copied + pump->spliced;
	way->pump = pump;
	return true;
}

static bool end_is_fit(const struct end *end)
{
	const struct conn *conn = end_conn(end);

	return conn && !conn->layer && conn->flags & CONN_TCP && !end->framing;
}

/* Could it ever be? */
static bool relay_is_fit(const struct relay *relay)
{
	return end_is_fit(&relay->client) && end_is_fit(&relay->server) &&
	       !relay->request.chain && !relay->response.chain;
}

static bool pump_rests(const struct pump *pump)
{
	return pump->flags & PUMP_OPEN && !(pump->flags & (PUMP_NO_PULL | PUMP_FINISHED)) &&
	       !pump->buf && !pump->pipe && pump->allowed == UINT64_MAX;
}

static bool end_rests(const struct end *end)
{
	const unsigned odd = CONN_RDHUP | CONN_HUP | CONN_ERROR | CONN_URGENT | CONN_CONNECTING |
			     CONN_SHUT_WR | CONN_EOF | CONN_BROKEN | CONN_HELD;

	return !(*end->flags & odd);
}

/* So much and no more waits unsent for a receiver that is behind. */
static void way_bound(const struct kernel_way *way)
{
	sock_set(end_socket(way->pump->to)->src.fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, MOST_UNSENT);
	/* No smaller receive buffer from now on: the kernel would drop what is on its way. */
	end_socket(way->pump->from)->flags |= CONN_BOUNDED;
}

static void way_start(struct kernel_way *way)
{
	ways[way->number] = way;
	way->pump->kernel = way;
	way->pump->flags &= (uint16_t)~PUMP_SPLICING;
	conn_told_elsewhere(end_socket(way->pump->from));
	way_bound(way);
	/* What has come meanwhile lies where only a recv makes the program see it. */
	*way->pump->from->flags |= CONN_READABLE;
}

static void kernel_give_up(struct kernel_relay **k)
{
	int i;

	for (i = 0; i < 2; i++)
		if ((*k)->ways[i].number >= 0)
			sockmap_route_give((*k)->ways[i].number);
	pool_give(&kernel_pool, k);
}

static void way_route(struct kernel_way *way)
{
	way->route = sockmap_route(way->number);
	way->route->passed_most = passed_most;
}

static void kernel_join(struct kernel_relay *k)
{
	struct relay *relay = k->relay;
	const int fd[2] = { end_socket(&relay->client)->src.fd, end_socket(&relay->server)->src.fd };
	int number[2], i;
	unsigned joined;

	for (i = 0; i < 2; i++) {
		k->ways[i].owner = k;
		k->ways[i].number = number[i] = sockmap_route_take();
		if (number[i] >= 0)
			way_route(&k->ways[i]);
	}
	if (number[0] < 0 || number[1] < 0) {
		kernel_stats.no_place++;
		relay->kernel_in = 0;
		kernel_give_up(&k);
		return;
	}
	joined = sockmap_join(fd, number);
	if (!joined) {
		kernel_stats.refused++;
		relay->kernel_in = 0;
		kernel_give_up(&k);
		return;
	}
	kernel_stats.relays++;
	relay->kernel_in = 0;
	relay->kernel = k;
	list_append(&living, &k->node);
	timer_init(&k->timer, kernel_timer);
	for (i = 0; i < 2; i++)
		if (joined & (unsigned)(SOCKMAP_FIRST << i))
			way_start(&k->ways[i]);
		else
			k->ways[i].pump = NULL;
	task_wake(&relay->task);
}

/* Small pieces have come, so many in a row. */
static bool relay_is_ripe(struct relay *relay)
{
	uint64_t all = pump_bytes(&relay->request) + pump_bytes(&relay->response);
	uint64_t moved = all - relay->kernel_bytes;

	if (!kernel_after)
		return true;
	relay->kernel_bytes = all;
	if (moved > SMALL_PIECE)
		relay->kernel_in = (uint16_t)(kernel_after + 1);
	else if (moved && relay->kernel_in > 1)
		relay->kernel_in--;
	return relay->kernel_in == 1;
}

void kernel_take(struct relay *relay)
{
	struct kernel_relay *k;

	if (!pump_rests(&relay->request) || !pump_rests(&relay->response) ||
	    !end_rests(&relay->client) || !end_rests(&relay->server) || !relay_is_ripe(relay))
		return;
	if (!relay_is_fit(relay)) {
		kernel_stats.unfit++;
		relay->kernel_in = 0;
		return;
	}
	k = pool_take(&kernel_pool);
	if (!k)
		return;
	k->relay = relay;
	if (way_begin(&k->ways[0], &relay->request) && way_begin(&k->ways[1], &relay->response))
		kernel_join(k);
	else
		pool_give(&kernel_pool, &k); /* the next rest may be better */
}

void kernel_want(struct relay *relay)
{
	if (!relay->kernel)
		relay->kernel_in = kernel_is_possible() ? (uint16_t)(kernel_after + 1) : 0;
}

void kernel_leave(struct relay *relay)
{
	struct kernel_relay *k = relay->kernel;
	struct kernel_way *way;
	int i;

	relay->kernel_in = 0;
	if (!k)
		return;
	timer_cancel(&k->timer);
	list_remove(&k->node);
	for (i = 0; i < 2; i++) {
		way = &k->ways[i];
		if (way->pump) {
			way->pump->relayed = kernel_relayed(way->pump);
			way_count(way);
			way->pump->kernel = NULL;
		}
		ways[way->number] = NULL;
		sockmap_route_give(way->number);
	}
	relay->kernel = NULL;
	pool_give(&kernel_pool, &k);
}

/* ---- what others ask ------------------------------------------------------------------------ */

uint64_t kernel_relayed(const struct pump *pump)
{
	struct kernel_way *way = pump->kernel;
	uint64_t relayed = way_shared(&way->route->relayed);

	way_drained(way);
	return way->left < relayed ? way->left : relayed;
}

void kernel_count(void)
{
	struct kernel_relay *k;
	int i;

	list_for_each(k, &living, node)
		for (i = 0; i < 2; i++)
			if (k->ways[i].pump)
				way_count(&k->ways[i]);
}

static void pump_look_back(struct pump *pump)
{
	struct tcp_info info;
	uint32_t then;

	if (!pump->kernel || !way_shared(&pump->kernel->route->relayed))
		return;
	if (kernel_ask(pump->from, &info)) {
		then = (uint32_t)clock_now_ms - info.tcpi_last_data_recv;
		if ((int32_t)(then - pump->read_ms) > 0)
			pump->read_ms = then;
	}
	if (kernel_ask(pump->to, &info)) {
		then = (uint32_t)clock_now_ms - info.tcpi_last_data_sent;
		if ((int32_t)(then - pump->write_ms) > 0)
			pump->write_ms = then;
	}
}

void kernel_look(struct relay *relay)
{
	pump_look_back(&relay->request);
	pump_look_back(&relay->response);
}

/* ---- start --------------------------------------------------------------------------------- */

bool kernel_is_possible(void)
{
	return ways != NULL;
}

/* The most that a receive buffer grows to. */
static uint64_t receive_most(void)
{
	unsigned long least, usual, most = 0;
	FILE *f = fopen("/proc/sys/net/ipv4/tcp_rmem", "re");

	if (f && fscanf(f, "%lu %lu %lu", &least, &usual, &most) != 3)
		most = 0;
	if (f)
		fclose(f);
	return most < LEAST_RECEIVE ? LEAST_RECEIVE : most;
}

int kernel_start(unsigned streams, struct err *err)
{
	enum { MOST_STREAMS = 1 << 17 };
	unsigned routes = 2 * (streams < MOST_STREAMS ? streams : MOST_STREAMS);

	passed_most = receive_most();
	if (sockmap_open(routes, err) < 0)
		return -1;
	ways = calloc(routes, sizeof(struct kernel_way *));
	ring.fd = sockmap_fd();
	ring.ready = kernel_ready;
	if (ways && loop_add(&ring, EPOLLIN) == 0)
		return 0;
	kernel_stop();
	return err_set(err, "out of memory");
}

void kernel_stop(void)
{
	if (ring.registered)
		loop_remove(&ring);
	ring.fd = -1;
	free(ways);
	ways = NULL;
	sockmap_close();
}
