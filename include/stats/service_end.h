/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a stream that says the stats page or the metrics. For page_access.c. */
#ifndef STATS_SERVICE_END_H
#define STATS_SERVICE_END_H

#include "http/message.h"
#include "stats/metrics.h"
#include "stats/page.h"

struct arena;
struct end;

/* Make the end one; what it writes into the head of its answer lies in the arena. 0; -1: no
 * memory. */
int service_open_page(struct end *end, struct arena *arena, enum method method,
		      const struct page_request *req);
int service_open_metrics(struct end *end, struct arena *arena, enum method method,
			 const struct metrics *metrics);

#endif
