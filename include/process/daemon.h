/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard descriptors, background operation, pid file. */
#ifndef PROCESS_DAEMON_H
#define PROCESS_DAEMON_H

#include <stdbool.h>

struct err;

/* First thing in main(): descriptors 0, 1 and 2 that the caller has closed lead to /dev/null. Else
 * what is opened next would get their numbers, and be written to as standard error, or be replaced
 * when the terminal is left. */
void standard_fill(void);
/* Forks; the child goes on, the parent exits when the child is ready (0) or has failed. */
int daemon_start(struct err *err);
/* Lets the parent go and leaves the terminal. Without daemon_start it does nothing. */
void daemon_ready(void);
/* In a worker: leaves the terminal, too, but says nothing. */
void daemon_leave(void);
/* Writes our process id and a line feed. 0, or -1 and err. */
int pidfile_write(const char *path, struct err *err);
/* Does it say so already? */
bool pidfile_is_ours(const char *path);

#endif
