/* SPDX-License-Identifier: BSD-2-Clause */
/* A proxy as it begins: with the settings of another one, or with those that hold by default. */
#include "base/arena.h"
#include "base/kind.h"
#include "proxy/proxy_conf.h"

#include <string.h>

void proxy_settings_init(struct proxy_settings *set)
{
	memset(set, 0, sizeof(*set));
	set->retries = 3;
	set->redispatch_interval = -1;
	set->retry_on = RETRY_CONN_FAILURE;
	set->max_keep_alive_queue = -1;
	set->max_session_conns = 5;
	set->balance_draws = 2;
	server_settings_init(&set->server);
}

struct proxy *proxy_new(struct config *cfg, const char *name, unsigned caps,
			const struct location *loc, const struct proxy_settings *from)
{
	struct proxy *px = arena_alloc(cfg->arena, sizeof(*px));

	KIND_IS(struct proxy, px);
	px->name = name;
	px->caps = caps;
	if (loc)
		px->loc = *loc;
	if (from)
		px->set = *from;
	else
		proxy_settings_init(&px->set);
	px->servers_tail = &px->servers;
	list_init(&px->node);
	list_init(&px->binds);
	list_init(&px->switch_rules);
	list_init(&px->streams);
	list_init(&px->uppers);
	list_init(&px->queue);
	return px;
}
