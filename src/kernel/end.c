/* SPDX-License-Identifier: BSD-2-Clause */
/* How the kernel relay of a stream ends (kernel/way.h), and after how many small pieces the
 * kernel is to have it, for the first time or another. */
#include "kernel/way.h"

#include "base/clock.h"
#include "base/pool.h"
#include "relay/pump_bytes.h"

unsigned kernel_after;

struct pool kernel_pool = POOL_INIT("kernel relay", sizeof(struct kernel_relay));

void kernel_waits_for(struct relay *relay, unsigned pieces)
{
	struct pump *pumps[2] = { &relay->request, &relay->response };
	int i;

	relay->kernel_in = (uint16_t)pieces;
	relay->kernel_ms = (uint32_t)clock_now_ms;
	relay->kernel_base = relay->kernel_bytes;
	for (i = 0; i < 2; i++)
		if (pieces)
			pumps[i]->odd |= ODD_WAITS;
		else
			pumps[i]->odd &= (uint8_t)~ODD_WAITS & 7;
}

unsigned kernel_waits_least(const struct relay *relay)
{
	if (relay->kernel_judged && kernel_after < KERNEL_JUDGED_PIECES)
		return KERNEL_JUDGED_PIECES;
	return kernel_after;
}

uint32_t kernel_waits_bytes(const struct relay *relay)
{
	return (uint32_t)(pump_bytes(&relay->request) + pump_bytes(&relay->response));
}

void kernel_want_again(struct relay *relay)
{
	relay->kernel_bytes = kernel_waits_bytes(relay);
	kernel_waits_for(relay, relay->kernel_judged ?
					0 : kernel_waits_least(relay) + KERNEL_AGAIN_AFTER);
}

static void way_end(struct kernel_way *way)
{
	struct pump *pump = way->pump;

	if (pump) {
		pump->relayed += kernel_relayed(pump);
		way_count(way);
		pump->kernel = NULL;
		pump->odd &= (uint8_t)~ODD_KERNEL & 7;
	}
	kernel_ways[way->number] = NULL;
	sockmap_route_give(way->number);
}

void kernel_end(struct kernel_relay *k)
{
	timer_cancel(&k->timer);
	list_remove(&k->node);
	way_end(&k->ways[0]);
	way_end(&k->ways[1]);
	k->relay->kernel = NULL;
	pool_give(&kernel_pool, &k);
}

void kernel_leave(struct relay *relay)
{
	kernel_waits_for(relay, 0);
	if (relay->kernel)
		kernel_end(relay->kernel);
}
