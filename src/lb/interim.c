/* SPDX-License-Identifier: BSD-2-Clause */
/* Round robin over usable servers, until the balancing of lb/ stands in its place. */
#include "lb/balance.h"

#include "proxy/proxy.h"

#include <stddef.h>

static unsigned turn;

struct server *balance_pick(struct proxy *px, const struct balance_key *key, bool *full)
{
	struct server *s, *best = NULL;
	unsigned n = px->server_count ? turn++ % px->server_count : 0;

	*full = false;
	for (s = px->servers; s; s = s->next, n--) {
		if (!server_usable(s) || s == key->avoid)
			continue;
		if (!best || n == 0)
			best = s;
	}
	return best;
}

void balance_taken(struct server *server)
{
	(void)server;
}

void balance_released(struct server *server)
{
	(void)server;
}
