/* SPDX-License-Identifier: BSD-2-Clause */
/* A small table of descriptors. Called by the owners of such memory and by process/handover.c;
 * never looks into the memory. */
#include "base/kept.h"

#include "base/bug.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_MOST = 16, NAME_SIZE = 32 };

static struct {
	char name[NAME_SIZE];
	int fd;
} kept[KEPT_MOST];
static unsigned kept_count;

static unsigned kept_find(const char *name)
{
	unsigned i;

	for (i = 0; i < kept_count && strcmp(kept[i].name, name); i++)
		;
	return i;
}

void kept_set(const char *name, int fd)
{
	unsigned i = kept_find(name);

	BUG_ON(i == KEPT_MOST || strlen(name) >= NAME_SIZE);
	if (i < kept_count) {
		if (kept[i].fd != fd)
			close(kept[i].fd);
	} else {
		snprintf(kept[i].name, sizeof(kept[i].name), "%s", name);
		kept_count++;
	}
	kept[i].fd = fd;
}

int kept_get(const char *name)
{
	unsigned i = kept_find(name);

	return i < kept_count ? kept[i].fd : -1;
}

void kept_each(void (*fn)(const char *name, int fd, void *arg), void *arg)
{
	unsigned i;

	for (i = 0; i < kept_count; i++)
		fn(kept[i].name, kept[i].fd, arg);
}

void kept_forget(void)
{
	while (kept_count)
		close(kept[--kept_count].fd);
}
