/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process may do once everything is open: root directory, user, group, capabilities. */
#ifndef PROCESS_RIGHTS_H
#define PROCESS_RIGHTS_H

#include "process/caps.h"

#include <stdbool.h>

struct err;
struct process_conf;

/* What it will need all the same. */
struct rights {
	caps_set caps; /* besides those of "setcap" */
	bool fork;     /* it runs commands */
	bool setuid;   /* whose setuid bits count */
};

/* chroot, group, user, capabilities, no_new_privs, in this order; dumps if they are wanted. Root
 * that stays root keeps what its sockets and files need, or all when it runs commands. 0, or
 * -1 and err. */
int rights_drop(const struct process_conf *conf, const struct rights *wanted, struct err *err);
/* From now on this process cannot make others, unless it is root's (-dI allows it). */
void rights_forbid_processes(void);
/* Limits the memory that this process may allocate (-m); 0: no limit. 0, or -1 and err. */
int rights_memory(int megabytes, struct err *err);

#endif
