/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes (event/probe.h) in every process that serves, for any test, and what is left behind when
 * it ends: doc/internals/judging.md. Builds without probes have none of it. */
#ifndef PROCESS_PROBED_H
#define PROCESS_PROBED_H

#include "event/probe.h"

struct err;

#ifdef PROBES
/* Before the loop: does as PENSTOCK_PROBES says, which may be unset. 0, or -1 and err. */
int probed_start(struct err *err);
/* Behind the loop, before anything is closed by force: no stream is left whose client has gone. Ends
 * all that may end, and wants its memory back. Ends the process by abort if something is wrong. */
void probed_judge(void);
#else
static inline int probed_start(struct err *err)
{
	(void)err;
	return 0;
}
static inline void probed_judge(void)
{
}
#endif

#endif
