/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions that outlive an image of the program: descriptors by name. Whoever has one says so
 * (share/region.h); who hands over (process/handover.c) names all of them to the next image, where
 * who asks finds them. */
#ifndef SHARE_KEPT_H
#define SHARE_KEPT_H

#include <stdbool.h>

/* From now on the descriptor is handed over under this name (one word), in the place of the one
 * before, which is closed. Takes over fd, which is close-on-exec. user (may be NULL): a place that
 * holds its number, and gets -1 when it is closed. */
void kept_set(const char *name, int fd, int *user);
/* An earlier image has left it. False, and it is closed: the name is too long, or there are too
 * many. */
bool kept_take(const char *name, int fd);
/* The place holds the number of something else from now on, or has gone. */
void kept_leave(const int *user);
/* What was set, or what an earlier image has left; still kept. -1: none. */
int kept_get(const char *name);
/* An earlier image has left it, but nobody can read it: it is closed, or was never taken. */
void kept_refuse(const char *name);
/* There is or was something of that name. */
bool kept_known(const char *name);
/* Each that is there. */
void kept_each(void (*fn)(const char *name, int fd, void *arg), void *arg);
/* In a process that serves, which does not hand over: closes all. */
void kept_forget(void);

#endif
