/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent: forks workers, replaces those that die, and ends with the last. It carries no
 * traffic. doc/internals/processes.md */
#ifndef PROCESS_PARENT_H
#define PROCESS_PARENT_H

#include <stdbool.h>

struct args;
struct config;
struct err;
struct worker;

/* Makes this process the parent, in whose memory the service is prepared, and the first
 * workers to be forked. 0, or -1 and err. */
int parent_start(struct config *cfg, const struct args *args, struct err *err);
/* Runs its loop. NULL: it has ended. Else this is a fresh worker, which knows nothing of the
 * others any more, and has no loop yet. */
struct worker *parent_run(void);
/* The exit code, once parent_run has returned NULL. */
int parent_exit_code(void);
/* The configuration cannot be served, but workers of an earlier image are there: leads them until
 * a reload succeeds. 0, or -1 and err */
int parent_wait(struct config *cfg, const char *why, struct err *err);

/* -- for reload.c ------------------------------------------------------------------------------ */

/* Workers start or end: no time for a reload. */
bool parent_is_busy(void);
/* Executes the program anew, when this turn of the loop is over. Where that fails reload_failed is
 * called. */
void parent_execute(void);

#endif
