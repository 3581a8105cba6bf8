/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes where there is one process: applied at once; nobody to talk to. With several, the way to
 * the parent, which process/changes.c has installed. Called by the stats socket, checks and rules. */
#include "event/change.h"

#include "base/err.h"
#include "base/str.h"
#include "event/talk.h"

#include <string.h>

const struct change_kind *const *change_kinds;
bool change_first = true;
unsigned (*change_route)(const struct change_kind *kind, const void *bytes, size_t len,
			 change_done *done, void *arg);
void (*change_route_forget)(unsigned ticket);
unsigned (*talk_open)(unsigned row, int level, talk_opened *opened, void *arg);
void (*talk_forget)(unsigned ticket);
void (*talk_serve)(int fd, int level);

const struct change_kind *change_kind_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; change_kinds && change_kinds[i]; i++)
		if (strlen(change_kinds[i]->name) == len && !memcmp(change_kinds[i]->name, name, len))
			return change_kinds[i];
	return NULL;
}

unsigned change_submit(const struct change_kind *kind, const void *bytes, size_t len,
		       change_done *done, void *arg)
{
	char memory[CHANGE_SAID];
	struct err err = { "" };
	struct text said;
	int rc;

	if (change_route)
		return change_route(kind, bytes, len, done, arg);
	text_init(&said, memory, sizeof(memory));
	rc = kind->apply(bytes, len, &said, &err);
	if (done)
		done(arg, rc < 0 ? err.text : NULL, said.ptr, said.len);
	return 0;
}

void change_forget(unsigned ticket)
{
	if (ticket && change_route_forget)
		change_route_forget(ticket);
}

bool change_is_shared(void)
{
	return change_route != NULL;
}
