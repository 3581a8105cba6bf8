/* SPDX-License-Identifier: BSD-2-Clause */
/* The watchdog: finds workers that hang. */
#ifndef PROCESS_WATCH_H
#define PROCESS_WATCH_H

struct worker;

/* Looks at it, about once a second: one that does not turn, and is not asleep in the poller, is
 * told to say where it is (SIGABRT), then killed. */
void watch_worker(struct worker *w);

#endif
