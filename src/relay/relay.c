/* SPDX-License-Identifier: BSD-2-Clause */
/* A relay: two ends and two pumps. How they begin, how a pump is used again, and how all ends. How
 * bytes move is in pump_run.c. */
#include "relay/pump.h"

#include "event/profile.h"
#include "relay/bypass.h"
#include "relay/chain.h"

void pump_renew(struct pump *pump)
{
	pump->flags &= (uint16_t)~(PUMP_EOF | PUMP_FINISHED | PUMP_TOLD | PUMP_READ_ERROR |
				   PUMP_OPEN);
	if (!pump->chain)
		return;
	pump->chain->ended = pump->chain->cut = false;
	chain_promise(pump->chain, UINT64_MAX); /* what was said of the last message */
}

void pump_rewind(struct pump *pump)
{
	pump_stop(pump);
	pump_renew(pump);
	if (pump->chain)
		chain_renew(pump->chain);
	pump->flags &= (uint16_t)~(PUMP_STOPPED | PUMP_WRITE_ERROR | PUMP_UNSPLICE);
	pump->copied = pump->spliced = 0;
}

/* ---- relay ------------------------------------------------------------------------------ */

static void relay_go_on(struct task *task)
{
	struct relay *relay = container_of(task, struct relay, task);

	if (relay->client.ops && relay->server.ops)
		pump_run(&relay->request);
	if (relay->client.ops && relay->server.ops)
		pump_run(&relay->response);
}

void relay_init(struct relay *relay)
{
	relay->request.from = relay->response.to = &relay->client;
	relay->request.to = relay->response.from = &relay->server;
	relay->client.in = relay->server.out = &relay->request;
	relay->client.out = relay->server.in = &relay->response;
	relay->client.flags = relay->server.flags = &end_ready_for_nothing;
	relay->response.is_response = true;
	relay->moves = RELAY_MOVES;
	task_init(&relay->task, relay_go_on);
}

void relay_close(struct relay *relay, bool reset_client, bool reset_server)
{
	if (unlikely(relay->bypass != NULL))
		relay_bypass->leave(relay);
	task_cancel(&relay->task);
	pump_stop(&relay->request);
	pump_stop(&relay->response);
	end_close(&relay->client, reset_client);
	end_close(&relay->server, reset_server);
}

const struct profile_name relay_profile = PROFILE_NAME(relay_go_on);
