/* SPDX-License-Identifier: BSD-2-Clause */
/* Tallies: what one process counts of an object, in a cell of its row of the segment. Numbers alone,
 * no pointers. Written by this process alone, plainly; who shows or compares asks for sums
 * (tally/tally.h; of proxies and servers proxy/sums.h). What two tallies come to, which members are
 * gauges, and the layout of cells name each member: tally/join.c, tally/ended_rows.c,
 * proxy/cell.c. */
#ifndef TALLY_TALLIES_H
#define TALLY_TALLIES_H

#include "base/rate.h"
#include "http/h1_counts.h"
#include "http/h2_counts.h"
#include "tally/counters.h"

#include <stdint.h>

/* What this process counts: a cell of its row in the segment. A listen section has two: as
 * frontend, as backend. Written by this process alone, plainly; who shows or compares asks
 * proxy_sum() (proxy/sums.h). */
struct proxy_tally {
	unsigned current;       /* sessions now: gauge */
	unsigned queued;        /* in the backend's queue: gauge */
	unsigned total_queued;  /* there and in the servers' queues */
	unsigned served;        /* backend: sessions on servers */
	unsigned retrying;      /* backend: of them, retries: proxy/budget.h */
	unsigned admitting;     /* frontend: not counted yet, to be among its rates in a moment */
	unsigned ended;         /* the backend has left, and so has this process: tally/slot_life.c */
	unsigned chosen;        /* backend: choices of balancing; counts on for ever */
	uint64_t first_waiter;  /* queue/waiters.h: of the backend's queue */
	uint64_t last_session_s;
	struct times times;     /* backend */
	uint64_t log_lines;     /* frontend: traffic lines logged, %lc */
	struct h1_counts h1;    /* with some gauges */
	struct h2_counts h2;    /* the same */
	struct counters counters;
};

/* What this process counts of a server: a cell of its row in the segment. Written by this process
 * alone, plainly; who shows or compares asks server_sum() (proxy/sums.h). */
struct server_tally {
	unsigned current;       /* sessions now on it: gauge */
	unsigned queued;        /* waiting in its queue: gauge */
	unsigned taken;         /* "strict-maxconn": sessions, and connections kept: gauge */
	unsigned chosen;        /* leastconn: how often; counts on for ever */
	uint64_t first_waiter;  /* queue/waiters.h: of that queue */
	unsigned idle, idle_safe, idle_need; /* of struct server, as they stood last */
	uint64_t last_session_s; /* wall seconds of the last session; 0: none */
	uint64_t latency;       /* proxy/latency.h; 0: nothing was measured */
	uint64_t answered, failed, answered_us; /* "eject": tries, bad ones; us of the good ones */
	unsigned ended;         /* the server has left, and so has this process: tally/slot_life.c */
	struct times times;
	struct counters counters;
};

/* What this process counts of a listener: a cell of its row in the segment. */
struct listener_tally {
	unsigned current; /* connections now; kept by whoever took them */
	struct counters counters;
};

/* The names of counted.def: places in `counted` and `now` of a tally. */
enum {
#define COUNTED(name) COUNTED_##name,
#define NOW(name)
#include "tally/counted.def"
#undef COUNTED
#undef NOW
	TALLY_COUNTED
};
enum {
#define COUNTED(name)
#define NOW(name) NOW_##name,
#include "tally/counted.def"
#undef COUNTED
#undef NOW
	TALLY_NOW
};

/* What this process counts: a cell of its row in the segment. The sums: tally/tally.h. */
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

#endif
