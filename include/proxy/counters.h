/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of a frontend, backend, server or listener; counters.def documents each. They
 * are run-time numbers and live in the state segment, never in the configuration. */
#ifndef PROXY_COUNTERS_H
#define PROXY_COUNTERS_H

#include "base/rate.h"

#include <stdint.h>

struct counters {
#define COUNTER(name, text) uint64_t name;
#include "proxy/counters.def"
#undef COUNTER
	struct rate session_rate;    /* sessions; .max is sps_max */
	struct rate connection_rate; /* connections; .max is cps_max */
	struct rate request_rate;    /* HTTP requests of frontends */
	/* Of several processes: connections_max and queue_max of their sums; proxy/tally.c. */
	uint64_t connections_top, queue_top;
};

/* What this process counts of a listener: a cell of its row in the segment. */
struct listener_tally {
	unsigned current; /* connections now; kept by whoever took them */
	struct counters counters;
};

/* Zeroes the counters; all: also the maxima's and cumulated ones ("clear counters all"),
 * otherwise the maxima only. */
void counters_clear(struct counters *c, int all);

#endif
