/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generation enters service: its limits come into force. Never looks at connections: what they
 * do is counted in the states by others.
 */
#include "base/clock.h"
#include "base/err.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "proxy/proxy_conf.h"
#include "proxy/sums.h"

/* 10 % of what the frontends above may bring, at least 1. */
static unsigned fullconn_of(const struct proxy *px)
{
	uint64_t uppers = proxy_uppers_maxconn(px);

	if (px->set.fullconn)
		return px->set.fullconn;
	return uppers ? (unsigned)((uppers + 9) / 10) : 1;
}

void proxy_ready(struct proxy *px)
{
	px->run_state = px->set.disabled ? PROXY_STOPPED : PROXY_READY;
	if (px->be)
		px->fullconn = fullconn_of(px);
}

static void enforce_settings(struct proxies *all)
{
	struct proxy *px;

	list_for_each(px, &all->stats_frontends, node)
		px->state->maxconn = px->set.maxconn;
	list_for_each(px, &all->list, node) {
		if (!px->fe)
			continue;
		px->state->maxconn = px->set.maxconn ? px->set.maxconn :
				  all->global.proxy_maxconn ? all->global.proxy_maxconn :
							      global_state->maxconn;
		px->state->rate_limit = px->set.rate_limit;
	}
	list_for_each(px, &all->list, node)
		proxy_ready(px);
}

int proxies_prepare(struct config *cfg, void *data, struct err *err)
{
	struct timeval now = clock_wall();
	struct proxies *all = data;

	(void)cfg;
	proxies_running = all;
	global_state = all->global_state;
	global_tally = all->global_tally;
	global_state->start_ms = clock_now_ms;
	global_state->start_wall_us =
		(uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
	global_state->maxconn_rate = all->global.maxconn_rate;
	global_state->maxsess_rate = all->global.maxsess_rate;
	global_state->max_comp_rate = all->global.max_comp_rate;
	global_state->max_comp_cpu = all->global.max_comp_cpu;
	global_state->max_tls = all->global.max_tls;
	global_state->max_tls_rate = all->global.max_tls_rate;
	if (limits_apply(all, err))
		return -1;
	enforce_settings(all);
	tls_count();
	return 0;
}
