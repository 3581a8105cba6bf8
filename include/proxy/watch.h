/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the traffic shows of a server: told once by who sees it, passed on to all who learn from it
 * (doc/internals/learning.md): "observe" of the server, "balance peak-ewma" and "eject" of its
 * backend.
 */
#ifndef PROXY_WATCH_H
#define PROXY_WATCH_H

#include "proxy/proxy.h"

/* Bits of server.watched. */
enum { WATCHED_CONNECTIONS = 1 << 0, /* each connection that was tried is to be told */
       WATCHED_RESPONSES = 1 << 1,   /* each response, and each that did not come */
       WATCHED_LATENCY = 1 << 2,     /* how long it took: the moving average */
       WATCHED_OUTCOME = 1 << 3 };   /* counts of good and bad ones */

/* How a failure counts in the moving average, whatever it took: who refuses at once is not to be
 * taken for fast. */
enum { WATCH_FAILED_US = 1000000 };

/* At the end of the configuration: who wants to know what of the server. */
unsigned watch_wanted(const struct server *s);
/* Do its requests need to be timed (exchange.try_us)? */
static inline bool watch_times(const struct proxy *px)
{
	return px->set.balance == BALANCE_PEAK_EWMA || px->set.eject;
}

/* Something was seen, in this process; us: how long it took, where that is known and it is good. To
 * be called where server.watched has the bit for it. */
void watch_seen(struct server *s, enum observed what, uint64_t us);

#endif
