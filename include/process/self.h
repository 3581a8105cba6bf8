/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is: its role, its generation, and the reloads that have led to it. */
#ifndef PROCESS_SELF_H
#define PROCESS_SELF_H

#include <stdbool.h>
#include <stdint.h>

enum process_role { ROLE_ONLY, /* no workers: it does everything itself */
		    ROLE_PARENT, ROLE_WORKER };
struct process_self {
	enum process_role role; /* written by parent.c, and by forking.c in a worker */
	unsigned number;        /* worker 1..N, written by forking.c; 0: parent, or the only one */
	uint32_t generation;    /* of the configuration in this process: counts reloads. Written
				 * by process_set_generation */
	/* An earlier image has left something to this one: `workers` has its workers, and the
	 * sockets it kept are found by listener_open. Written by handover.c. */
	bool taken_over;
};
extern struct process_self process_self;
void process_set_generation(uint32_t generation);

struct reload_info {
	unsigned reloads;     /* since the parent's first start, also those that failed */
	unsigned failed;      /* since the last that went well */
	bool last_failed;
	uint64_t started_ms;  /* clock of the system: first start of the parent */
};
extern struct reload_info reload_info;

#endif
