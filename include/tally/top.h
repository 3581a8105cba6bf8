/* SPDX-License-Identifier: BSD-2-Clause */
/* Maxima of what is counted: of this process, and of the sums over all. */
#ifndef TALLY_TOP_H
#define TALLY_TOP_H

#include "tally/counters.h"

#include <stdbool.h>
#include <stdint.h>

/* shared: there are rows of other processes. settles: calls tally_settle for all objects; does
 * anything move? */
void tally_start(bool shared, bool (*settles)(void));

/* A gauge of this process is higher than it was for a while: raises *max, and *top to the sum. */
void tally_new_height(uint64_t *max, uint64_t *top, const unsigned *gauge, unsigned limit);

/* After a gauge was raised: max and top are the counters that go with it. A sum above limit (0: no
 * limit) counts a place that another process takes, finds one too many and gives back. */
static inline void tally_raise(uint64_t *max, uint64_t *top, const unsigned *gauge, unsigned limit)
{
	if (*gauge > *max)
		tally_new_height(max, top, gauge, limit);
}

/* The own heights of these counters are what they are now, so that the next rise is seen. Was any
 * of them another? */
bool tally_settle(struct counters *c, unsigned current, unsigned queued);
/* What all layers count (tally_collect) has changed, and perhaps nothing else does: it is asked for
 * soon. */
void tally_stir(void);

#endif
