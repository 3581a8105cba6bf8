/* SPDX-License-Identifier: BSD-2-Clause */
/* Global settings of how bytes move: tune.*, maxpipes, nosplice. */
#ifndef STREAM_TUNE_H
#define STREAM_TUNE_H

#include "config/module.h"

#include <stdbool.h>
#include <stddef.h>

/* Of HTTP/2 on one side. -1: as for both. */
struct tune_h2 {
	int window, streams;
	int total, glitches; /* 0: any number */
};

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
	bool nosplice, busy_polling;
	int maxhdr;
	bool any_payload; /* h1-accept-payload-with-any-method */
	int h2_table, h2_window, h2_streams, h2_frame; /* h2_frame 0: as large as a buffer */
	struct tune_h2 h2_fe, h2_be;
	bool h2_no_connect; /* h2-workaround-bogus-websocket-clients */
};
extern const struct module tune_module;

/* Sets up the pool of pipes, and what else depends on maxconn, which is known by now. */
void tune_pipes(const struct tune *t);

#endif
