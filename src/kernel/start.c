/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel relay of this process (kernel/kernel.h): how it starts and stops, and what the program
 * tells meanwhile, by a ring in the loop. Each thing that is told runs a pump. */
#include "kernel/way.h"

#include "base/clock.h"
#include "event/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum { LEAST_RECEIVE = 8 << 20 };

static struct source ring = { .fd = -1 };

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
		if (kernel_all.ways[number])
			way_told(kernel_all.ways[number]);
		/* Who is to leave does so now: a turn of bulk is long. */
		if (kernel_all.ways[number] && kernel_leaves_now(kernel_all.ways[number]->owner))
			kernel_timer(&kernel_all.ways[number]->owner->timer);
	}
}

/* ---- start --------------------------------------------------------------------------------- */

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

static const struct bypass_ops kernel_bypass = {
	.take = kernel_take,
	.leave = kernel_leave,
	.move = kernel_move,
	.waits = kernel_waits,
	.relayed = kernel_relayed,
	.look = kernel_look,
};

int kernel_start(unsigned streams, struct err *err)
{
	enum { MOST_STREAMS = 1 << 17 };
	unsigned routes = 2 * (streams < MOST_STREAMS ? streams : MOST_STREAMS);

	kernel_machine.receive_limit = setting_read("/proc/sys/net/core/rmem_max");
	kernel_machine.passed_most = setting_read("/proc/sys/net/ipv4/tcp_rmem");
	if (kernel_machine.passed_most < LEAST_RECEIVE)
		kernel_machine.passed_most = LEAST_RECEIVE;
	if (sockmap_open(routes, err) < 0)
		return -1;
	relay_bypass = &kernel_bypass;
	kernel_all.ways = calloc(routes, sizeof(struct kernel_way *));
	ring.fd = sockmap_fd();
	ring.ready = kernel_ready;
	if (kernel_all.ways && loop_add(&ring, EPOLLIN) == 0)
		return 0;
	kernel_stop();
	return err_set(err, "out of memory");
}

void kernel_stop(void)
{
	if (ring.registered)
		loop_remove(&ring);
	ring.fd = -1;
	free(kernel_all.ways);
	kernel_all.ways = NULL;
	sockmap_close();
}
