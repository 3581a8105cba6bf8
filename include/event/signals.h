/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals arrive in the loop, between two events, as calls. */
#ifndef EVENT_SIGNALS_H
#define EVENT_SIGNALS_H

/* First thing in main(): signals that would end a process without a handler, and mean something
 * else to one that serves, wait until signal_watch. TERM and INT end the start, PIPE does not.
 * Nothing that the caller has ignored keeps the ends of children from being told. */
void signals_hold(void);
/* This process will not serve: those that wait, too, do what they do to any program. */
void signals_release(void);
/* From now on signal signo calls handler(signo) from the loop. handler NULL: it is ignored.
 * 0, or -1 with errno. After loop_init. */
int signal_watch(int signo, void (*handler)(int signo));
/* For a child that will have a loop of its own; to be called before loop_init. Handlers are those
 * that the child sets from now on. Signals that come earlier stay pending. */
void signals_forget(void);
/* Back to what a fresh process has: for children. */
void signals_reset(void);
/* Calls run(arg), where the C library executes programs (system, popen): these inherit no signal
 * that is blocked or ignored. Those that come meanwhile are heard behind it. */
void signals_around(void (*run)(void *arg), void *arg);

/* For show profiling. */
extern const struct profile_name signals_profile;

#endif
