/* SPDX-License-Identifier: BSD-2-Clause */
/* The ordered log of changes, and talks, over the channels between parent and workers
 * (doc/internals/processes.md). */
#ifndef PROCESS_CHANGES_H
#define PROCESS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel;
struct frame;

/* -- the parent ---------------------------------------------------------------------------- */

/* From now on change_submit applies here and tells all workers. */
void changes_parent(void);
/* A worker has been forked; old: of an earlier generation, which may not know all names: what it
 * cannot apply does not end it. */
void changes_add(struct channel *channel, unsigned row, bool old);
/* It is of an earlier generation, or, as none follows, of the present one. */
void changes_set_old(struct channel *channel, bool old);
/* More than CHANGES_BACKLOG bytes of earlier changes wait for a worker, which was stopped or hangs:
 * it hears of no more, and must be ended. The same for one that asks and does not read the answers,
 * when those and the largest change are more. May be NULL. Not called twice for one. */
enum { CHANGES_BACKLOG = 16 << 20 };
extern void (*changes_overdue)(struct channel *channel);
/* It has ended; the channel is about to be freed. */
void changes_remove(struct channel *channel);
/* A frame of a worker. false: it is of another kind, or nonsense. */
bool changes_from_worker(struct channel *channel, struct frame *frame);
/* Makes the change of this frame in this memory, tells nobody. 0, or -1 and err. */
enum { CHANGES_FRAME_MOST = 64 << 20 };
struct err;
struct text;
int changes_make(const char *frame, size_t len, struct text *said, struct err *err);
/* Where changes are made in the parent's place; as changes_make. NULL: in its own memory. */
extern int (*changes_delegate)(const char *frame, size_t len, struct text *said, struct err *err);
/* In a fresh child: forgets all the parent knew of other workers. */
void changes_forget_workers(void);

/* -- a worker ------------------------------------------------------------------------------ */

/* From now on change_submit asks the parent at the other end. */
void changes_worker(struct channel *parent);
/* The parent executes itself anew, and hears us over this channel. What it has not answered it has
 * not read: it is said again. */
void changes_moved(struct channel *parent);
/* A frame of the parent. false: it is of another kind. What cannot be applied ends the process,
 * unless changes_old is set. */
bool changes_from_parent(struct frame *frame);
/* The parent has gone: who waits for an answer hears so, and so does who asks later. */
void changes_orphaned(void);
/* This process belongs to an earlier generation. */
extern bool changes_old;

#endif
