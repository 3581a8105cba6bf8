/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of a frontend, backend, server or listener; counters.def documents each. They
 * are run-time numbers and live in the state segment, never in the configuration. */
#ifndef TALLY_COUNTERS_H
#define TALLY_COUNTERS_H

#include "base/rate.h"

#include <stddef.h>
#include <stdint.h>

/* A mean of the last values, milliseconds: exact for the first MEAN_SAMPLES, then each new one
 * takes the place of a mean one. */
enum { MEAN_SAMPLES = 1024 };
struct mean {
	uint64_t sum;
	uint32_t samples, max;
};
static inline void mean_add(struct mean *m, uint32_t value)
{
	if (m->samples < MEAN_SAMPLES)
		m->samples++;
	else if (m->sum)
		m->sum -= (m->sum + MEAN_SAMPLES - 1) / MEAN_SAMPLES;
	if (!value) /* as in queues and over kept connections */
		return;
	m->sum += value;
	if (value > m->max)
		m->max = value;
}
static inline uint32_t mean_read(const struct mean *m)
{
	return m->samples ? (uint32_t)((m->sum + m->samples - 1) / m->samples) : 0;
}

/* Of sessions that reached a server. response: in mode http. */
struct times {
	struct mean queue, connect, response, total;
};

struct counters {
#define COUNTER(name, text) uint64_t name;
#include "tally/counters.def"
#undef COUNTER
	struct rate session_rate;    /* sessions; .max is rate_max */
	struct rate connection_rate; /* connections; .max is conn_rate_max */
	struct rate request_rate;    /* HTTP requests of frontends */
	/* Of several processes: connections_max and queue_max of their sums; tally/top.c. */
	uint64_t connections_top, queue_top;
};

/* The counter of responses of a status: its offset, so that one look serves several objects. */
size_t counters_of_status(unsigned status);
static inline void counters_add_at(struct counters *c, size_t offset)
{
	(*(uint64_t *)(void *)((char *)c + offset))++;
}

/* Zeroes the counters; all: also the maxima's and cumulated ones ("clear counters all"),
 * otherwise the maxima only. */
void counters_clear(struct counters *c, int all);

#endif
