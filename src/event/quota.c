/* SPDX-License-Identifier: BSD-2-Clause */
/* Quotas of control groups (cgroups(7); admin-guide/cgroup-v2 and scheduler/sched-bwc of the
 * kernel). Read once, at the start. */
#include "event/quota.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The number of a file; -1: none, or it says "max". second: the one behind it, if any. */
static int64_t quota_number(const char *folder, const char *name, int64_t *second)
{
	long long first = -1, behind = -1;
	char path[PATH_MAX + 32];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	n = fscanf(f, "%lld %lld", &first, &behind);
	fclose(f);
	if (second && n > 1)
		*second = behind;
	return n > 0 ? first : -1;
}

/* One folder: has it a quota below so many processors? */
static bool quota_here(const char *folder, unsigned processors)
{
	int64_t period = -1, quota = quota_number(folder, "cpu.max", &period);

	if (quota < 0) {
		quota = quota_number(folder, "cpu.cfs_quota_us", NULL);
		period = quota_number(folder, "cpu.cfs_period_us", NULL);
	}
	return quota > 0 && period > 0 && quota < period * processors;
}

/* The group's folder and those above it. */
static bool quota_above(const char *root, const char *group, unsigned processors)
{
	size_t least = strlen(root);
	char path[PATH_MAX];
	char *end;

	if (snprintf(path, sizeof(path), "%s%s", root, group) >= PATH_MAX)
		return false;
	while (strlen(path) >= least) {
		if (quota_here(path, processors))
			return true;
		end = strrchr(path, '/');
		if (!end)
			break;
		*end = 0;
	}
	return false;
}

/* A line "0::/group", or "4:cpu,cpuacct:/group" whose names are those of its folder. */
static bool quota_of_line(char *line, const char *root, unsigned processors)
{
	char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
	char path[PATH_MAX];

	if (!group)
		return false;
	line[strcspn(line, "\n")] = 0;
	*group++ = 0;
	names++;
	if (!*names)
		return quota_above(root, group, processors);
	if (strcmp(names, "cpu") != 0 && strncmp(names, "cpu,", 4) != 0)
		return false;
	return snprintf(path, sizeof(path), "%s/%s", root, names) < PATH_MAX &&
	       quota_above(path, group, processors);
}

bool quota_below(const char *groups, const char *root, unsigned processors)
{
	FILE *f = fopen(groups, "re");
	char line[PATH_MAX];
	bool below = false;

	if (!f)
		return false;
	while (!below && fgets(line, sizeof(line), f))
		below = quota_of_line(line, root, processors);
	fclose(f);
	return below;
}
