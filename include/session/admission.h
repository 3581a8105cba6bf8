/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits on what is accepted: maxconn of frontends, bind lines and the program, connections and
 * sessions a second. Of several processes they hold for the sum: doc/internals/processes.md,
 * "Admission". For session.c and service.c. */
#ifndef SESSION_ADMISSION_H
#define SESSION_ADMISSION_H

struct listener;

/* How many connections the listener may accept now; see room in net/listener.h. Of several
 * processes never more than one, whose place is taken in advance. */
unsigned admission_room(struct listener *l, unsigned *wait_ms);
/* The listener has accepted, or found nobody: a place that was taken in advance and is not a
 * session's now is free again. See settled in net/listener.h. */
void admission_settled(struct listener *l);
/* A connection takes its place, and gives it back: those who wait for one are woken. */
void admission_take(struct listener *l);
void admission_give(struct listener *l);

/* harden.reject-privileged-ports.tcp: clients from ports below 1024 are closed at once. */
extern int admission_rejects_privileged;

#endif
