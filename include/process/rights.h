/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process may do once everything is open: root directory, user, group. */
#ifndef PROCESS_RIGHTS_H
#define PROCESS_RIGHTS_H

#include <stdbool.h>

struct err;
struct process_conf;

/* chroot, group, user, in this order. 0, or -1 and err. keep_network: connections need
 * CAP_NET_ADMIN or CAP_NET_RAW later (transparent sources, interfaces). */
int rights_drop(const struct process_conf *conf, bool keep_network, struct err *err);
/* From now on this process cannot make others, unless it is root's (-dI allows it). */
void rights_forbid_processes(void);
/* Limits the memory that this process may allocate (-m); 0: no limit. 0, or -1 and err. */
int rights_memory(int megabytes, struct err *err);

#endif
