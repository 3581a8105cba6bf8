/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is. Set by parent.c, forking.c, handover.c and reload.c. */
#include "process/self.h"

#include "expr/state.h"

struct process_self process_self = { .generation = 1 };
struct reload_info reload_info;

void process_set_generation(uint32_t generation)
{
	process_self.generation = generation;
	expr_process.generation = generation;
}
