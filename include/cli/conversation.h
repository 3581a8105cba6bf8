/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversation over a descriptor, without session and stream: between processes, and on the
 * parent's socket. */
#ifndef CLI_CONVERSATION_H
#define CLI_CONVERSATION_H

#include <stdbool.h>

struct cli;

/* Serves cli over fd (a connected stream socket, non-blocking) until either says so, then closes
 * and frees both. Takes over fd and cli, also when it fails: -1. */
int conversation_open(int fd, struct cli *cli);
/* talk_serve of event/talk.h: what another process asks. */
void conversation_serve_talk(int fd, int level);
/* Is an answer under way, or a line? One that has stood still for some seconds does not count. */
bool conversations_busy(void);
/* Those in which nothing was begun: what conversation_resume needs, in another program that has the
 * descriptor. Without memory for it the connection ends. */
void conversations_give(void (*fn)(int fd, const char *text, void *arg), void *arg);
void conversation_resume(int fd, const char *text);
/* In a child that was just forked: they are the other process's. */
void conversations_drop(void);

/* For show profiling. */
extern const struct profile_name conversation_profile, conversation_task_profile;

#endif
