/* SPDX-License-Identifier: BSD-2-Clause */
/* The poller of the loop: epoll, and what is done before the process falls asleep in it. Asleep,
 * the process has to be woken: that costs the waker an interrupt to another processor, and the
 * answer the time for which that processor takes to come back. So a process that waits for
 * moments polls on for moments, and one that moves much at once rests (doc/internals/datapath.md,
 * "Falling asleep"). */
#ifndef EVENT_POLLER_H
#define EVENT_POLLER_H

#include <stdbool.h>
#include <stdint.h>

struct epoll_event;

/* 0, or -1 with errno. Nothing spins and nothing rests until it is said. */
int poller_open(void);
void poller_close(void);
/* epoll_ctl: as there. 0, or -1 with errno. */
int poller_control(int op, int fd, struct epoll_event *event);
/* What is ready, at most max events: their number; 0: none within timeout_ms (-1: no limit), or a
 * rest or the time for spinning is over first and nothing came while it slept; -1 with errno. */
int poller_wait(struct epoll_event *events, int max, int timeout_ms);

/* When nothing is ready, the poller is asked again and again for so long, in microseconds, before
 * the process sleeps. Between the questions the processor is offered to others. 0: it sleeps at
 * once. learns: only as long as that pays: of 16 waits 8 ended in time, and for three times what
 * those took at most. After others it sleeps at once for 50 ms, after more of them for longer, at
 * most for a second. */
void poller_spin(unsigned us, bool learns);

/* The processor's time that this process has used, in microseconds, without what it spent on
 * polling on: that is idle time for all who ask how busy it is. */
uint64_t poller_busy_us(void);

/* Large transfers make up the work until then (relay/rest.c): who learns does not spin, since
 * pieces become smaller by that. When nothing is ready, two things are done before the process
 * waits for events. With gives_way it lets others have this processor. If that brings nothing, it
 * sleeps for so long, well below a millisecond. Events of a busy time thus gather and are
 * answered together. No event, timer or signal is lost. Each may be answered later, by the sleep
 * or by what others take: some ms; after more than 10 ms others are not asked for a while. The
 * caller has learnt that this pays. us 0: none of both. */
void poller_rest(unsigned us, bool gives_way, uint64_t until_ms);

/* For show activity. */
struct poller_stats {
	uint64_t yields, rests;    /* of poller_rest: those that somebody took */
	uint64_t spins, spins_met; /* waits that began by polling on; those that ended so */
	uint64_t spun_us;          /* the processor's time that it took */
};
extern struct poller_stats poller_stats;

/* Tests: replaces epoll_wait (NULL: the real one again). */
void poller_set_wait(int (*wait)(struct epoll_event *events, int max, int timeout_ms));
/* Tests: replaces sched_yield (returns the us that it took), and the clock in us by which
 * spinning is limited. NULL: the real ones again. */
void poller_set_processor(unsigned (*yielder)(void), uint64_t (*clock_us)(void));

#endif
