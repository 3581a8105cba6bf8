/* SPDX-License-Identifier: BSD-2-Clause */
/* The run of a pump that has a chain of filters. Called by pump_run.c alone. */
#ifndef RELAY_PUMP_CHAIN_H
#define RELAY_PUMP_CHAIN_H

#include "base/io.h"
#include "base/result.h"

#include <stdbool.h>

struct pump;

/* One piece, as pump_move, or several that leave as one: all but one are taken off *moves, which
 * stays above 0. IO_OK: there may be more. */
MUST_USE enum io pump_chain_move(struct pump *pump, unsigned *moves);
/* The source has ended: filters have their last word. True: nothing is held. */
MUST_USE bool pump_chain_end(struct pump *pump);

#endif
