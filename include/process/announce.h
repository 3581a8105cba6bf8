/* SPDX-License-Identifier: BSD-2-Clause */
/* A service that has started tells so. */
#ifndef PROCESS_ANNOUNCE_H
#define PROCESS_ANNOUNCE_H

struct args;
struct err;
struct process_conf;

/* All that was asked for serves: writes the pid file, tells the processes of -sf. 0, or -1 and err:
 * no pid file. After a reload the log is told of that instead. */
int announce_service(const struct process_conf *conf, const struct args *args, struct err *err);

#endif
