/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent: forks workers, replaces those that die, and ends with the last. It carries no
 * traffic. doc/internals/processes.md */
#ifndef PROCESS_PARENT_H
#define PROCESS_PARENT_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct args;
struct channel;
struct config;
struct err;

enum worker_state { WORKER_WAITS,    /* is to be forked at due_ms */
		    WORKER_STARTS,   /* forked, does not serve yet */
		    WORKER_SERVES,
		    WORKER_FINISHES, /* was told to, or is killed */
};

struct worker {
	struct list node;
	enum worker_state state;
	unsigned number;        /* 1..N of its generation */
	int row;                /* -1: counts elsewhere, for an earlier image */
	uint32_t generation;
	unsigned reloads;       /* of the parent, when it was forked */
	pid_t pid;              /* 0: WORKER_WAITS */
	struct channel *channel; /* NULL: WORKER_WAITS */
	int channel_fd;         /* between two images; else -1 */
	int words_fd;           /* what its handler of fatal signals writes; -1: none */
	uint64_t started_ms, due_ms;
	unsigned early_deaths;  /* in a row, less than 10 s after the start */
	/* The watchdog's: process/watch.c */
	uint64_t turns, turned_ms, turned_cpu_ms;
	bool aborted;
	bool may_accept;        /* was told to finish, and has not said yet that it accepts
				 * nothing */
};
extern struct list workers; /* struct worker.node */

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

/* -- for reload.c and handover.c --------------------------------------------------------------- */

/* Workers start or end: no time for a reload. */
bool parent_is_busy(void);
/* Executes the program anew, when this turn of the loop is over. Where that fails reload_failed is
 * called. */
void parent_execute(void);
/* Ties workers whose channel_fd is set to this image. */
void parent_adopt_workers(void);
/* All workers serve for the first time: writes the pid file, tells the processes of -sf, lets go of
 * who waits for the start. In run.c. 0, or -1 and err. */
int parent_ready(const struct args *args, struct err *err);

#endif
