/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers in the text format of Prometheus (version 0.0.4), piece by piece; metrics.def
 * lists them. */
#ifndef STATS_METRICS_H
#define STATS_METRICS_H

#include "stats/info.h"
#include "stats/stat.h"

/* Parts of the export, in the order in which they are said. */
enum metrics_part { METRICS_PROCESS, METRICS_FRONTEND, METRICS_LISTENER, METRICS_BACKEND,
		    METRICS_SERVER, METRICS_TABLE, METRICS_PARTS };

enum { METRICS_STATES = 16 }; /* most states that a metric has a line for */

struct stick_line;

/* An export that is being said. */
struct metrics {
	unsigned parts;   /* 1 << enum metrics_part or'ed */
	unsigned options; /* STAT_NO_MAINT */
	/* How far it has come: */
	enum metrics_part part;
	unsigned metric;  /* row of metrics.def */
	unsigned state;   /* line of the object, for metrics with a line a state */
	const char *said; /* name of the metric whose header was said last */
	bool has_object;
	unsigned counts[METRICS_STATES];
	const struct stick_line *table; /* to be said next; its entries are being counted */
	uint32_t place, alive;
	unsigned places;                /* that may still be looked at before others have their turn */
	struct stat_scan scan;
	union {
		struct stat_row row;
		struct info info;
	};
};

/* query: the part of the URI behind "?": scope=global|frontend|listener|backend|server|
 * sticktable|* (repeated: all of them), no-maint. 0; -1: it is malformed, or has an unknown scope. */
int metrics_init(struct metrics *m, struct span query);
/* The next piece, at most 4 kB; false: that was the last. resumed: something else has run since
 * the last call. */
bool metrics_say(struct metrics *m, struct text *out, bool resumed);

#endif
