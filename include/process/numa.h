/* SPDX-License-Identifier: BSD-2-Clause */
/* The processors of one memory node, where a machine has several (numa-cpu-mapping). */
#ifndef PROCESS_NUMA_H
#define PROCESS_NUMA_H

#include <sched.h>
#include <stdbool.h>

#define NUMA_FOLDER "/sys/devices/system/node"

/* "0-3,8,10-11", with or without a line end, into set. False: it is no such list. */
bool numa_parse_list(const char *text, cpu_set_t *set);
/* The processors of the first node that has any, below that folder of sysfs. False: fewer than two
 * nodes have processors, or nothing can be read there. */
bool numa_first_node(const char *folder, cpu_set_t *set);
/* Keeps this process on the processors of that node, unless somebody has chosen its processors
 * before (they are not all that are online). */
void numa_bind(void);

#endif
