/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that serves gives up what serving does not need: rights first, then system calls. */
#ifndef PROCESS_CONFINE_H
#define PROCESS_CONFINE_H

struct args;
struct err;
struct process_conf;

/* When everything is open and bound: root directory, user, capabilities, making of processes.
 * 0, or -1 and err. */
int confine_rights(const struct process_conf *conf, const struct args *args, struct err *err);
/* As the last thing before the loop: the filter of system calls, unless commands run or the
 * configuration does not want it. Where the kernel has none, a warning says so. */
void confine_calls(const struct process_conf *conf, const struct args *args);

#endif
