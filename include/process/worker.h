/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that serves: what it is, and what others may ask of the parent about it. */
#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum process_role { ROLE_ONLY, /* no workers: it does everything itself */
		    ROLE_PARENT, ROLE_WORKER };
extern enum process_role process_role;
/* Worker 1..N; 0: parent, or the only one. */
extern unsigned worker_number;
/* Of the configuration in this process: counts reloads. */
extern uint32_t process_generation;

/* Opens a conversation with the process of this row, as if with its stats socket (level as of
 * bind lines, LEVEL_*). opened(arg, fd, error) hears the descriptor (it owns it from then on), or
 * -1 and a sentence. Serves "show sess" for all and @N of the parent's socket. */
void talk_open(unsigned row, int level, void (*opened)(void *arg, int fd, const char *error),
	       void *arg);
/* Installed by cli/: serves a talk: takes over fd. */
extern void (*talk_serve)(int fd, int level);

#endif
