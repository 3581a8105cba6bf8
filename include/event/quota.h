/* SPDX-License-Identifier: BSD-2-Clause */
/* Is this process's processor time rationed? Whoever has used up his ration of a period, 100 ms as a
 * rule, stands still for the rest of it. Then time in which nothing is done is not free. */
#ifndef EVENT_QUOTA_H
#define EVENT_QUOTA_H

#include <stdbool.h>

/* Where the kernel tells: /proc/self/cgroup, and the folder in which control groups are mounted. */
#define QUOTA_GROUPS "/proc/self/cgroup"
#define QUOTA_ROOT "/sys/fs/cgroup"

/* Has the control group of this process, or one above it as far as it can see, a quota of less
 * processors than there are? Both versions of control groups: cpu.max, cpu.cfs_quota_us. False
 * where nothing is told. */
bool quota_below(const char *groups, const char *root, unsigned processors);

#endif
