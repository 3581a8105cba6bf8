/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop: one a process. It polls, calls what is ready, then what asked to be run again,
 * then fired timers, then frees what was closed during the turn. */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>

/* A descriptor that the loop watches; lives inside its object. */
struct source {
	int fd;          /* -1: none */
	bool registered; /* the poller knows it */
	void (*ready)(struct source *src, uint32_t events); /* EPOLL* bits */
};

/* Something to be called once more, soon, in this turn or the next (without sleeping in
 * between). Lives inside its object; zero-initialized: idle. */
struct task {
	struct list node;
	void (*run)(struct task *task);
};

/* Sets up the poller. 0, or -1 with errno. maxevents: of one poll (tune.maxpollevents). */
int loop_init(int maxevents);
void loop_free(void);
/* Runs until loop_stop; returns after the turn in which it was called. */
void loop_run(void);
void loop_stop(void);
bool loop_stopping(void);
/* One turn: polls at most max_wait_ms (-1: until something happens). For tests. */
void loop_turn(int max_wait_ms);

/* Until then, when nothing is ready: let others have this processor if they want it, and if that brings
 * nothing either, sleep this long (well below a millisecond), before waiting for events, so that those
 * of a busy time gather and are answered together: a sleep costs two interrupts, giving way none.
 * Nothing is lost, but an event, timer or signal may be answered later by as much, or by what others
 * take (some ms; more than 10, and they are not asked for a while). Whoever asks knows that this
 * pays. us 0: no more of that. */
void loop_rest(unsigned us, uint64_t until_ms);

/* Watches src->fd for events (EPOLLIN ... EPOLLET). 0, or -1 with errno. */
int loop_add(struct source *src, uint32_t events);
int loop_modify(struct source *src, uint32_t events);
/* Forgets the descriptor; before it is closed. Events already polled for it in this turn
 * are still delivered: the owner must stay in memory until the end of the turn. */
void loop_remove(struct source *src);

/* The same for a descriptor that nobody else holds and that is closed next: closing takes
 * it out of the poller, without a call of its own. */
void loop_forget(struct source *src);

static inline void task_init(struct task *task, void (*run)(struct task *task))
{
	list_init(&task->node);
	task->run = run;
}
void task_wake(struct task *task);   /* queues it, if it is not */
static inline bool task_queued(const struct task *task)
{
	return !list_empty(&task->node);
}
static inline void task_cancel(struct task *task) /* takes it back */
{
	if (unlikely(task_queued(task)))
		list_remove(&task->node);
}
/* How many are queued; walks through them. */
unsigned tasks_queued(void);

/* Calls free_it(object) at the end of this turn: nothing is freed inside a callback. The
 * node lives in the object and must not be in use otherwise. */
struct reap {
	struct reap *next;
	void (*free_it)(struct reap *reap);
};
void loop_reap(struct reap *reap, void (*free_it)(struct reap *reap));

struct epoll_event;
/* Tests: replaces epoll_wait (NULL: the real one again). */
void loop_set_poller(int (*poller)(struct epoll_event *events, int max, int timeout_ms));
/* Tests: replaces sched_yield; returns the us that it took. */
void loop_set_yielder(unsigned (*yielder)(void));

/* What the loop is about, or was last: for whoever finds the process hanging or dead. Objects are
 * valid while they are named: nothing is freed before LOOP_FREES. */
enum loop_doing { LOOP_POLLS, LOOP_EVENTS, LOOP_TASKS, LOOP_TIMERS, LOOP_FREES };
struct loop_at {
	enum loop_doing doing;
	const struct source *source; /* LOOP_EVENTS: the n-th of so many */
	int event, events;
	const struct task *task;     /* LOOP_TASKS */
};
extern struct loop_at loop_at;

/* For show info / activity. */
struct loop_stats {
	uint64_t turns, events, empty_polls, tasks, timers, rests, yields;
	unsigned sources; /* registered now */
};
extern struct loop_stats loop_stats;

#endif
