/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker, as the parent keeps it. */
#ifndef PROCESS_WORKER_ENTRY_H
#define PROCESS_WORKER_ENTRY_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct channel;

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
	/* The watchdog's: process/watchdog.c */
	uint64_t turns, turned_ms, turned_cpu_ms;
	bool aborted;
	bool may_accept;        /* was told to finish, and has not said yet that it accepts
				 * nothing */
};

#endif
