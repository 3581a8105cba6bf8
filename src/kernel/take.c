/* SPDX-License-Identifier: BSD-2-Clause */
/* How a stream comes to the kernel: when it is to, whether it can, and what is noted then. Called
 * by the pump whenever it comes to rest. */
#include "kernel/way.h"

#include "base/clock.h"
#include "base/pool.h"
#include "net/sock.h"
#include "net/window.h"
#include "relay/message_end.h"
#include "relay/pump_bytes.h"

#include <netinet/in.h>

/* ---- when ---------------------------------------------------------------------------------- */

void kernel_want(struct relay *relay, bool judged)
{
	struct kernel_wanted *wanted = kernel_wanted_of(relay);

	if (!kernel_is_possible() || (wanted && wanted->has))
		return;
	if (!wanted)
		wanted = pool_take(&kernel_all.wanted);
	if (!wanted)
		return;
	relay->bypass = &wanted->bypass;
	wanted->judged = judged;
	kernel_waits_for(relay, kernel_waits_least(relay) + 1);
}

/* Small pieces have come, so many in a row. */
static bool relay_is_ripe(struct relay *relay)
{
	struct kernel_wanted *wanted = kernel_wanted_of(relay);
	uint32_t all = kernel_waits_bytes(relay);
	unsigned left = kernel_ripens(wanted->in, kernel_waits_least(relay), all - wanted->bytes);

	wanted->bytes = all;
	if (left > wanted->in)
		kernel_waits_for(relay, left);
	wanted->in = (uint16_t)left;
	return left == 1;
}

/* Option kernel-relay auto: how long a byte of it took by this process. False: it is left alone. */
static bool relay_judges(struct kernel_relay *k)
{
	struct relay *relay = k->relay;
	const struct kernel_wanted *wanted = kernel_wanted_of(relay);
	uint32_t ms = (uint32_t)clock_now_ms - wanted->ms;

	k->judge_least = (uint32_t)(wanted->bytes - wanted->base);
	if (ms < KERNEL_JUDGED_MS || !k->judge_least) {
		kernel_waits_for(relay, kernel_waits_least(relay) + 1);
		return false;
	}
	if (!kernel_tries()) {
		kernel_stats.unprofitable++;
		kernel_waits_for(relay, 0);
		return false;
	}
	k->judge_ps = ms * (uint64_t)1000000000 / k->judge_least + 1;
	k->judge_ms = clock_now_ms;
	return true;
}

/* ---- whether ------------------------------------------------------------------------------- */

/* A tunnel of mode http is an end whose bytes nobody looks at, to the close, and that holds
 * none. */
static bool end_is_tunnel(const struct end *end)
{
	const struct framing *framing = end->framing;

	return framing->passable == UINT64_MAX && !framing->raw && !framing->coded &&
	       !framing->ended && !framing->held && !end_received(end);
}

static bool end_is_fit(const struct end *end)
{
	const struct conn *conn = end_conn(end);

	return conn && !conn->layer && conn->flags & CONN_TCP &&
	       kernel_receive_size(end) <= KERNEL_RECEIVE_MOST &&
	       (!end->framing || end_is_tunnel(end));
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
	way->bulk.ms = clock_now_ms;
	way->pump = pump;
	return true;
}

/* ---- taking over --------------------------------------------------------------------------- */

/* A tunnel's end has nothing to do but to pass on bytes: it becomes one that does just that. */
static void end_become_plain(struct end *end)
{
	struct buf *held = NULL;
	struct conn *conn;

	if (!end->framing)
		return;
	conn = end_detach(end, &held);
	BUG_ON(held);
	end_take_conn(end, &conn);
}

/* So much and no more waits for a receiver that is behind: unsent, and in front of us. */
static void way_bound(struct kernel_way *way)
{
	sock_wish(end_socket(way->pump->to)->src.fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT,
		  KERNEL_MOST_UNSENT);
	/* A near sender is bounded as with a pipe: it comes back to one if it turns to bulk. */
	if (!(end_socket(way->pump->from)->flags & CONN_BOUNDED))
		window_bound(end_socket(way->pump->from));
	kernel_receive_bound(way->pump->from);
}

static void way_start(struct kernel_way *way)
{
	kernel_all.ways[way->number] = way;
	way->pump->odd |= ODD_KERNEL;
	way->pump->flags &= (uint16_t)~PUMP_SPLICING;
	conn_told_elsewhere(end_socket(way->pump->from), true);
	way_bound(way);
	/* What has come meanwhile lies where only a recv makes the program see it. */
	*way->pump->from->flags |= CONN_READABLE;
}

/* It stays here, for that cause. */
static void kernel_give_up(struct kernel_relay **k, uint64_t *cause)
{
	int i;

	for (i = 0; i < 2; i++)
		if ((*k)->ways[i].number >= 0)
			sockmap_route_give((*k)->ways[i].number);
	++*cause;
	kernel_waits_for((*k)->relay, 0);
	pool_give(&kernel_all.relays, k);
}

static void way_route(struct kernel_way *way)
{
	way->route = sockmap_route(way->number);
	way->route->passed_most = kernel_machine.passed_most;
}

static void kernel_join(struct kernel_relay *k)
{
	struct relay *relay = k->relay;
	const int fd[2] = { end_socket(&relay->client)->src.fd,
			    end_socket(&relay->server)->src.fd };
	int number[2], i;
	unsigned joined;

	for (i = 0; i < 2; i++) {
		k->ways[i].owner = k;
		k->ways[i].number = number[i] = sockmap_route_take();
		if (number[i] >= 0)
			way_route(&k->ways[i]);
	}
	if (number[0] < 0 || number[1] < 0) {
		kernel_give_up(&k, &kernel_stats.no_place);
		return;
	}
	joined = sockmap_join(fd, number);
	if (!joined) {
		kernel_give_up(&k, &kernel_stats.refused);
		return;
	}
	kernel_stats.relays++;
	kernel_waits_for(relay, 0);
	kernel_wanted_of(relay)->has = k;
	list_append(&kernel_all.living, &k->node);
	timer_init(&k->timer, kernel_timer);
	for (i = 0; i < 2; i++)
		if (joined & (unsigned)(SOCKMAP_FIRST << i))
			way_start(&k->ways[i]);
		else
			k->ways[i].pump = NULL;
	task_wake(&relay->task);
}

void kernel_take(struct relay *relay)
{
	struct kernel_relay *k;

	if (!pump_rests(&relay->request) || !pump_rests(&relay->response) ||
	    !end_rests(&relay->client) || !end_rests(&relay->server) || !relay_is_ripe(relay))
		return;
	if (!relay_is_fit(relay)) {
		kernel_stats.unfit++;
		kernel_waits_for(relay, 0);
		return;
	}
	k = pool_take(&kernel_all.relays);
	if (!k)
		return;
	k->relay = relay;
	if (kernel_wanted_of(relay)->judged && !relay_judges(k)) {
		pool_give(&kernel_all.relays, &k);
		return;
	}
	end_become_plain(&relay->client);
	end_become_plain(&relay->server);
	if (way_begin(&k->ways[0], &relay->request) && way_begin(&k->ways[1], &relay->response))
		kernel_join(k);
	else
		pool_give(&kernel_all.relays, &k); /* the next rest may be better */
}
