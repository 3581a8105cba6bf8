/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the traffic shows of a server: told once by who sees it, passed on to all who learn from it
 * (doc/internals/learning.md): "observe" of the server, "balance peak-ewma" and "eject" of its
 * backend.
 */
#ifndef PROXY_LEARN_H
#define PROXY_LEARN_H

#include "proxy/eject_conf.h"
#include "proxy/proxy.h"

/* Bits of server.learns. */
enum { LEARNS_CONNECTIONS = 1 << 0, /* each connection that was tried is to be told */
       LEARNS_RESPONSES = 1 << 1,   /* each response, and each that did not come */
       LEARNS_LATENCY = 1 << 2,     /* how long it took: the moving average */
       LEARNS_OUTCOME = 1 << 3 };   /* counts of good and bad ones */

/* How a failure counts in the moving average, whatever it took: who refuses at once is not to be
 * taken for fast. */
enum { LEARN_FAILED_US = 1000000 };

/* At the end of the configuration: who wants to know what of the server. */
unsigned learn_wanted(const struct server *s);
/* Do its requests need to be timed (exchange.try_us)? */
static inline bool learn_times(const struct proxy *px)
{
	return px->set.balance == BALANCE_PEAK_EWMA || eject_conf_of(px);
}

/* Something was seen, in this process; us: how long it took, where that is known and it is good. To
 * be called where server.learns has the bit for it. */
void learn_seen(struct server *s, enum observed what, uint64_t us);

#endif
