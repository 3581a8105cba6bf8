/* SPDX-License-Identifier: BSD-2-Clause */
/* A small table of descriptors. Called by region.c and by process/handover.c; never looks into the
 * memory. */
#include "share/kept.h"

#include "base/bug.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_MOST = 16, NAME_SIZE = 32 };

static struct kept {
	char name[NAME_SIZE];
	int fd;    /* -1: refused */
	int *user;
} table[KEPT_MOST];
static unsigned count;

static struct kept *kept_find(const char *name)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static struct kept *kept_add(const char *name)
{
	struct kept *k = &table[count];

	BUG_ON(count == KEPT_MOST || strlen(name) >= NAME_SIZE);
	*k = (struct kept){ .fd = -1 };
	snprintf(k->name, sizeof(k->name), "%s", name);
	count++;
	return k;
}

static void kept_close(struct kept *k)
{
	if (k->fd >= 0)
		close(k->fd);
	if (k->user)
		*k->user = -1;
	k->fd = -1;
	k->user = NULL;
}

void kept_set(const char *name, int fd, int *user)
{
	struct kept *k = kept_find(name);

	if (!k)
		k = kept_add(name);
	if (k->fd != fd)
		kept_close(k);
	k->fd = fd;
	k->user = user;
}

bool kept_take(const char *name, int fd)
{
	bool fits = strlen(name) < NAME_SIZE && (count < KEPT_MOST || kept_find(name));

	if (fits)
		kept_set(name, fd, NULL);
	else
		close(fd);
	return fits;
}

void kept_leave(const int *user)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (table[i].user == user)
			table[i].user = NULL;
}

int kept_get(const char *name)
{
	const struct kept *k = kept_find(name);

	return k ? k->fd : -1;
}

void kept_refuse(const char *name)
{
	struct kept *k = kept_find(name);

	kept_close(k ? k : kept_add(name));
}

bool kept_known(const char *name)
{
	return kept_find(name);
}

void kept_each(void (*fn)(const char *name, int fd, void *arg), void *arg)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (table[i].fd >= 0)
			fn(table[i].name, table[i].fd, arg);
}

void kept_forget(void)
{
	while (count)
		kept_close(&table[--count]);
}
