/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop: one a process. It polls, calls what is ready, then what asked to be run again,
 * then fired timers, then frees what was closed during the turn. */
#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

#include "base/list.h"

#include <stdatomic.h>
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

/* What others may see of a loop that lives: it writes this with plain stores. */
struct loop_pulse {
	_Atomic uint64_t turns;
	_Atomic uint64_t spun_us; /* its processor's time while it polled on (event/poller.h): for nobody */
	_Atomic uint32_t asleep; /* 1: inside the poller */
};
/* Where the loop of this process writes it; never NULL. share/segment.c points it to where others
 * look. */
extern struct loop_pulse *loop_pulse;

/* Sets up the poller. 0, or -1 with errno. maxevents: of one poll (tune.maxpollevents). */
int loop_init(int maxevents);
void loop_free(void);
/* Runs until loop_stop; returns after the turn in which it was called. */
void loop_run(void);
void loop_stop(void);
bool loop_stopping(void);
/* One turn: polls at most max_wait_ms (-1: until something happens). For tests. */
void loop_turn(int max_wait_ms);

/* busy-polling: never sleeps; what comes is seen at once, at the price of a processor. */
void loop_busy(bool on);
bool loop_is_busy(void);
/* Each call is measured (event/profile.h), from the next turn of loop_run on. */
void loop_measure(bool on);
/* Most tasks of one turn (tune.runqueue-depth), behind which come timers and a poll; 0: all that
 * wait when it comes to them. */
void loop_limit_tasks(unsigned most);

/* Watches src->fd for events (EPOLLIN ... EPOLLET). 0, or -1 with errno. */
int loop_add(struct source *src, uint32_t events);
int loop_modify(struct source *src, uint32_t events);
/* Forgets the descriptor; before it is closed. Events already polled for it in this turn
 * are still delivered: the owner must stay in memory until the end of the turn. */
void loop_remove(struct source *src);

/* The same for a descriptor that nobody else holds and that is closed next: closing takes
 * it out of the poller, without a call of its own. */
void loop_forget(struct source *src);

/* Has the poller told of it in this turn, and it was not called yet? Calls it now. For whoever
 * takes over an object that may have been told of something in the meantime; its ready must not act
 * on anything that the caller has at hand. */
bool loop_deliver(struct source *src);

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
/* fn must not queue or cancel any. */
void tasks_each(void (*fn)(const struct task *task, void *arg), void *arg);

/* Calls free_it(object) at the end of this turn: for objects that an event may name which was
 * polled already, and for those whose operations may be running. The node lives in the object and
 * must not be in use otherwise. Other objects go back at once, when their timer and task are
 * cancelled. */
struct reap {
	struct reap *next;
	void (*free_it)(struct reap *reap);
};
void loop_reap(struct reap *reap, void (*free_it)(struct reap *reap));

/* What the loop is about, or was last: for whoever finds the process hanging or dead. A source is
 * valid while it is named: it goes at LOOP_FREES. Objects of tasks and timers may end while they
 * run, so of these the functions are named. */
enum loop_doing { LOOP_POLLS, LOOP_EVENTS, LOOP_TASKS, LOOP_TIMERS, LOOP_FREES };
struct loop_at {
	enum loop_doing doing;
	const struct source *source; /* LOOP_EVENTS: the n-th of so many */
	int event, events;
	void (*run)(struct task *task); /* LOOP_TASKS */
};
extern struct loop_at loop_at;
/* For the same: says in words what is at work below all that, if anything is. Installed by whoever runs
 * code of others; NULL: nobody does. It is called by a handler of signals, and only reads. */
struct text;
extern void (*loop_below)(struct text *t);

/* For show info / activity. */
struct loop_stats {
	uint64_t turns, events, empty_polls, tasks, timers;
	unsigned sources; /* registered now */
};
extern struct loop_stats loop_stats;

#endif
