/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll, and when to fall asleep in it. Called by the loop alone; how it waits is said by the
 * settings (stream/tune.c) and by who moves bytes (relay/rest.c). */
#include "event/poller.h"

#include "base/clock.h"

#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { YIELDED_US = 2,        /* less: nobody else wanted the processor */
       YIELD_MOST_US = 10000, /* more: it is crowded; clients would wait too long */
       CROWDED_MS = 100,      /* then no more for so long */
       YIELDS_MOST = 4 };     /* before a rest */

enum { SPIN_WAITS = 16,    /* from one judgement to the next */
       SPIN_PAYS = 8,      /* so many of these ended in time: it goes on */
       SPIN_TIMES = 3,     /* for so many times what those took on average */
       SPIN_LEAST_US = 10, /* and for so long at least */
       SPIN_PAUSE_MS = 50, /* else it sleeps at once for so long, and for twice as long next time */
       SPIN_PAUSE_MOST_MS = 1000,
       SPIN_CROWDED_US = 2000 }; /* others kept the processor for so long: at once, too */

struct poller_stats poller_stats;
static int epoll_fd = -1;

static struct {
	unsigned us, now_us; /* at most; at present */
	bool learns;
	unsigned waits, met; /* since the last judgement; those that ended in time */
	uint64_t met_us;     /* the time that these took */
	unsigned pause_ms;   /* the next pause */
	uint64_t begins_ms;  /* behind the last one */
} spin;

static struct {
	unsigned us;
	bool gives_way;
	uint64_t until_ms, crowded_until_ms;
} rest;

static int poller_epoll(struct epoll_event *events, int max, int timeout_ms)
{
	return epoll_wait(epoll_fd, events, max, timeout_ms);
}

static int (*poller_ask)(struct epoll_event *events, int max, int timeout_ms) = poller_epoll;

void poller_set_wait(int (*wait)(struct epoll_event *events, int max, int timeout_ms))
{
	poller_ask = wait ? wait : poller_epoll;
}

/* How long others kept the processor that was offered to them. */
static unsigned poller_sched_yield(void)
{
	uint64_t before = clock_read_us();

	sched_yield();
	return (unsigned)(clock_read_us() - before);
}

static unsigned (*poller_yielder)(void) = poller_sched_yield;
static uint64_t (*poller_us)(void) = clock_read_us;

void poller_set_processor(unsigned (*yielder)(void), uint64_t (*clock_us)(void))
{
	poller_yielder = yielder ? yielder : poller_sched_yield;
	poller_us = clock_us ? clock_us : clock_read_us;
}

int poller_open(void)
{
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return epoll_fd < 0 ? -1 : 0;
}

void poller_close(void)
{
	if (epoll_fd >= 0)
		close(epoll_fd);
	epoll_fd = -1;
}

int poller_control(int op, int fd, struct epoll_event *event)
{
	return epoll_ctl(epoll_fd, op, fd, event);
}

void poller_spin(unsigned us, bool learns)
{
	spin.us = spin.now_us = us;
	spin.learns = learns;
	spin.waits = spin.met = 0;
	spin.met_us = 0;
	spin.pause_ms = SPIN_PAUSE_MS;
	spin.begins_ms = 0;
}

void poller_rest(unsigned us, bool gives_way, uint64_t until_ms)
{
	rest.us = us;
	rest.gives_way = gives_way;
	rest.until_ms = until_ms;
}

/* Offers this processor to others. True: somebody took it, and may have sent something. */
static bool poller_gives_way(void)
{
	unsigned us;

	if (!rest.gives_way || clock_now_ms < rest.crowded_until_ms)
		return false;
	us = poller_yielder();
	if (us < YIELDED_US)
		return false;
	poller_stats.yields++;
	if (us > YIELD_MOST_US)
		rest.crowded_until_ms = clock_now_ms + us / 1000 + CROWDED_MS;
	return true;
}

/* What is ready now; if nothing is, gives way and sleeps for a moment. */
static int poller_rests(struct epoll_event *events, int max)
{
	struct timespec time = { .tv_nsec = rest.us * 1000L };
	int i, n;

	if (!rest.us)
		return 0;
	n = poller_ask(events, max, 0);
	for (i = 0; !n && i < YIELDS_MOST && poller_gives_way(); i++)
		n = poller_ask(events, max, 0);
	if (!n) {
		poller_stats.rests++;
		nanosleep(&time, NULL);
	}
	return n;
}

static void spin_pause(void)
{
	spin.now_us = spin.us;
	spin.begins_ms = clock_now_ms + spin.pause_ms;
	spin.pause_ms *= 2;
	if (spin.pause_ms > SPIN_PAUSE_MOST_MS)
		spin.pause_ms = SPIN_PAUSE_MOST_MS;
}

/* Who comes later than most is not waited for: that time would be lost each time. */
static void spin_go_on(void)
{
	uint64_t us = SPIN_TIMES * spin.met_us / spin.met;

	us = us < SPIN_LEAST_US ? SPIN_LEAST_US : us;
	spin.now_us = us < spin.us ? (unsigned)us : spin.us;
	spin.pause_ms = SPIN_PAUSE_MS;
}

/* Another wait in which nothing was ready at first. A load under which it pays is known by half of
 * them: a wait saves a sleep, or costs the time once more. */
static void spin_judge(bool met, uint64_t us)
{
	poller_stats.spins++;
	poller_stats.spins_met += met;
	spin.met += met;
	spin.met_us += met ? us : 0;
	if (!spin.learns || (us < SPIN_CROWDED_US && ++spin.waits < SPIN_WAITS))
		return;
	if (us >= SPIN_CROWDED_US || spin.met < SPIN_PAYS)
		spin_pause();
	else
		spin_go_on();
	spin.waits = spin.met = 0;
	spin.met_us = 0;
}

/* What comes within the time for which it may spin; a timer that is due earlier ends it. */
static int poller_spins(struct epoll_event *events, int max, int timeout_ms)
{
	uint64_t most = (uint64_t)timeout_ms * 1000, began, us, given = 0, spun;
	int n = poller_ask(events, max, 0);

	if (n)
		return n;
	if (timeout_ms < 0 || most > spin.now_us)
		most = spin.now_us;
	began = poller_us();
	do {
		unsigned taken = poller_yielder();

		given += taken < YIELDED_US ? 0 : taken;
		n = poller_ask(events, max, 0);
		us = poller_us() - began;
	} while (!n && us < most);
	/* what is more than that was not its own: a signal stopped it, others were preferred */
	spun = us > given ? us - given : 0;
	poller_stats.spun_us += spun < most ? spun : most;
	spin_judge(n != 0, us);
	return n;
}

uint64_t poller_busy_us(void)
{
	struct timespec cpu;
	uint64_t us;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	us = (uint64_t)cpu.tv_sec * 1000000 + (uint64_t)cpu.tv_nsec / 1000;
	return us > poller_stats.spun_us ? us - poller_stats.spun_us : 0;
}

static inline bool spin_is_due(void)
{
	return spin.us && (!spin.learns ||
			   (clock_now_ms > rest.until_ms && clock_now_ms >= spin.begins_ms));
}

int poller_wait(struct epoll_event *events, int max, int timeout_ms)
{
	int n = 0;

	if (timeout_ms && spin_is_due())
		n = poller_spins(events, max, timeout_ms);
	else if (timeout_ms && clock_now_ms <= rest.until_ms)
		n = poller_rests(events, max);
	return n ? n : poller_ask(events, max, timeout_ms);
}
