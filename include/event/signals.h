/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals arrive in the loop, between two events, as calls. */
#ifndef EVENT_SIGNALS_H
#define EVENT_SIGNALS_H

/* From now on signal signo calls handler(signo) from the loop. handler NULL: it is ignored.
 * 0, or -1 with errno. After loop_init. */
int signal_watch(int signo, void (*handler)(int signo));
/* For a child that will have a loop of its own; to be called before loop_init. Handlers are those
 * that the child sets from now on. Signals that come earlier stay pending. */
void signals_forget(void);
/* Back to what a fresh process has: for children. */
void signals_reset(void);

/* For show profiling. */
extern const struct profile_name signals_profile;

#endif
