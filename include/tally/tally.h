/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all processes together have counted. Each process writes the tallies of its own row, plainly
 * (tally/tallies.h); who shows numbers, or compares them with a limit, asks here. Where there is one
 * process the answers are its own numbers. What is asked of a proxy, a server or a listener is in
 * proxy/sums.h. See doc/internals/processes.md.
 */
#ifndef TALLY_TALLY_H
#define TALLY_TALLY_H

#include "base/bug.h"
#include "share/segment.h"
#include "tally/tallies.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* Are there other rows? */
extern bool tally_shared;

/* ---- sums ------------------------------------------------------------------------------ */

/* Of all processes, of the tally own of this one, which is that of a slot of this kind; rates are to
 * be read at clock_now_ms. */
void tally_sum(enum segment_kind kind, const void *own, void *out);
/* Of one row. */
void tally_row(enum segment_kind kind, const void *own, unsigned row, void *out);
void global_sum(struct global_tally *out);
/* Which row tally_sum speaks of: of all when it is -1. Set around a command that is to show one
 * process. Gauges (below) are always those of all. */
extern int tally_shown_row;

/* The sum of a rate over the processes, at clock_now_ms; own: that of this process. */
uint64_t rate_sum(const struct rate *own);

/* Of one counter in a tally. */
uint64_t counter_sum(const uint64_t *own);

/* The sum over all rows of a gauge in a tally of this process. Sequentially consistent. */
unsigned gauge_sum_rows(const unsigned *own);

static inline unsigned gauge_sum(const unsigned *own)
{
	return unlikely(tally_shared) ? gauge_sum_rows(own) : *own;
}

/* The same, what others have as it was up to a millisecond ago: for log lines, of which many a
 * millisecond may say it. */
unsigned gauge_sum_recent(const unsigned *own);

static inline unsigned global_sessions(void)
{
	return gauge_sum(&global_tally->current);
}

/* Says what all layers have counted in this process and what they have now, into zeroed memory: for
 * global_tally, by the names of counted.def. Installed by an upper layer. Asked before a sum, and
 * each second while anything moves. */
extern void (*tally_collect)(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW]);
/* It is asked now. Has anything moved? *open: there are connections or streams whose end would not be
 * told, so it is to be asked again. */
bool tally_note_counted(bool *open);

/* ---- rows that end: the parent --------------------------------------------------------- */

/* The process of that row has died: nothing of it is under way any more. Counters stay. */
void tally_drop_gauges(unsigned row);
/* A row whose process has ended, of a generation that has ended: its counters are added to row 0,
 * it is emptied and free. */
void tally_fold_row(unsigned row);
/* Are gauges of rows without process zero? 0, or -1 and err. With segment_check. */
int tally_check(struct err *err);

#endif
