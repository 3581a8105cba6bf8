/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of this process among the others. Written by whoever starts several, read by
 * fetches and variables of the process. */
#include "expr/state.h"

#include "proxy/global.h"


struct expr_process expr_process = { .count = 1, .number = 1, .generation = 1 };

bool expr_process_stops(void)
{
	return (global_state && global_state->stopping) || expr_process.leaving;
}
