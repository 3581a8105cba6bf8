/* SPDX-License-Identifier: BSD-2-Clause */
/* The dumps of SIGHUP (servers and proxies) and SIGQUIT (memory pools). Management guide,
 * chapter 4. Called from the loop by the signal handlers. */
#include "process/dump.h"

#include "base/pool.h"
#include "log/log.h"
#include "proxy/sums.h"

#include <inttypes.h>
#include <stdio.h>

static void dump_server(const struct server *s)
{
	struct server_tally sum;
	char status[64];

	server_sum(s, &sum);
	log_process(LOG_L_NOTICE, "Server %s/%s is %s. Conn: %u act, %u pend, %" PRIu64 " tot.",
		    s->proxy->name, s->id, server_status_text(s, status, sizeof(status)),
		    sum.current, sum.queued, sum.counters.sessions);
}

static void dump_proxy(const struct proxy *px)
{
	struct proxy_tally fe = { 0 }, be = { 0 };
	const struct server *s;

	if (px->fe)
		proxy_sum(px, PROXY_FRONTEND, &fe);
	if (px->be)
		proxy_sum(px, PROXY_BACKEND, &be);
	for (s = px->servers; s; s = s->next)
		dump_server(s);
	if (px->be && px->servers)
		log_process(LOG_L_NOTICE,
			    "Proxy %s has %u active and %u backup servers available. "
			    "Conn: act(FE+BE): %u+%u, %u pend, tot(FE+BE): %" PRIu64 "+%" PRIu64 ".",
			    px->name, px->usable, px->usable_backup,
			    fe.current, be.current, be.total_queued, fe.counters.sessions,
			    be.counters.sessions);
	else if (px->fe)
		log_process(LOG_L_NOTICE, "Proxy %s has no server. Conn: %u act, %" PRIu64 " tot.",
			    px->name, fe.current, fe.counters.sessions);
}

static void dump_pools(void)
{
	const struct pool *pool;

	fprintf(stderr, "Dumping pools usage:\n");
	for (pool = pool_first(); pool; pool = pool->next)
		fprintf(stderr,
			"  - Pool %s (%zu bytes) : %" PRIu64 " allocated (%" PRIu64
			" bytes), %" PRIu64 " used, %" PRIu64 " failures\n",
			pool->name, pool->size, pool->allocated, pool->allocated * pool->size,
			pool->used, pool->failed);
}

void dump_state(bool pools)
{
	struct proxy *px;

	if (pools) {
		dump_pools();
		return;
	}
	log_process(LOG_L_NOTICE, "SIGHUP received, dumping servers states.");
	list_for_each(px, &proxies_running->list, node)
		dump_proxy(px);
}
