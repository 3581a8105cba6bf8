/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the whole program, for limits and for show info. */
#ifndef PROXY_GLOBAL_H
#define PROXY_GLOBAL_H

#include <stdbool.h>
#include <stdint.h>

/* What this process knows: the same in all processes, by the log of changes. */
struct global_state {
	unsigned maxconn;            /* in force */
	unsigned maxconn_rate, maxsess_rate; /* in force; 0: none */
	unsigned max_tls, max_tls_rate;      /* maxsslconn, maxsslrate */
	unsigned max_comp_rate;              /* kB (1024 bytes) into compression a second; 0:
					      * none */
	unsigned max_comp_cpu;               /* percent of a processor, of each process; 100:
					      * none */
	uint64_t start_ms;           /* clock_now_ms at start */
	uint64_t start_wall_us;      /* wall clock at start, microseconds since 1970 */
	bool stopping;               /* soft stop: no new sessions, ends with the last */
};
extern struct global_state *global_state;
/* "node" of the global section; NULL: the name of the host. */
extern const char *global_node;

#endif
