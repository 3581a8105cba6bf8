/* SPDX-License-Identifier: BSD-2-Clause */
/* Reload: validation of the files by another process, then re-execution of the parent. */
#ifndef PROCESS_RELOAD_H
#define PROCESS_RELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reload_info {
	unsigned reloads;     /* that went well, since the parent's first start */
	unsigned failed;      /* attempts that failed */
	bool last_failed;
	uint64_t started_ms;  /* clock of the system: first start of the parent */
};
extern struct reload_info reload_info;

/* Asks for a reload, as SIGUSR2 does. The reload begins when the loop comes to it. fd: a connected
 * socket on which the outcome is told: "Success=1\n" from the new image, or "Success=0\n--\n" and
 * the messages. fd is taken over, and closed behind the outcome. -1: nobody waits. */
void reload_request(int fd);
/* Messages of the start, or of the last attempt that failed. */
const char *reload_log(void);

/* -- parent.c --------------------------------------------------------------------------------- */

/* A child that is no worker has ended. */
void reload_child_ended(int pid, int status);
/* Keeps what was said at this start: from main(). */
void reload_keep_log(const char *text, size_t len);
/* Workers serve: what was asked for in the meantime begins. */
void reload_resume(void);
/* The parent ends: what is under way is given up, what is asked for from now on is refused. */
void reload_cancel(void);
/* The image that came of a reload: its workers serve; or could not, and the earlier ones go on. */
void reload_succeeded(void);
void reload_failed(const char *why);
/* In a fresh worker: closes what belongs to a reload that is under way. */
void reload_forget(void);

#endif
