/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of run-time things that are no numbers of one's own: they go through one ordered log, so
 * that all processes make the same changes in the same order (doc/internals/processes.md). Where
 * there is one process, a task carries them out, in order: never is anything changed, or ended for
 * it, inside of the callback that has submitted (doc/internals/architecture.md, "Who acts on
 * others"). process/changes.c installs the way to the parent.
 */
#ifndef EVENT_CHANGE_H
#define EVENT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct text;

enum { CHANGE_SAID = 8192 }; /* most that a change can say */

/* How one kind of change is carried out. */
struct change_kind {
	const char *name;
	/* Carries it out in this process. said: what the one who submitted is told, where
	 * change_first is set; elsewhere it is thrown away. 0; or -1 and err, having changed
	 * nothing. The same bytes must do the same everywhere. */
	int (*apply)(const void *bytes, size_t len, struct text *said, struct err *err);
	bool by_parent; /* no worker may submit it */
};
/* All kinds, ended by NULL: by their names they are found when a change comes from another
 * process. Set once, by main. */
extern const struct change_kind *const *change_kinds;
const struct change_kind *change_kind_find(const char *name, size_t len);

/* What the submitter hears. error NULL: the change was carried out, everywhere or about to be,
 * before anything that is submitted later. said: what the change had to say, len bytes. */
typedef void change_done(void *arg, const char *error, const char *said, size_t len);

/* Asks for a change. done may be NULL, and may be called before this returns. Where the parent has
 * gone or cannot be reached, done hears an error. Returns a ticket for change_forget. */
unsigned change_submit(const struct change_kind *kind, const void *bytes, size_t len,
		       change_done *done, void *arg);
/* The one who submitted has gone: done is not called any more; the change goes its way. */
void change_forget(unsigned ticket);

/* One process: carries out what was submitted, now. Of the task that does it, and of tests: from
 * the loop alone. */
void changes_carry_out(void);

/* Are there several processes? */
bool change_is_shared(void);
/* false while a change is applied that another process speaks for: it has validated it, writes
 * the log lines and keeps the counts. true outside of any change. */
extern bool change_first;

/* The configuration has changes that a process is to carry out which keeps the rights of the start:
 * there is to be a parent, also of one process. Set while it is read. */
extern bool change_parent_wanted;

/* Installed by process/changes.c in parents and workers; NULL: one process. */
extern unsigned (*change_route)(const struct change_kind *kind, const void *bytes, size_t len,
				change_done *done, void *arg);
extern void (*change_route_forget)(unsigned ticket);

#endif
