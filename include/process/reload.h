/* SPDX-License-Identifier: BSD-2-Clause */
/* Reload: validation of the files by another process, then re-execution of the parent. */
#ifndef PROCESS_RELOAD_H
#define PROCESS_RELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Asks for a reload, as SIGUSR2 does. The reload begins when the loop comes to it. fd: a connected
 * socket on which the outcome is told: "Success=1\n" from the new image, or "Success=0\n--\n" and
 * the messages. fd is taken over, and closed behind the outcome. -1: nobody waits. */
void reload_request(int fd);
/* Messages of the start, or of the last attempt that failed: lines. A start that went well ends
 * with "Loading success.". */
const char *reload_log(void);

/* -- parent.c --------------------------------------------------------------------------------- */

/* A child that is no worker has ended. */
void reload_child_ended(int pid, int status);
/* A start begins: what is said on stderr from now on is kept; what main() has to say of the files
 * is added. */
void reload_log_begin(void);
void reload_add_log(const char *text, size_t len);
/* The start is over; all of it serves. */
void reload_log_end(void);
void reload_start_said(void);
/* Workers serve: what was asked for in the meantime begins. */
void reload_resume(void);
/* The parent ends: what is under way is given up, what is asked for from now on is refused. */
void reload_cancel(void);
/* The image that came of a reload: its workers serve; or could not, and the earlier ones go on. */
void reload_succeeded(void);
void reload_failed(const char *why);
/* Nothing was tried: why is all that there is to say. */
void reload_not_executed(const char *why);
/* In a fresh worker: closes what belongs to a reload that is under way. */
void reload_forget(void);

#endif
