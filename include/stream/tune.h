/* SPDX-License-Identifier: BSD-2-Clause */
/* Global settings of how bytes move: tune.*, maxpipes, nosplice. */
#ifndef STREAM_TUNE_H
#define STREAM_TUNE_H

#include "config/module.h"

#include <stdbool.h>
#include <stddef.h>

struct tune {
	size_t bufsize, maxrewrite, pipesize;
	int buffers_limit, maxpipes; /* maxpipes -1: a quarter of maxconn */
	bool no_trimming;
	int buffers_reserve;
	int fail_alloc;          /* percent: base/memory.h */
	int maxpollevents;
	int recv_enough;
	int pool_low, pool_high; /* percent of the descriptors; 0: off */
	size_t rcvbuf_client, sndbuf_client, rcvbuf_server, sndbuf_server;
	int profile;        /* enum profile_mode */
	int runqueue_depth; /* 0: no limit */
	int kernel_after;   /* kernel/kernel.h */
	int colocated;      /* 1: on. Reads to the end, and does not splice */
	bool nosplice, busy_polling;
	int spin_us;
};
extern const struct module tune_module;

/* Sets up the pool of pipes, and what else depends on maxconn, which is known by now. */
void tune_pipes(const struct tune *t);

#endif
