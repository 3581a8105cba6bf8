/* SPDX-License-Identifier: BSD-2-Clause */
/* The watchdog: finds workers that hang. */
#ifndef PROCESS_WATCHDOG_H
#define PROCESS_WATCHDOG_H

struct worker;

/* Looks at it, about once a second: one that does not turn, and is not asleep in the poller, is
 * told to say where it is (SIGABRT), then killed. */
void watchdog_look(struct worker *w);

#endif
