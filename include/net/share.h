/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several processes that accept from the same sockets: who takes the next connection. See
 * doc/internals/accepting.md. For net/accept.c, except where said; nothing here is called where
 * there is one process (listeners_shared is false).
 */
#ifndef NET_SHARE_H
#define NET_SHARE_H

#include "base/result.h"

#include <stdbool.h>
#include <stdint.h>

struct listener;

/* ---- the decision ------------------------------------------------------------------------ */

enum { SHARE_WEIGHT = 16,     /* a connection weighs as much as so many that came of late */
       SHARE_HALF_MS = 128,   /* after so long, one that came counts half */
       SHARE_SLACK = 4 * SHARE_WEIGHT, /* differences below do not matter */
       SHARE_PERCENT = 10 };  /* more than the least, before one stands back */

/* Accepts of late in one word that others can read whole: when it was written, and how many,
 * times 16. share_recent_add: n more at now_ms. */
uint64_t share_recent_add(uint64_t recent, uint64_t now_ms, unsigned n);
/* What a process has to do: its connections and its accepts of late. */
unsigned share_load(unsigned connections, uint64_t recent, uint64_t now_ms);
/* How much more than the least one may have; back: to come back, it must be less than that. */
unsigned share_margin(unsigned least, bool back);
/* Is a process with this load to leave accepting to the others, the least loaded of which has
 * least (UINT_MAX: there is no other)? away: it does so already. */
MUST_USE bool share_stands_back(unsigned load, unsigned least, bool away);

/* ---- listeners --------------------------------------------------------------------------- */

/* The listener accepts from now on: enters the loop, now or when this process does not stand back
 * any more. 0, or -1 with errno. */
MUST_USE int share_enter(struct listener *l);
/* It no longer does. The caller takes it out of the loop. */
void share_leave(struct listener *l);
/* It has taken a connection. The listener may leave the loop, at the end of this turn. False: it
 * ought not to take one more in this turn. */
MUST_USE bool share_accepted(struct listener *l);

/* The session layer tells how many connections there are; also where there is one process. */
void share_count(int change);

/* false (tune.listener.multi-queue off): each process keeps what the kernel wakes it for, and none
 * stands back for another. Set before the start. */
extern bool share_evenly;

/* For tests and show activity. */
struct share_stats {
	uint64_t rounds;  /* times that it went to the end of the line */
	uint64_t away;    /* times that it stood back */
	uint64_t woken;   /* others that it called back */
	uint64_t checks;  /* looks while away, for want of an event */
	uint64_t alone;   /* of these: a connection waited, and nobody had taken it */
};
extern struct share_stats share_stats;

#endif
