/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all processes together have counted. Each process writes the tallies of its own row, plainly
 * (px->fe, px->be, s->tally, l->tally, global_tally); who shows numbers, or compares them with a
 * limit, asks here. Where there is one process the answers are its own numbers.
 * See doc/internals/processes.md.
 */
#ifndef PROXY_TALLY_H
#define PROXY_TALLY_H

#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"

struct err;

/* ---- laying out: proxy/state.c --------------------------------------------------------- */

/* Where states and tallies are to lie: set before the configuration is finished. */
struct tally_room {
	unsigned rows;           /* that the segment is to have; 1: one process that forks no workers */
	unsigned workers;        /* how many of them workers of the configuration take at once */
	struct segment *segment; /* of an earlier image of this program. Finishing takes the
				  * segment over and sets this to NULL. With too few free rows in
				  * it, a new segment is made instead */
	bool began_anew;         /* it had too few and is gone */
};
extern struct tally_room tally_room;
/* segment_attach for this program's layout of cells. Takes over fd if it succeeds. NULL and err */
struct segment *states_attach(int fd, struct err *err);
/* Points all tallies of the running generation to this row: in a worker, right after fork. Sets
 * segment_own_row. */
void states_own_row(unsigned row);

/* ---- sums ------------------------------------------------------------------------------ */

/* Of all processes; rates are to be read at clock_now_ms. side: PROXY_FRONTEND or PROXY_BACKEND,
 * which the proxy must have. */
void proxy_sum(const struct proxy *px, unsigned side, struct proxy_tally *out);
void server_sum(const struct server *s, struct server_tally *out);
void listener_sum(const struct listener *l, struct listener_tally *out);
void global_sum(struct global_tally *out);
/* Of one row. */
void server_row(const struct server *s, unsigned row, struct server_tally *out);
/* Which row the functions *_sum speak of: of all when it is -1. Set around a command that is to
 * show one process. Gauges (below) are always those of all. */
extern int tally_shown_row;

/* The sum of a rate over the processes, at clock_now_ms; own: that of this process. */
uint64_t rate_sum(const struct rate *own);

/* Of one counter in a tally. */
uint64_t counter_sum(const uint64_t *own);

/* From now on connections with TLS are counted (tls/conn.h). */
void tally_watch_tls(void);
/* Are there other rows? */
extern bool tally_shared;
void tally_start(bool shared);
/* The sum over all rows of a gauge in a tally of this process. Sequentially consistent. */
unsigned gauge_sum_rows(const unsigned *own);

static inline unsigned gauge_sum(const unsigned *own)
{
	return unlikely(tally_shared) ? gauge_sum_rows(own) : *own;
}

/* The same, what others have as it was up to a millisecond ago: for log lines, of which many a
 * millisecond may say it. */
unsigned gauge_sum_recent(const unsigned *own);

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

static inline unsigned global_sessions(void)
{
	return gauge_sum(&global_tally->current);
}

/* Says what all layers have counted in this process and what they have now, into zeroed memory: for
 * global_tally, by the names of counted.def. Installed by an upper layer. Asked before a sum, and
 * each second while anything moves. */
extern void (*tally_collect)(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW]);
/* Something of it has changed, and perhaps nothing else does: it is asked for soon. */
void tally_stir(void);

/* ---- maxima ---------------------------------------------------------------------------- */

/* A gauge of this process is higher than it was for a while: raises *max, and *top to the sum. */
void tally_new_height(uint64_t *max, uint64_t *top, const unsigned *gauge, unsigned limit);

/* After a gauge was raised: max and top are the counters that go with it. A sum above limit (0: no
 * limit) counts a place that another process takes, finds one too many and gives back. */
static inline void tally_raise(uint64_t *max, uint64_t *top, const unsigned *gauge, unsigned limit)
{
	if (*gauge > *max)
		tally_new_height(max, top, gauge, limit);
}

/* ---- rows that end: the parent --------------------------------------------------------- */

/* The process of that row has died: nothing of it is under way any more. Counters stay. */
void tally_drop_gauges(unsigned row);
/* A row whose process has ended, of a generation that has ended: its counters are added to row 0,
 * it is emptied and free. */
void tally_fold_row(unsigned row);
/* Are gauges of rows without process zero? 0, or -1 and err. With segment_check. */
int tally_check(struct err *err);

/* "clear counters": those of this process, in the running generation. all: not only the maxima. */
void tallies_clear(bool all);

#endif
