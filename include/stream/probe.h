/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens at a probe (event/probe.h), in builds that have them. For "debug dev probe" and
 * process/probed.h. */
#ifndef STREAM_PROBE_H
#define STREAM_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct server;

enum probe_deed {
	PROBE_ENDS,       /* the stream is ended */
	PROBE_MARKS_DOWN, /* its server is: of probes at which it has one alone */
	PROBE_BOTH        /* one or the other, as it comes */
};

struct probe_plan {
	uint64_t first;    /* something is done at that probe from now on; 0: never */
	uint64_t every;    /* and behind so many again and again; 0: not again */
	uint64_t seed;     /* 0: exactly so many. Else so many on average, drawn from it */
	enum probe_deed deed;
	bool asking;       /* probes of streams on stats sockets count, and no others; false: all
			    * others */
	void (*down)(struct server *server); /* NULL: the traffic reports an error of it */
};

/* From now on this is done, by the same ways as in other builds. Counts begin anew. */
void probe_arm(const struct probe_plan *plan);
/* Since then: probes that counted, and those at which something was done. */
uint64_t probe_passes(void);
uint64_t probe_done(void);

#endif
