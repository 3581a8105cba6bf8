/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes where there is one process: a task carries them out, in the order in which they were
 * submitted; nobody to talk to. With several, the way to the parent, which process/changes.c has
 * installed. Called by the stats socket, checks and rules. */
#include "event/change.h"

#include "base/err.h"
#include "base/list.h"
#include "base/str.h"
#include "base/wipe.h"
#include "event/loop.h"
#include "event/talk.h"

#include <stdlib.h>
#include <string.h>

const struct change_kind *const *change_kinds;
bool change_first = true;
bool change_parent_wanted;
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
		if (strlen(change_kinds[i]->name) == len &&
		    !memcmp(change_kinds[i]->name, name, len))
			return change_kinds[i];
	return NULL;
}

/* -- one process ----------------------------------------------------------------------------- */

struct waiting {
	struct list node;
	const struct change_kind *kind;
	change_done *done;
	void *arg;
	unsigned ticket;
	size_t len;
	char *bytes;
};

static struct list waiting = LIST_INIT(waiting);
static unsigned last_ticket;

static void waiting_end(struct waiting *w)
{
	list_remove(&w->node);
	wipe_free(w->bytes);
	free(w);
}

static void carry_out(struct waiting *w)
{
	char memory[CHANGE_SAID];
	struct err err = { "" };
	struct text said;
	int rc;

	text_init(&said, memory, sizeof(memory));
	rc = w->kind->apply(w->bytes, w->len, &said, &err);
	if (w->done)
		w->done(w->arg, rc < 0 ? err.text : NULL, said.ptr, said.len);
	waiting_end(w);
}

void changes_carry_out(void)
{
	while (!list_empty(&waiting))
		carry_out(list_first(&waiting, struct waiting, node));
}

static void carry_out_task(struct task *task)
{
	(void)task;
	changes_carry_out();
}

static struct task carrier = { .node = LIST_INIT(carrier.node), .run = carry_out_task };

static unsigned submit_here(const struct change_kind *kind, const void *bytes, size_t len,
			    change_done *done, void *arg)
{
	struct waiting *w = calloc(1, sizeof(*w));
	char *copy = malloc(len ? len : 1);

	if (!w || !copy) {
		free(w);
		free(copy);
		if (done)
			done(arg, "Out of memory.", "", 0);
		return 0;
	}
	memcpy(copy, bytes, len);
	if (!++last_ticket)
		++last_ticket;
	*w = (struct waiting){ .kind = kind, .done = done, .arg = arg, .ticket = last_ticket,
			       .len = len, .bytes = copy };
	list_append(&waiting, &w->node);
	task_wake(&carrier);
	return w->ticket;
}

static void forget_here(unsigned ticket)
{
	struct waiting *w;

	list_for_each(w, &waiting, node)
		if (w->ticket == ticket)
			w->done = NULL;
}

/* -- all ------------------------------------------------------------------------------------- */

unsigned change_submit(const struct change_kind *kind, const void *bytes, size_t len,
		       change_done *done, void *arg)
{
	return (change_route ? change_route : submit_here)(kind, bytes, len, done, arg);
}

void change_forget(unsigned ticket)
{
	if (!ticket)
		return;
	if (!change_route)
		forget_here(ticket);
	else if (change_route_forget)
		change_route_forget(ticket);
}

bool change_is_shared(void)
{
	return change_route != NULL;
}
