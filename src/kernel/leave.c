/* SPDX-License-Identifier: BSD-2-Clause */
/* How a stream leaves the kernel's maps while it lives: because it has turned to bulk, which pipes
 * move faster, or because nothing was won.
 *
 * A socket that is taken out of a map loses what comes in that moment, and what waits there. So
 * the way out has steps. Nothing more is relayed, and what was has to reach the queues. Then TCP
 * refuses, on both sockets, all segments with bytes, as if they were lost on the way. What was left
 * to the process goes into memory, for the receiver may not take it now, and when the kernel's
 * count of bytes says that this is all, the sockets leave. What was refused comes again, for its
 * senders had no acknowledgement. All of this happens at once: a sender of whom a whole window is
 * refused, and the probe behind it, waits for the timer of TCP, 200 ms. */
#include "kernel/way.h"

#include "base/clock.h"
#include "relay/buffer.h"
#include "relay/pump_moves.h"

enum {
	SETTLE_US = 50,  /* what had passed the filter before it was there is in TCP's hands */
	AGAIN_MS = 1000, /* when it was in vain */
};

static void kernel_leave_again(struct kernel_relay *k)
{
	timer_cancel(&k->timer);
	timer_set(&k->timer, clock_now_ms + 1);
}

static void kernel_let(struct kernel_relay *k)
{
	int i;

	for (i = 0; i < 2; i++)
		if (k->ways[i].pump->from->ops)
			sockmap_let(end_socket(k->ways[i].pump->from)->src.fd);
}

static bool kernel_hold(struct kernel_relay *k)
{
	if (!sockmap_hold(end_socket(&k->relay->client)->src.fd) &&
	    !sockmap_hold(end_socket(&k->relay->server)->src.fd))
		return true;
	kernel_let(k);
	return false;
}

static void kernel_stay(struct kernel_relay *k)
{
	k->leaving = false;
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

static uint64_t way_taken(const struct kernel_way *way)
{
	return way_sent(way) + way->skipped + pump_held(way->pump);
}

/* Left to us, and not received yet. */
static size_t way_waits(const struct kernel_way *way)
{
	return (size_t)(way_shared(&way->route->passed) - way_taken(way));
}

/* What was left to us is put into memory, behind what the pump holds. Not while something that came
 * before it is on its way in the kernel: the pump sends what it holds without asking. */
static void way_gather(struct kernel_way *way)
{
	struct pump *pump = way->pump;
	size_t waits = way_waits(way), got;
	struct buf *buf;

	if (!waits || way->excess || !way->synced || !way_drained(way))
		return;
	buf = buffer_take_heap(pump_held(pump) + waits);
	if (!buf)
		return;
	if (pump->buf)
		buffer_move(&pump->buf, buf);
	pump->buf = buf;
	while (buf_room(buf) && pump_moves_in(pump, buf_tail(buf), buf_room(buf), &got) == IO_OK)
		buf->len += (uint32_t)got;
	/* An end is believed where all bytes are seen. */
	*pump->from->flags &= (uint16_t)~CONN_EOF;
	if (!buf->len)
		buffer_give(&pump->buf);
}

/* All that has come is here or has gone on, and nothing waits in the maps. */
static bool way_is_empty(struct kernel_way *way)
{
	return way_shared(&way->route->passed) == way_taken(way) && !way->excess &&
	       way_drained(way) && way_complete(way, false) && !way_shared(&way->route->fault);
}

/* Of what has come since, is something missing? It would lie on the socket. */
static bool way_has_lost(const struct kernel_way *way, uint64_t seen)
{
	struct tcp_info info;
	uint64_t came, lies = kernel_unread(way->pump->from);

	if (!kernel_ask(way->pump->from, &info))
		return false;
	came = info.tcpi_bytes_received - way->received_base - seen;
	return came > lies + (info.tcpi_state != TCP_STATE_OPEN);
}

/* As if it had never been there; but what lies in between stays bounded. */
static void way_free(struct kernel_way *way)
{
	struct pump *pump = way->pump;

	sockmap_let(end_socket(pump->from)->src.fd);
	conn_told_elsewhere(end_socket(pump->from), false);
	*pump->from->flags |= CONN_READABLE | CONN_WRITABLE;
	if ((way->bulk.is || pump->mode == PUMP_SPLICE) && pump->mode != PUMP_COPY &&
	    end_can_splice(pump->from, pump->to))
		pump->flags |= PUMP_SPLICING;
}

static void kernel_go(struct kernel_relay *k)
{
	struct relay *relay = k->relay;
	const int numbers[2] = { k->ways[0].number, k->ways[1].number };
	uint64_t seen[2];
	int i;

	for (i = 0; i < 2; i++)
		/* What is passed on only now counts as lost: it would go with the maps. */
		seen[i] = way_shared(&k->ways[i].route->relayed) + way_taken(&k->ways[i]) -
			  k->ways[i].skipped;
	sockmap_leave(numbers);
	if (unlikely(way_has_lost(&k->ways[0], seen[0]) || way_has_lost(&k->ways[1], seen[1]))) {
		k->ways[0].route->fault = 1; /* the next move breaks it off */
		kernel_let(k);
		return;
	}
	way_free(&k->ways[0]);
	way_free(&k->ways[1]);
	++*k->leave_cause;
	kernel_end(k);
	kernel_want_again(relay);
}

/* Holds both, and takes what is there. False: there may be more, and they are let go. */
static bool kernel_empty(struct kernel_relay *k)
{
	uint64_t settled_us = clock_read_us() + SETTLE_US;

	if (!kernel_hold(k))
		return false;
	while (clock_read_us() < settled_us)
		continue;
	way_gather(&k->ways[0]);
	way_gather(&k->ways[1]);
	if (way_is_empty(&k->ways[0]) && way_is_empty(&k->ways[1]))
		return true;
	kernel_let(k);
	k->leave_tries /= 2;
	return false;
}

void kernel_leave_try(struct kernel_relay *k)
{
	if (!k->leave_tries || !pump_lives(&k->relay->request) ||
	    !pump_lives(&k->relay->response)) {
		kernel_stay(k);
		return;
	}
	k->leave_tries--;
	if (way_drained(&k->ways[0]) && way_drained(&k->ways[1]) && kernel_empty(k))
		kernel_go(k);
	else
		kernel_leave_again(k);
}

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
