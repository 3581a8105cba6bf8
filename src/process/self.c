/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is. Set by parent.c, forking.c, handover.c and reload.c. */
#include "process/self.h"

#include "expr/state.h"

enum process_role process_role;
unsigned worker_number;
uint32_t process_generation = 1;
bool handover_taken;
struct reload_info reload_info;

void process_set_generation(uint32_t generation)
{
	process_generation = generation;
	expr_process.generation = generation;
}
