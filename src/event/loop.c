/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of the process. Order of a turn: poll, clock, what is ready, tasks, timers, reap.
 * Called by main; everything else is called from here. It never frees an object itself
 * except through what asked to be reaped, and it never sleeps while a task waits. */
#include "event/loop.h"

#include "base/clock.h"
#include "event/poller.h"
#include "event/probe.h"
#include "event/profile.h"
#include "event/timer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>

#ifdef PROBES
void (*probe_passed)(struct relay *relay);
#endif
struct loop_stats loop_stats;
struct loop_at loop_at;
void (*loop_below)(struct text *t);
static struct loop_pulse unseen;
struct loop_pulse *loop_pulse = &unseen;

static int max_events;
static struct epoll_event *events;
static bool stopping, busy;
static bool measuring, aside; /* aside: one of stopping and measuring */
static unsigned tasks_most = UINT_MAX;
static struct list tasks = LIST_INIT(tasks);
static struct reap *reap_first;

int loop_init(int maxevents)
{
	BUG_ON(maxevents < 1);
	if (poller_open() < 0)
		return -1;
	max_events = maxevents;
	events = calloc((size_t)maxevents, sizeof(*events));
	if (!events) {
		poller_close();
		errno = ENOMEM;
		return -1;
	}
	stopping = false;
	aside = measuring;
	clock_update();
	return 0;
}

void loop_free(void)
{
	poller_close();
	free(events);
	events = NULL;
}

static int loop_control(int op, struct source *src, uint32_t mask)
{
	struct epoll_event ev = { .events = mask, .data.ptr = src };

	return poller_control(op, src->fd, &ev);
}

int loop_add(struct source *src, uint32_t mask)
{
	BUG_ON(src->registered || src->fd < 0);
	if (loop_control(EPOLL_CTL_ADD, src, mask) < 0)
		return -1;
	src->registered = true;
	loop_stats.sources++;
	return 0;
}

int loop_modify(struct source *src, uint32_t mask)
{
	BUG_ON(!src->registered);
	return loop_control(EPOLL_CTL_MOD, src, mask);
}

void loop_remove(struct source *src)
{
	if (!src->registered)
		return;
	src->registered = false;
	loop_stats.sources--;
	loop_control(EPOLL_CTL_DEL, src, 0);
}

void loop_forget(struct source *src)
{
	if (!src->registered)
		return;
	src->registered = false;
	loop_stats.sources--;
}

void task_wake(struct task *task)
{
	if (list_empty(&task->node))
		list_append(&tasks, &task->node);
}

unsigned tasks_queued(void)
{
	const struct list *node;
	unsigned n = 0;

	for (node = tasks.next; node != &tasks; node = node->next)
		n++;
	return n;
}

void tasks_each(void (*fn)(const struct task *task, void *arg), void *arg)
{
	const struct list *node;

	for (node = tasks.next; node != &tasks; node = node->next)
		fn(container_of(node, struct task, node), arg);
}

void loop_limit_tasks(unsigned most)
{
	tasks_most = most ? most : UINT_MAX;
}

/* Those of now, which were not reached, go before the ones that were woken meanwhile. */
static void loop_put_back(struct list *now)
{
	while (!list_empty(now)) {
		struct list *last = now->prev;

		list_remove(last);
		list_prepend(&tasks, last);
	}
}

/* Runs those that wait now; the ones that they wake come in the next turn. */
static ALWAYS_INLINE void loop_run_tasks(const bool measured)
{
	unsigned room = tasks_most;
	void (*run)(struct task *task);
	struct list now;
	struct task *task;

	if (list_empty(&tasks))
		return;
	list_prepend(&tasks, &now);
	list_remove(&tasks);
	while (!list_empty(&now)) {
		if (unlikely(!room--)) {
			loop_put_back(&now);
			return;
		}
		task = list_first(&now, struct task, node);
		list_remove(&task->node);
		loop_stats.tasks++;
		loop_at.run = run = task->run; /* the task may be gone behind it */
		run(task);
		if (measured)
			profile_called((void (*)(void))run);
		PROBE(NULL);
	}
}

