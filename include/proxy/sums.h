/* SPDX-License-Identifier: BSD-2-Clause */
/* What all processes together have counted of proxies, servers and listeners (tally/tally.h). */
#ifndef PROXY_SUMS_H
#define PROXY_SUMS_H

#include "net/listener.h"
#include "proxy/proxy.h"
#include "tally/tally.h"

/* Of all processes; rates are to be read at clock_now_ms. side: PROXY_FRONTEND or PROXY_BACKEND,
 * which the proxy must have. */
void proxy_sum(const struct proxy *px, unsigned side, struct proxy_tally *out);
void server_sum(const struct server *s, struct server_tally *out);
void listener_sum(const struct listener *l, struct listener_tally *out);
/* Of one row. */
void server_row(const struct server *s, unsigned row, struct server_tally *out);

static inline unsigned server_sessions(const struct server *s)
{
	return gauge_sum(&s->tally->current);
}

/* In its own queue. */
static inline unsigned server_queued(const struct server *s)
{
	return gauge_sum(&s->tally->queued);
}

static inline unsigned frontend_sessions(const struct proxy *px)
{
	return gauge_sum(&px->fe->current);
}

static inline unsigned backend_sessions(const struct proxy *px)
{
	return gauge_sum(&px->be->current);
}

/* In its own queue and those of its servers. */
static inline unsigned backend_queued(const struct proxy *px)
{
	return gauge_sum(&px->be->total_queued);
}

/* On its servers. */
static inline unsigned backend_served(const struct proxy *px)
{
	return gauge_sum(&px->be->served);
}

static inline unsigned listener_sessions(const struct listener *l)
{
	return gauge_sum(&l->tally->current);
}

/* Settles the maxima of all objects of the running generation (tally_start). Does anything move? */
bool sums_settle(void);
/* "clear counters": those of this process, in the running generation. all: not only the maxima. */
void tallies_clear(bool all);
/* From now on connections with TLS are counted (tls/conn.h). tls_counted.c */
void tls_count(void);

#endif
