/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that serves alone stays where its memory is: on the processors of one node. Called
 * once, at the start; a machine with one node, or without sysfs, sees nothing of it. */
#include "process/numa.h"

#include "log/log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool numa_parse_list(const char *text, cpu_set_t *set)
{
	unsigned long low, high;
	char *end;

	CPU_ZERO(set);
	while (isdigit((unsigned char)*text)) {
		low = high = strtoul(text, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			high = strtoul(end + 1, &end, 10);
		if (high < low || high >= CPU_SETSIZE)
			return false;
		for (; low <= high; low++)
			CPU_SET(low, set);
		if (*end != ',')
			return !*end || *end == '\n';
		text = end + 1;
	}
	return false;
}

static bool read_node(const char *folder, unsigned node, cpu_set_t *set)
{
	char path[256], line[4096];
	bool is;
	FILE *f;

	snprintf(path, sizeof(path), "%s/node%u/cpulist", folder, node);
	f = fopen(path, "re");
	if (!f)
		return false;
	is = fgets(line, sizeof(line), f) && numa_parse_list(line, set);
	fclose(f);
	return is;
}

/* The number of "node12"; -1: it is the name of something else. */
static long node_number(const char *name)
{
	char *end;
	long n;

	if (strncmp(name, "node", 4) != 0 || !isdigit((unsigned char)name[4]))
		return -1;
	n = strtol(name + 4, &end, 10);
	return *end ? -1 : n;
}

/* Nodes of memory alone have an empty list. Numbers may have gaps. */
bool numa_first_node(const char *folder, cpu_set_t *set)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	long node, first = -1;
	unsigned found = 0;
	cpu_set_t one;

	while (dir && (entry = readdir(dir))) {
		node = node_number(entry->d_name);
		if (node < 0 || !read_node(folder, (unsigned)node, &one))
			continue;
		found++;
		if (first < 0 || node < first) {
			first = node;
			*set = one;
		}
	}
	if (dir)
		closedir(dir);
	return found > 1;
}

void numa_bind(void)
{
	cpu_set_t now, node;

	if (sched_getaffinity(0, sizeof(now), &now) < 0 ||
	    CPU_COUNT(&now) < sysconf(_SC_NPROCESSORS_ONLN) || !numa_first_node(NUMA_FOLDER, &node))
		return;
	CPU_AND(&node, &node, &now);
	if (CPU_COUNT(&node) && sched_setaffinity(0, sizeof(node), &node) < 0)
		log_process(LOG_L_WARNING, "numa-cpu-mapping: cannot stay on one node: %s.",
			    strerror(errno));
}
