/* SPDX-License-Identifier: BSD-2-Clause */
/* How a stream leaves the kernel's maps while it lives: because it has turned to bulk, which pipes
 * move faster, or because nothing was won.
 *
 * A socket that is taken out of a map loses what comes in that moment, and what waits there. So
 * the way out has steps. Nothing more is relayed, and what was has to reach the queues. Then TCP
 * refuses, on both sockets, all segments with bytes, as if they were lost on the way. When the
 * process has received all that was left to it, and the kernel's count of bytes says that this
 * is all, they leave. What was refused comes again, for its senders had no acknowledgement. */
#include "relay/kernel_way.h"

#include "base/clock.h"

enum {
	HOLD_MS = 2,      /* a whole one at least: what was on its way in the kernel is in */
	HOLD_TRIES = 8,   /* of a millisecond; longer would cost the senders too much */
	DRAIN_TRIES = 200,
	AGAIN_MS = 1000,  /* when it was in vain */
};

static void kernel_leave_again(struct kernel_relay *k)
{
	timer_cancel(&k->timer);
	timer_set(&k->timer, clock_now_ms + 1);
}

void kernel_leave_begin(struct kernel_relay *k, uint64_t *cause)
{
	int i;

	if (k->leaving || clock_now_ms < k->leave_ms)
		return;
	for (i = 0; i < 2; i++)
		if (!k->ways[i].pump || k->ways[i].braked)
			return;
	k->leaving = KERNEL_DRAINS;
	k->leave_cause = cause;
	k->leave_tries = DRAIN_TRIES;
	for (i = 0; i < 2; i++)
		__atomic_store_n(&k->ways[i].route->bytes_until, 0, __ATOMIC_RELEASE);
	kernel_leave_again(k);
}

static void kernel_each(struct kernel_relay *k, void (*what)(int fd))
{
	if (k->relay->client.ops)
		what(end_socket(&k->relay->client)->src.fd);
	if (k->relay->server.ops)
		what(end_socket(&k->relay->server)->src.fd);
}

static void kernel_stay(struct kernel_relay *k)
{
	if (k->leaving == KERNEL_HOLDS)
		kernel_each(k, sockmap_let);
	k->leaving = KERNEL_STAYS;
	k->leave_ms = clock_now_ms + AGAIN_MS;
	way_grant(&k->ways[0]);
	way_grant(&k->ways[1]);
}

/* Whoever is about to end does so where it is. */
static bool pump_lives(const struct pump *pump)
{
	const unsigned gone = CONN_RDHUP | CONN_HUP | CONN_ERROR | CONN_EOF | CONN_BROKEN;

	return pump->from->ops && !(pump->flags & (PUMP_NO_PULL | PUMP_FINISHED)) &&
	       !(*pump->from->flags & gone);
}

/* All that has come is here or has gone on, and nothing waits in the maps. */
static bool way_is_empty(struct kernel_way *way)
{
	uint64_t taken = way_sent(way) + way->skipped + pump_held(way->pump);

	return way_shared(&way->route->passed) == taken && !way->excess && way_drained(way) &&
	       way_complete(way, false) && !way_shared(&way->route->fault);
}

static void kernel_hold(struct kernel_relay *k)
{
	if (sockmap_hold(end_socket(&k->relay->client)->src.fd) ||
	    sockmap_hold(end_socket(&k->relay->server)->src.fd)) {
		kernel_each(k, sockmap_let);
		kernel_stay(k);
		return;
	}
	k->leaving = KERNEL_HOLDS;
	k->leave_tries = HOLD_TRIES;
	k->leave_ms = clock_now_ms + HOLD_MS;
	kernel_leave_again(k);
}

/* As if it had never been there; but what lies in between stays bounded. */
static void way_free(struct kernel_way *way)
{
	struct pump *pump = way->pump;

	sockmap_let(end_socket(pump->from)->src.fd);
	conn_told_elsewhere(end_socket(pump->from), false);
	*pump->from->flags |= CONN_READABLE | CONN_WRITABLE;
	if (way->bulk.is && pump->mode != PUMP_COPY && end_can_splice(pump->from, pump->to))
		pump->flags |= PUMP_SPLICING;
}

static void kernel_go(struct kernel_relay *k)
{
	struct relay *relay = k->relay;
	const int numbers[2] = { k->ways[0].number, k->ways[1].number };

	sockmap_leave(numbers);
	way_free(&k->ways[0]);
	way_free(&k->ways[1]);
	++*k->leave_cause;
	kernel_end(k);
	kernel_want_again(relay);
}

void kernel_leave_try(struct kernel_relay *k)
{
	bool holds = k->leaving == KERNEL_HOLDS;

	if (!k->leave_tries || !pump_lives(&k->relay->request) ||
	    !pump_lives(&k->relay->response)) {
		kernel_stay(k);
		return;
	}
	if (holds && clock_now_ms < k->leave_ms) {
		kernel_leave_again(k);
		return;
	}
	k->leave_tries--;
	if (!holds && way_drained(&k->ways[0]) && way_drained(&k->ways[1]))
		kernel_hold(k);
	else if (holds && way_is_empty(&k->ways[0]) && way_is_empty(&k->ways[1]))
		kernel_go(k);
	else
		kernel_leave_again(k);
}
