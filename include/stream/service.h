/* SPDX-License-Identifier: BSD-2-Clause */
/* The service: every proxy's listeners open and accepting. */
#ifndef STREAM_SERVICE_H
#define STREAM_SERVICE_H

#include "config/module.h"

#include <stdbool.h>

extern const struct module service_module; /* start: opens all listeners, then lets them accept */

/* Asked when addresses are in use, before the n-th further attempt (from 0): makes those who
 * hold them let go, and waits a little; false: there is no hope. May be NULL. */
extern bool (*service_make_room)(unsigned n);

/* In a parent that will have no workers any more: lets go of its copies of the sockets. */
void service_close_listeners(void);
/* Soft stop: no new sessions; calls done when the last one has ended. */
void service_finish(void (*done)(void));
/* SIGTTOU, SIGTTIN: stops listening, and listens again. */
void service_pause(void);
void service_resume(void);
/* One frontend: "disable frontend", "enable frontend", "shutdown frontend". 0, or -1 and err */
struct err;
struct proxy;
int service_pause_proxy(struct proxy *px, struct err *err);
int service_resume_proxy(struct proxy *px, struct err *err);
int service_stop_proxy(struct proxy *px, struct err *err);

#endif
