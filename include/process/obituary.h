/* SPDX-License-Identifier: BSD-2-Clause */
/* Last words: what a process that dies by a signal says itself, and what the parent says of it. */
#ifndef PROCESS_OBITUARY_H
#define PROCESS_OBITUARY_H

#include <stddef.h>

struct worker;

/* In a process that serves: from now on SIGABRT, SIGSEGV and the like make the process write where
 * it is, before it dies: to stderr, and to fd (-1: only stderr). */
void obituary_prepare(int fd);
/* In the parent: how it ended (of waitpid), what it had at hand, and its own words, to the log. */
void obituary_log(struct worker *w, int status);

/* For handlers of signals in a process that dies: to stderr and to the parent; the second what it
 * dies of, and where. */
void obituary_say(const char *text, size_t len);
void obituary_write(int signo);

#endif
