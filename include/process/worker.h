/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that serves: what it is, and what others may ask of the parent about it. */
#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H

#include "session/listening.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct worker;

/* -- between parent.c, run.c and worker.c ----------------------------------------------------- */

/* Our end of the channel, in a fresh worker. */
extern int worker_channel_fd;
/* Ties a fresh worker to its parent: its loop is there, its modules are not started.
 * finish: others serve now, or the parent has gone: a soft stop. 0, or -1 and err */
int worker_start(const struct worker *self, void (*finish)(enum listening_finish how),
		 struct err *err);
/* Tells the parent that we serve. */
void worker_ready_now(void);

#endif
