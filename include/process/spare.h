/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spare: a copy of the parent that waits through a reload. If the new image cannot serve, the
 * workers of before go on, and the spare has the memory they were forked from: it forks their
 * replacements and validates changes. doc/internals/processes.md
 */
#ifndef PROCESS_SPARE_H
#define PROCESS_SPARE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct err;
struct text;
struct worker;

/* Makes it, if there is none, between two turns of the loop. True: this is it, to go on with
 * spare_serve. */
bool spare_fork(void);
/* Serves the parent. Returns in a fresh worker only, which has forgotten all of it. */
struct worker *spare_serve(void);

/* -- the parent ------------------------------------------------------------------------------ */

/* There is one, waiting or serving. */
bool spare_here(void);
/* It is this process. */
bool spare_is(pid_t pid);
/* Changes are made in its memory: spare_begin was called. */
bool spare_serves(void);
/* Forks this worker, whose parent is this process; its ends of channel and pipe stay ours. Its pid;
 * -1 and errno. Waits for it. */
pid_t spare_fork_worker(const struct worker *w, int channel_fd, int words_fd);
/* From now on changes are made in its memory, not in ours. */
void spare_begin(void);
/* Listeners pause, or are resumed, in what is forked from now on. */
void spare_pause(bool paused);
/* Ends it, at once: it has copies of sockets. */
void spare_end(void);
/* A child has ended: was it the spare? */
bool spare_ended(pid_t pid);
/* Through execve: a line of the handover; what it says. */
void spare_give(FILE *out);
void spare_take(int fd, pid_t pid);
void spare_keep(bool open);

#endif
