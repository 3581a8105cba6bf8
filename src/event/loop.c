/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of the process. Order of a turn: poll, clock, what is ready, tasks, timers, reap.
 * Called by main; everything else is called from here. It never frees an object itself
 * except through what asked to be reaped, and it never sleeps while a task waits. */
#include "event/loop.h"

#include "base/clock.h"
#include "event/probe.h"
#include "event/profile.h"
#include "event/timer.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { YIELDED_US = 2,        /* less: nobody else wanted the processor */
       YIELD_MOST_US = 10000, /* more: it is crowded; clients would wait too long */
       CROWDED_MS = 100,      /* then no more for so long */
       YIELDS_MOST = 4 };     /* before a rest */

#ifdef PROBES
void (*probe_passed)(struct relay *relay);
#endif
struct loop_stats loop_stats;
struct loop_at loop_at;
void (*loop_below)(struct text *t);
static struct loop_pulse unseen;
struct loop_pulse *loop_pulse = &unseen;

static int epoll_fd = -1;
static int max_events;
static struct epoll_event *events;
static bool stopping, busy;
static unsigned spin_us;
static bool measuring, aside; /* aside: one of stopping and measuring */
static unsigned tasks_most = UINT_MAX;
static struct list tasks = LIST_INIT(tasks);
static struct reap *reap_first;
static unsigned rest_us;
static bool rest_gives_way;
static uint64_t rest_until_ms, crowded_until_ms;

static int loop_epoll(struct epoll_event *ev, int max, int timeout_ms)
{
	return epoll_wait(epoll_fd, ev, max, timeout_ms);
}

static int (*loop_poller)(struct epoll_event *ev, int max, int timeout_ms) = loop_epoll;

void loop_set_poller(int (*poller)(struct epoll_event *ev, int max, int timeout_ms))
{
	loop_poller = poller ? poller : loop_epoll;
}

/* How long others kept the processor that was offered to them. */
static unsigned loop_sched_yield(void)
{
	uint64_t before = clock_read_us();

	sched_yield();
	return (unsigned)(clock_read_us() - before);
}

static unsigned (*loop_yielder)(void) = loop_sched_yield;

void loop_set_yielder(unsigned (*yielder)(void))
{
	loop_yielder = yielder ? yielder : loop_sched_yield;
}

int loop_init(int maxevents)
{
	BUG_ON(maxevents < 1);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		return -1;
	max_events = maxevents;
	events = calloc((size_t)maxevents, sizeof(*events));
	if (!events) {
		close(epoll_fd);
		epoll_fd = -1;
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
	if (epoll_fd >= 0)
		close(epoll_fd);
	epoll_fd = -1;
	free(events);
	events = NULL;
}

static int loop_control(int op, struct source *src, uint32_t mask)
{
	struct epoll_event ev = { .events = mask, .data.ptr = src };

	return epoll_ctl(epoll_fd, op, src->fd, &ev);
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

void loop_spin(unsigned us)
{
	spin_us = us;
}

void loop_rest(unsigned us, bool gives_way, uint64_t until_ms)
{
	rest_us = us;
	rest_gives_way = gives_way;
	rest_until_ms = us ? until_ms : 0;
}

/* Offers this processor to others. True: somebody took it, and may have sent something. */
static bool loop_give_way(void)
{
	unsigned us;

	if (!rest_gives_way || clock_now_ms < crowded_until_ms)
		return false;
	us = loop_yielder();
	if (us < YIELDED_US)
		return false;
	loop_stats.yields++;
	if (us > YIELD_MOST_US)
		crowded_until_ms = clock_now_ms + us / 1000 + CROWDED_MS;
	return true;
}

/* What is ready now; if nothing is, gives way and sleeps for a moment. */
static int loop_poll_or_rest(void)
{
	struct timespec rest = { .tv_nsec = rest_us * 1000L };
	int i, n = loop_poller(events, max_events, 0);

	for (i = 0; !n && i < YIELDS_MOST && loop_give_way(); i++)
		n = loop_poller(events, max_events, 0);
	if (!n) {
		loop_stats.rests++;
		nanosleep(&rest, NULL);
	}
	return n;
}

/* What comes within the time for which the loop may spin; a timer that is due earlier ends it. */
static int loop_poll_spinning(int timeout_ms)
{
	uint64_t most = (uint64_t)timeout_ms * 1000, began = clock_read_us();
	int n;

	if (timeout_ms < 0 || most > spin_us)
		most = spin_us;
	do
		n = loop_poller(events, max_events, 0);
	while (!n && clock_read_us() - began < most);
	return n;
}

/* Polls, and lets the parent see that this process lives: three plain stores. */
static ALWAYS_INLINE int loop_poll(int timeout_ms)
{
	int n = 0;

	atomic_store_explicit(&loop_pulse->asleep, 1, memory_order_relaxed);
	if (unlikely(spin_us && timeout_ms))
		n = loop_poll_spinning(timeout_ms);
	else if (unlikely(clock_now_ms <= rest_until_ms && timeout_ms))
		n = loop_poll_or_rest();
	if (likely(!n))
		n = loop_poller(events, max_events, timeout_ms);
	atomic_store_explicit(&loop_pulse->asleep, 0, memory_order_relaxed);
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
