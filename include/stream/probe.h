/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens at a probe (event/probe.h), in builds that have them. For "debug dev probe". */
#ifndef STREAM_PROBE_H
#define STREAM_PROBE_H

#include <stdint.h>

enum probe_deed { PROBE_ENDS, PROBE_MARKS_DOWN };

/* Counts the probes that streams pass from now on, those of the stats socket left out. At the n-th
 * probe the stream is ended, or the traffic reports an error of its server, by the same ways as in
 * other builds. For the latter only probes at which the stream has a server count. n 0: no more. */
void probe_arm(uint64_t n, enum probe_deed deed);
/* How often that was done since: 0 or 1. */
uint64_t probe_done(void);

#endif
