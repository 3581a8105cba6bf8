/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the whole program, for limits and for show info. */
#ifndef PROXY_GLOBAL_H
#define PROXY_GLOBAL_H

#include "base/rate.h"

#include <stdbool.h>
#include <stdint.h>

/* The names of counted.def: places in `counted` and `now` of a tally. */
enum {
#define COUNTED(name) COUNTED_##name,
#define NOW(name)
#include "proxy/counted.def"
#undef COUNTED
#undef NOW
	TALLY_COUNTED
};
enum {
#define COUNTED(name)
#define NOW(name) NOW_##name,
#include "proxy/counted.def"
#undef COUNTED
#undef NOW
	TALLY_NOW
};

/* What this process counts: a cell of its row in the segment. The sums: proxy/tally.h. */
struct global_tally {
	unsigned current;            /* client connections now */
	unsigned admitting;          /* not counted yet, to be among the rates in a moment */
	uint64_t cum_conns, cum_sessions, cum_requests;
	struct rate conn_rate, sess_rate;
	unsigned tls_current;        /* connections with TLS: accepted (also before they have shaken
				      * hands), and those to servers */
	uint64_t cum_tls;
	struct rate tls_rate;        /* accepted for TLS */
	struct rate tls_front_keys, tls_back_keys; /* handshakes that resumed nothing */
	uint64_t bytes_out;          /* to clients, of finished and counted streams */
	struct rate bytes_out_rate;  /* in units of 32 bytes */
	struct rate comp_in_rate, comp_out_rate; /* bytes into and out of compression */
	uint64_t accept_failures;    /* out of descriptors or memory */
	uint64_t no_memory;          /* streams ended for lack of memory */
	uint64_t bad_messages;       /* wrong requests and responses that were kept to be shown */
	/* What all layers count in memory of their own, as it stood at the last tally_collect. */
	uint64_t counted[TALLY_COUNTED], now[TALLY_NOW];
};
extern struct global_tally *global_tally;

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
