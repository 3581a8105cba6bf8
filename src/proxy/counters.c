/* SPDX-License-Identifier: BSD-2-Clause */
/* Clearing of counters, for the command "clear counters". */
#include "proxy/counters.h"

#include <string.h>

void counters_clear(struct counters *c, int all)
{
	if (all)
		memset(c, 0, sizeof(*c));
	c->connections_max = 0;
	c->queue_max = 0;
	c->connections_top = c->queue_top = 0;
	rate_clear_max(&c->session_rate);
	rate_clear_max(&c->connection_rate);
	rate_clear_max(&c->request_rate);
}
