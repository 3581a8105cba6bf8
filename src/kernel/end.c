/* SPDX-License-Identifier: BSD-2-Clause */
/* How the kernel relay of a stream ends (kernel/way.h), and after how many small pieces the
 * kernel is to have it, for the first time or another. */
#include "kernel/way.h"

#include "base/clock.h"
#include "base/pool.h"
#include "relay/pump_bytes.h"

unsigned kernel_after;

void kernel_waits_for(struct relay *relay, unsigned pieces)
{
	struct pump *pumps[2] = { &relay->request, &relay->response };
	struct kernel_wanted *wanted = kernel_wanted_of(relay);
	int i;

	wanted->in = (uint16_t)pieces;
	wanted->ms = (uint32_t)clock_now_ms;
	wanted->base = wanted->bytes;
	for (i = 0; i < 2; i++)
		if (pieces)
			pumps[i]->odd |= ODD_WAITS;
		else
			pumps[i]->odd &= (uint8_t)~ODD_WAITS & 15;
}

unsigned kernel_waits_least(const struct relay *relay)
{
	if (kernel_wanted_of(relay)->judged && kernel_after < KERNEL_JUDGED_PIECES)
		return KERNEL_JUDGED_PIECES;
	return kernel_after;
}

uint32_t kernel_waits_bytes(const struct relay *relay)
{
	return (uint32_t)(pump_bytes(&relay->request) + pump_bytes(&relay->response));
}

void kernel_want_again(struct relay *relay)
{
	struct kernel_wanted *wanted = kernel_wanted_of(relay);

	wanted->bytes = kernel_waits_bytes(relay);
	kernel_waits_for(relay, wanted->judged ? 0 :
				kernel_waits_least(relay) + KERNEL_AGAIN_AFTER);
}

static void way_end(struct relay *relay, struct kernel_way *way)
{
	struct pump *pump = way->pump;

	if (pump) {
		relay->bypass->relayed[pump->is_response] = kernel_relayed(pump);
		way_count(way);
		pump->odd |= ODD_RELAYED;
		pump->odd &= (uint8_t)~ODD_KERNEL & 15;
	}
	kernel_all.ways[way->number] = NULL;
	sockmap_route_give(way->number);
}

void kernel_end(struct kernel_relay *k)
{
	timer_cancel(&k->timer);
	list_remove(&k->node);
	way_end(k->relay, &k->ways[0]);
	way_end(k->relay, &k->ways[1]);
	kernel_wanted_of(k->relay)->has = NULL;
	pool_give(&kernel_all.relays, &k);
}

void kernel_leave(struct relay *relay)
{
	struct kernel_wanted *wanted = kernel_wanted_of(relay);

	kernel_waits_for(relay, 0);
	if (wanted->has)
		kernel_end(wanted->has);
	relay->request.odd &= (uint8_t)~ODD_RELAYED & 15;
	relay->response.odd &= (uint8_t)~ODD_RELAYED & 15;
	relay->bypass = NULL;
	pool_give(&kernel_all.wanted, &wanted);
}
