/* SPDX-License-Identifier: BSD-2-Clause */
/* What passes from one image of the parent to the next through execve: descriptors, and a text in
 * a memfd that says what each of them is. */
#ifndef PROCESS_HANDOVER_H
#define PROCESS_HANDOVER_H

#include <stdbool.h>

struct config;
struct err;

/* First thing in main(): keeps the command line, the environment and the folder of the start, with
 * which this program executes itself anew, and takes over what an earlier image has left. */
void handover_start(int argc, char **argv);
/* Gives the segment of the earlier image to the configuration that is about to be read. Where it
 * cannot be used its workers go on with it, and have no row here. */
void handover_offer_segment(void);
/* After the configuration was finished: was it used? */
void handover_check_segment(void);

/* Executes this program anew. Returns only when that fails: -1 and err; everything is as it was,
 * but the workers' channels are to be made anew of channel_fd. */
int handover_execute(struct config *cfg, struct err *err);
/* In a child: executes this program with "-c" before its other options, output to fd. */
void handover_validate(int fd) __attribute__((noreturn));
/* Who waits to hear of the reload that led to this image; taken over by the caller. -1: no more. */
int handover_next_asker(void);
/* In a process that serves: it will not execute itself, and must not hold what would lead out of
 * its root directory. */
void handover_forget(void);
void handover_add_asker(int fd);
/* Conversations of the parent's socket that the earlier image has passed on go on in this loop. */
void handover_resume_conversations(void);

#endif