void loop_reap(struct reap *reap, void (*free_it)(struct reap *reap))
{
	reap->free_it = free_it;
	reap->next = reap_first;
	reap_first = reap;
}

static void loop_run_reap(void)
{
	struct reap *reap, *next;

	while (reap_first) {
		reap = reap_first;
		reap_first = NULL;
		for (; reap; reap = next) {
			next = reap->next;
			reap->free_it(reap);
		}
	}
}

/* How long the poller may sleep, in ms; -1: until something happens. */
static ALWAYS_INLINE int loop_timeout(int max_wait_ms)
{
	uint64_t next = timer_next(), wait;

	if (!list_empty(&tasks) || stopping || busy)
		return 0;
	if (next == UINT64_MAX)
		return max_wait_ms;
	wait = next > clock_now_ms ? next - clock_now_ms : 0;
	if (wait > INT_MAX)
		wait = INT_MAX;
	return max_wait_ms >= 0 && wait > (uint64_t)max_wait_ms ? max_wait_ms : (int)wait;
}

void loop_busy(bool on)
{
	busy = on;
}

bool loop_is_busy(void)
{
	return busy;
}

/* Polls, and lets the parent see that this process lives: plain stores. */
static ALWAYS_INLINE int loop_poll(int timeout_ms)
{
	int n;

	atomic_store_explicit(&loop_pulse->asleep, 1, memory_order_relaxed);
	n = poller_wait(events, max_events, timeout_ms);
	atomic_store_explicit(&loop_pulse->asleep, 0, memory_order_relaxed);
	atomic_store_explicit(&loop_pulse->spun_us, poller_stats.spun_us, memory_order_relaxed);
	loop_stats.turns++;
	atomic_store_explicit(&loop_pulse->turns, loop_stats.turns, memory_order_relaxed);
	return n;
}

/* Made twice, with and without measuring: what is not measured pays nothing for it. */
static ALWAYS_INLINE void loop_turn_as(int max_wait_ms, const bool measured)
{
	void (*ready)(struct source *src, uint32_t events);
	struct source *src;
	int i, n;

	loop_at.doing = LOOP_POLLS;
	n = loop_poll(loop_timeout(max_wait_ms));
	clock_update();
	if (measured)
		profile_turn_begins();
	loop_at.doing = LOOP_EVENTS;
	loop_at.events = n;
	if (n <= 0)
		loop_stats.empty_polls++;
	else
		loop_stats.events += (unsigned)n;
	for (i = 0; i < n; i++) {
		src = events[i].data.ptr;
		loop_at.source = src;
		loop_at.event = i;
		if (unlikely(!src->registered))
			continue;
		ready = src->ready;
		ready(src, events[i].events);
		if (measured)
			profile_called((void (*)(void))ready);
		PROBE(NULL);
	}
	loop_at.doing = LOOP_TASKS;
	loop_run_tasks(measured);
	loop_at.doing = LOOP_TIMERS;
	if (timer_next() <= clock_now_ms) {
		loop_stats.timers += timer_run();
		if (measured)
			profile_called((void (*)(void))timer_run);
		profile_judge();
	}
	loop_at.doing = LOOP_FREES;
	loop_run_reap();
}

void loop_turn(int max_wait_ms)
{
	loop_turn_as(max_wait_ms, false);
}

void loop_measure(bool on)
{
	measuring = on;
	aside = measuring || stopping;
}

bool loop_deliver(struct source *src)
{
	static struct source nobody = { .fd = -1 };
	int i;

	if (loop_at.doing != LOOP_EVENTS)
		return false;
	for (i = loop_at.event + 1; i < loop_at.events; i++) {
		if (likely(events[i].data.ptr != src))
			continue;
		events[i].data.ptr = &nobody;
		src->ready(src, events[i].events);
		return true;
	}
	return false;
}

void loop_run(void)
{
	while (!stopping) {
		while (!aside)
			loop_turn_as(-1, false);
		while (measuring && !stopping)
			loop_turn_as(-1, true);
	}
}

void loop_stop(void)
{
	stopping = aside = true;
}

bool loop_stopping(void)
{
	return stopping;
}
