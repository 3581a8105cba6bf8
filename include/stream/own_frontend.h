/* SPDX-License-Identifier: BSD-2-Clause */
/* For what the program asks by itself: a frontend of mode http that is in no configuration. It has
 * no listener, rules, limits, time-outs and log, and nobody sees its counters. */
#ifndef STREAM_OWN_FRONTEND_H
#define STREAM_OWN_FRONTEND_H

#include "net/listener.h"
#include "proxy/proxy.h"
#include "tally/tallies.h"

struct own_frontend {
	struct proxy proxy; /* of its origins */
	struct proxy_tally tally;
};

/* Its streams go to the backend. */
void origin_own_frontend(struct own_frontend *own, const char *name, struct proxy *backend);

#endif
