/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that serves: what it is, and what others may ask of the parent about it. */
#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H

#include <stdbool.h>
#include <stdint.h>

enum process_role { ROLE_ONLY, /* no workers: it does everything itself */
		    ROLE_PARENT, ROLE_WORKER };
extern enum process_role process_role;
/* Worker 1..N; 0: parent, or the only one. */
extern unsigned worker_number;
/* Of the configuration in this process: counts reloads. */
extern uint32_t process_generation;

#endif
