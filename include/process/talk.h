/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversations between processes: a Unix socket pair that the parent makes and passes to both
 * sides. Used through include/event/talk.h; the rest is between changes.c and talk.c. */
#ifndef PROCESS_TALK_H
#define PROCESS_TALK_H

struct channel;
struct frame;

/* Which side of channels this process is on. */
void talk_parent(void);
void talk_worker(struct channel *parent);
/* Frames: MSG_TALK in the parent; MSG_TALK_SAID and MSG_TALK in workers. */
void talk_wanted(struct channel *channel, const struct frame *frame);
void talk_here(struct frame *frame);
void talk_asked(struct frame *frame);
void talk_orphaned(void);
/* The parent at the other end of a new channel knows nothing of what was asked. */
void talk_moved(void);

/* The worker of this row; NULL: there is none. process/changes.c */
struct channel *changes_channel(unsigned row);

#endif
