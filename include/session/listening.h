/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening: every proxy's listeners open and accepting. */
#ifndef SESSION_LISTENING_H
#define SESSION_LISTENING_H

#include "base/result.h"
#include "config/module.h"

#include <stdbool.h>

extern const struct module listening_module; /* start: opens all listeners, then lets them accept */

/* Asked when addresses are in use, before the n-th further attempt (from 0): makes those who
 * hold them let go, and waits a little; false: there is no hope. May be NULL. */
extern bool (*listening_make_room)(unsigned n);

struct listener;
/* Calls fn for each listener of each proxy. */
void listening_each(void (*fn)(struct listener *l));
/* Soft stop: no new sessions; calls done when the last one has ended, or some seconds after only
 * who asks (stats sockets, other processes) was left. */
enum listening_finish { FINISH_ALONE,    /* what waits in the queues of the sockets is accepted */
		      FINISH_SOME,     /* the same; a successor serves, but not all of the
				        * sockets */
		      FINISH_RELIEVED };/* who asks is left to the successor: it knows more */
void listening_finish(enum listening_finish how, void (*done)(void));
/* SIGTTOU, SIGTTIN: stops listening, and listens again. */
void listening_pause(void);
void listening_resume(void);
/* One frontend: "disable frontend", "enable frontend", "shutdown frontend". 0, or -1 and err */
struct err;
struct proxy;
MUST_USE int listening_pause_proxy(struct proxy *px, struct err *err);
MUST_USE int listening_resume_proxy(struct proxy *px, struct err *err);
MUST_USE int listening_stop_proxy(struct proxy *px, struct err *err);

#endif
