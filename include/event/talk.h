/* SPDX-License-Identifier: BSD-2-Clause */
/* Asking another process of the same service, as if with its stats socket: the way there is
 * installed by process/talk.c. */
#ifndef EVENT_TALK_H
#define EVENT_TALK_H

/* What the one who asks hears: a connected, non-blocking descriptor that it owns from then on; or
 * -1 and a sentence. */
typedef void talk_opened(void *arg, int fd, const char *error);

/* Opens a conversation with the process of this row (share/segment.h) with the rights of level
 * (LEVEL_* of net/listener.h). opened may be called before this returns. Returns a ticket for
 * talk_forget. NULL where there is one process. */
extern unsigned (*talk_open)(unsigned row, int level, talk_opened *opened, void *arg);
/* The one who asked has gone: opened is not called any more. */
extern void (*talk_forget)(unsigned ticket);
/* Installed by cli/: serves a conversation; takes over fd. */
extern void (*talk_serve)(int fd, int level);

#endif
