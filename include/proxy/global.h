/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the whole process, for limits and for show info: run time, numbers only. */
#ifndef PROXY_GLOBAL_H
#define PROXY_GLOBAL_H

#include "base/rate.h"

#include <stdbool.h>
#include <stdint.h>

struct global_state {
	unsigned maxconn;            /* in force */
	unsigned current;            /* client connections now */
	unsigned maxconn_rate, maxsess_rate; /* in force; 0: none */
	uint64_t cum_conns, cum_sessions, cum_requests;
	struct rate conn_rate, sess_rate;
	uint64_t bytes_out;          /* to clients, of finished and counted streams */
	struct rate bytes_out_rate;  /* in units of 32 bytes */
	uint64_t accept_failures;    /* out of descriptors or memory */
	uint64_t no_memory;          /* streams ended for lack of memory */
	uint64_t start_ms;           /* clock_now_ms at start */
	uint64_t start_wall_us;      /* wall clock at start, microseconds since 1970 */
	bool stopping;               /* soft stop: no new sessions, ends with the last */
};
extern struct global_state *global_state;
/* "node" of the global section; NULL: the name of the host. */
extern const char *global_node;

#endif
