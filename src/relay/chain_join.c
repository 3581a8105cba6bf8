/* SPDX-License-Identifier: BSD-2-Clause */
/* How a chain of filters (relay/chain.h) comes to its pump, which it runs when the time has come
 * for which a filter held bytes up. */
#include "relay/chain.h"

#include "relay/pump.h"

/* The end of a time that a filter has set. */
static void chain_goes_on(struct timer *timer)
{
	struct pump_chain *chain = container_of(timer, struct pump_chain, timer);
	const struct relay *relay = pump_relay(chain->pump);

	chain->blocked = false;
	if (relay->client.ops && relay->server.ops)
		pump_run(chain->pump);
}

void chain_join(struct pump_chain *chain, struct pump *pump)
{
	chain->pump = pump;
	pump->chain = chain;
	pump->odd |= ODD_CHAIN;
	timer_init(&chain->timer, chain_goes_on);
}
