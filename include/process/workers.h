/* SPDX-License-Identifier: BSD-2-Clause */
/* The parent's workers: between parent.c, workers.c and forking.c. */
#ifndef PROCESS_WORKERS_H
#define PROCESS_WORKERS_H

#include "process/worker_entry.h"

struct channel;
struct err;
struct frame;

enum parent_state { PARENT_STARTS,  /* not all workers have served yet */
		    PARENT_WAITS,   /* for a reload: there is no configuration to serve */
		    PARENT_SERVES,
		    PARENT_FINISHES, /* soft stop */
		    PARENT_ENDS };
extern enum parent_state parent_state;

/* struct worker.node, of all generations. */
extern struct list workers;

/* -- workers.c --------------------------------------------------------------------------------- */

void workers_signal(int signo);
/* All hear a message without words (process/messages.h), in order. */
void workers_tell(uint32_t kind);
struct worker *worker_of_pid(pid_t pid);
/* Of an earlier generation. */
bool worker_is_old(const struct worker *w);
bool workers_have_old(void);
/* The highest of the present one and theirs. */
uint32_t workers_last_generation(void);
bool workers_all_serve(void);
/* Is one left that was told to finish, and may still accept? */
bool workers_old_accept(void);
/* One more, to be forked. 0, or -1 and err. */
int worker_new(unsigned number, struct err *err);
/* It has ended: how long until it is forked anew, in ms; nothing, once; then more and more. */
unsigned worker_delay(struct worker *w);
/* It has ended: its row has no process, its descriptors are closed. */
void worker_let_go(struct worker *w);
/* Nobody takes its place: what it counted goes to row 0. */
void worker_free(struct worker *w);
/* Those that are still to be forked need not come, the others will finish. */
void workers_forget_waiting(void);
/* Sees to it that one worker checks the servers for all. */
void workers_choose_checker(void);
/* A new generation could not start: those that are there are the present one. */
void workers_are_present(void);
/* Those of earlier generations have successors: they finish; end, after so many reloads (0:
 * never). */
void workers_relieve(unsigned max_reloads);

/* Set before the first is forked: the new configuration wants all sockets that the earlier image
 * has passed on. */
extern bool process_kept_all;

/* -- forking.c --------------------------------------------------------------------------------- */

/* Whether a worker was forked. FORK_LATER: there are no descriptors, FORK_REFUSED: the system makes
 * no process; due_ms says when it is tried again. FORK_CHILD: this is the child, a fresh worker. */
enum fork_result { FORK_DONE, FORK_LATER, FORK_REFUSED, FORK_CHILD };
enum fork_result worker_fork(struct worker *w);
/* Ties a worker to this image: by fd, which is taken over; by its channel_fd. */
void worker_listen(struct worker *w, int fd);
void worker_move(struct worker *w);
/* In a fresh child: forgets what it has of the parent's: descriptors of others than self, timers,
 * the loop. Then: which ends are its own. */
void child_forget(struct worker *self);
void child_take(struct worker *w, int channel_fd, int words_fd);

/* Installed by parent.c. */
struct forking_hooks {
	/* A worker has said something, or has closed its channel; worker: its struct worker. */
	void (*said)(struct channel *channel, struct frame *frame, void *worker);
	void (*gone)(struct channel *channel, void *worker);
	/* In a fresh child: drops the parent's timers, its socket and a reload that is under way. */
	void (*forget)(void);
};
extern struct forking_hooks forking_hooks;

#endif
