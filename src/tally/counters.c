/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting responses by their status, for exchanges; clearing, for the command "clear counters". */
#include "tally/counters.h"

#include <string.h>

size_t counters_of_status(unsigned status)
{
	static const uint16_t offsets[] = {
		offsetof(struct counters, responses_other), offsetof(struct counters, responses_1xx),
		offsetof(struct counters, responses_2xx), offsetof(struct counters, responses_3xx),
		offsetof(struct counters, responses_4xx), offsetof(struct counters, responses_5xx),
	};

	return offsets[status < 600 ? status / 100 : 0];
}

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
