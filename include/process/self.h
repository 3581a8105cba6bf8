/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is: its role, its generation, and the reloads that have led to it. */
#ifndef PROCESS_SELF_H
#define PROCESS_SELF_H

#include <stdbool.h>
#include <stdint.h>

enum process_role { ROLE_ONLY, /* no workers: it does everything itself */
		    ROLE_PARENT, ROLE_WORKER };
extern enum process_role process_role;
/* Worker 1..N; 0: parent, or the only one. */
extern unsigned worker_number;
/* Of the configuration in this process: counts reloads. */
extern uint32_t process_generation;
void process_set_generation(uint32_t generation);

/* Has an earlier image left something to this one (process/handover.h)? Then `workers` has its
 * workers, and the sockets it kept are found by listener_open. */
extern bool handover_taken;

struct reload_info {
	unsigned reloads;     /* since the parent's first start, also those that failed */
	unsigned failed;      /* since the last that went well */
	bool last_failed;
	uint64_t started_ms;  /* clock of the system: first start of the parent */
};
extern struct reload_info reload_info;

#endif
