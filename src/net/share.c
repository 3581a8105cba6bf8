/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accepting from sockets that several processes have. The kernel wakes one process a connection
 * (EPOLLEXCLUSIVE), of those asleep the one that has stood longest in the line; whoever took one
 * goes to the end of the line. A process that has more to do than the least loaded of the others,
 * by more than a tenth, stands back: it leaves the line, and is called back by those who accept
 * when the difference has gone. Called by net/accept.c; knows nothing of limits.
 *
 * Invariants: a process that was woken takes what it was woken for before it stands back, since
 * nobody else was told. Whoever has least never stands back. Nobody relies on another process: one
 * that stands back looks after CHECK_MS whether a connection waits nevertheless; if so it leaves
 * those out of account from then on who have not moved meanwhile, until they move.
 */
#include "net/share.h"

#include "base/clock.h"
#include "event/loop.h"
#include "event/poller.h"
#include "event/timer.h"
#include "net/listener.h"
#include "share/segment.h"
#include "share/wake.h"

#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <time.h>

enum { CHECK_MS = 100, CHECK_MOST_MS = 4 * CHECK_MS,
       CONFIRM_MS = 10, CHECKS_MOST = 3,
       ROUND = 32,         /* to the end of the line at the latest after so many in one ms */
       CPU_LEAST_MS = 100, /* a share of the processor is measured over at least this long */
       CPU_MOST_MS = 2000, /* and over at most that */
       CPU_BUSY = 200,     /* permille of a processor: below, nobody is busy */
       CPU_TIMES = 2 };    /* so many times as much as this process is busier */

struct share_stats share_stats;
bool share_evenly = true;

/* What this process remembers of another. */
struct peer {
	uint64_t turns;       /* when this process stood back */
	uint64_t still;       /* it hangs while its turns are this - 1; 0: it does not */
	uint64_t called;      /* it was called back when its turns were this - 1 */
	uint64_t busy_us, own_busy_us, cpu_at_ms; /* when its CPU time was looked at last */
	pid_t cpu_pid;
	bool busier;          /* than this process, then */
};

static struct peer peers[SEGMENT_ROWS_MOST];
static struct list members = LIST_INIT(members); /* listeners that accept */
static bool away;
static struct timer check; /* while away */
static unsigned check_ms;
static unsigned waited;    /* checks in a row that found a connection waiting */
static unsigned taken, look_after; /* connections since the last look at the others, to the next */
static bool alone = true;    /* nobody else accepted at the last look */
static struct task decision; /* to stand back, at the end of the turn */
static struct wake called_back;

/* ---- the decision ------------------------------------------------------------------------ */

enum { RECENT_UNIT = 16 };

/* Between the halvings in a straight line. */
static uint32_t recent_at(uint64_t recent, uint64_t now_ms)
{
	uint32_t n = (uint32_t)recent, age = (uint32_t)now_ms - (uint32_t)(recent >> 32);

	if (age > INT32_MAX) /* written by one whose clock is ahead by a turn */
		age = 0;
	if (age / SHARE_HALF_MS > 31)
		return 0;
	n >>= age / SHARE_HALF_MS;
	return n - (uint32_t)((uint64_t)n * (age % SHARE_HALF_MS) / (2 * SHARE_HALF_MS));
}

uint64_t share_recent_add(uint64_t recent, uint64_t now_ms, unsigned n)
{
	uint64_t sum = recent_at(recent, now_ms) + (uint64_t)n * RECENT_UNIT;

	return now_ms << 32 | (sum < UINT32_MAX ? sum : UINT32_MAX);
}

unsigned share_load(unsigned connections, uint64_t recent, uint64_t now_ms)
{
	return connections * SHARE_WEIGHT + recent_at(recent, now_ms) / RECENT_UNIT;
}

unsigned share_margin(unsigned least, bool back)
{
	unsigned margin = (unsigned)((uint64_t)least * SHARE_PERCENT / 100);

	if (margin < SHARE_SLACK)
		margin = SHARE_SLACK;
	return back ? margin / 2 : margin;
}

bool share_stands_back(unsigned load, unsigned least, bool is_away)
{
	return least < load && load - least > share_margin(least, is_away);
}

/* ---- the others -------------------------------------------------------------------------- */

static uint64_t turns_of(const struct segment_row *row)
{
	return atomic_load_explicit(&row->pulse.turns, memory_order_relaxed);
}

static unsigned load_of(const struct segment_row *row)
{
	return share_load(atomic_load_explicit(&row->connections, memory_order_relaxed),
			  atomic_load_explicit(&row->recent_accepts, memory_order_relaxed), clock_now_ms);
}

/* As poller_busy_us of that process. */
static uint64_t busy_us(clockid_t clock, const struct segment_row *row)
{
	uint64_t spun = atomic_load_explicit(&row->pulse.spun_us, memory_order_relaxed), us;
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		return 0;
	us = (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
	return us > spun ? us - spun : 0;
}

/* Has that process used clearly more CPU of late than this one? Then its few connections are
 * heavy, and it is not left the next ones. Only asked of those whom one would stand back for. */
static bool is_busier(struct peer *peer, const struct segment_row *row)
{
	uint64_t age = clock_now_ms - peer->cpu_at_ms, theirs, mine;
	pid_t pid = row->pid;
	clockid_t clock;

	if (peer->cpu_pid == pid && age < CPU_LEAST_MS)
		return peer->busier;
	if (clock_getcpuclockid(pid, &clock))
		return false;
	theirs = busy_us(clock, row);
	mine = poller_busy_us();
	peer->busier = false;
	if (peer->cpu_pid == pid && age <= CPU_MOST_MS && theirs > peer->busy_us) {
		uint64_t busy = (theirs - peer->busy_us) / age;
		uint64_t own = (mine - peer->own_busy_us) / age;

		peer->busier = busy > CPU_BUSY && busy > CPU_TIMES * own;
	}
	peer->busy_us = theirs;
	peer->own_busy_us = mine;
	peer->cpu_at_ms = clock_now_ms;
	peer->cpu_pid = pid;
	return peer->busier;
}

/* Could that one take the next connection? */
static bool can_take(struct peer *peer, const struct segment_row *row)
{
	if (!row->pid || !(row->flags & ROW_ACCEPTS))
		return false;
	if (peer->still && peer->still != turns_of(row) + 1)
		peer->still = 0;
	return !peer->still;
}

/* The least load of the others; UINT_MAX: there is nobody. */
static unsigned least_of_others(void)
{
	unsigned row, rows = segment_rows(segment), least = UINT_MAX, own = load_of(segment_own);

	for (row = 0; row < rows; row++) {
		const struct segment_row *r = segment_row(segment, row);
		unsigned load;

		if (r == segment_own || !can_take(&peers[row], r))
			continue;
		load = load_of(r);
		if (load < least && !(share_stands_back(own, load, false) &&
				      is_busier(&peers[row], r)))
			least = load;
	}
	return least;
}

static void call_back(unsigned row, const struct segment_row *r)
{
	struct peer *peer = &peers[row];

	if (peer->called == turns_of(r) + 1)
		return; /* it has not run since */
	peer->called = turns_of(r) + 1;
	share_stats.woken++;
	segment_wake(segment, row);
}

/* Those who stand back and need not any more: perhaps nobody else accepts. */
static void call_back_those(void)
{
	unsigned row, rows = segment_rows(segment), first = UINT_MAX, second = UINT_MAX;

	for (row = 0; row < rows; row++) {
		const struct segment_row *r = segment_row(segment, row);
		unsigned load;

		if (r != segment_own && !can_take(&peers[row], r))
			continue;
		load = load_of(r);
		if (load < first) {
			second = first;
			first = load;
		} else if (load < second) {
			second = load;
		}
	}
	for (row = 0; row < rows; row++) {
		const struct segment_row *r = segment_row(segment, row);
		unsigned load;

		if (r == segment_own || !(r->flags & ROW_AWAY) || !r->pid)
			continue;
		load = load_of(r);
		if (!share_stands_back(load, load == first ? second : first, true))
			call_back(row, r);
	}
}

/* ---- standing back ----------------------------------------------------------------------- */

static void share_flag(uint32_t flag, bool on)
{
	uint32_t flags = segment_own->flags;

	atomic_store(&segment_own->flags, on ? flags | flag : flags & ~flag);
}

static int watch(struct listener *l)
{
	return loop_add(&l->src, EPOLLIN | EPOLLEXCLUSIVE);
}

static void note_turns(void)
{
	unsigned row, rows = segment_rows(segment);

	for (row = 0; row < rows; row++)
		peers[row].turns = turns_of(segment_row(segment, row));
}

static void step_back(void)
{
	struct listener *l;

	list_for_each(l, &members, share_node)
		loop_remove(&l->src);
	away = true;
	share_stats.away++;
	share_flag(ROW_AWAY, true);
	note_turns();
	waited = 0;
	check_ms = CHECK_MS;
	timer_set(&check, clock_now_ms + check_ms);
}

static void come_back(void)
{
	struct listener *l;
	bool failed = false;

	away = false;
	timer_cancel(&check);
	list_for_each(l, &members, share_node)
		if (!l->src.registered && watch(l) < 0)
			failed = true;
	if (failed) { /* no memory: all the same in a moment */
		away = true;
		timer_set(&check, clock_now_ms + CHECK_MOST_MS);
		return;
	}
	share_flag(ROW_AWAY, false);
}

static void look(void)
{
	if (away && !share_stands_back(load_of(segment_own), least_of_others(), true))
		come_back();
}

static bool somebody_waits(void)
{
	struct listener *l;

	list_for_each(l, &members, share_node) {
		struct pollfd p = { .fd = l->src.fd, .events = POLLIN };

		if (poll(&p, 1, 0) > 0)
			return true;
	}
	return false;
}

/* A connection waits, although others were to take it: those who have not moved since are left out
 * of account. */
static void note_still(void)
{
	unsigned row, rows = segment_rows(segment);

	share_stats.alone++;
	for (row = 0; row < rows; row++) {
		const struct segment_row *r = segment_row(segment, row);

		if (r != segment_own && turns_of(r) == peers[row].turns)
			peers[row].still = turns_of(r) + 1;
	}
}

/* Looks twice before it says that others hang: when the machine has stood still for all, this
 * process may be the first to run again. */
static void check_fired(struct timer *timer)
{
	bool waits = somebody_waits();

	share_stats.checks++;
	if (waits && !waited++) {
		timer_set(timer, clock_now_ms + CONFIRM_MS);
		return;
	}
	if (waits)
		note_still();
	else
		waited = 0;
	look();
	if (!away)
		return;
	if (waited > CHECKS_MOST) {
		come_back();
		return;
	}
	note_turns();
	if (check_ms < CHECK_MOST_MS && !waits)
		check_ms *= 2;
	timer_set(timer, clock_now_ms + check_ms);
}

static void was_called_back(struct wake *wake)
{
	(void)wake;
	look();
}

/* All that were woken for are served in this turn before the sockets are left. */
static void decided(struct task *task)
{
	(void)task;
	if (!away && !list_empty(&members))
		step_back();
	call_back_those();
}

/* ---- listeners --------------------------------------------------------------------------- */

int share_enter(struct listener *l)
{
	if (!called_back.run) {
		timer_init(&check, check_fired);
		task_init(&decision, decided);
		if (!wake_watch(&called_back, was_called_back))
			return -1;
	}
	if (l->light)
		return watch(l);
	if (!away && watch(l) < 0)
		return -1;
	list_append(&members, &l->share_node);
	share_flag(ROW_ACCEPTS, true);
	return 0;
}

void share_leave(struct listener *l)
{
	list_remove(&l->share_node);
	if (list_empty(&members) && called_back.run) {
		away = false;
		task_cancel(&decision);
		timer_cancel(&check);
		share_flag(ROW_ACCEPTS | ROW_AWAY, false);
	}
}

/* Behind all that sleep in the line of this socket. More often than once a millisecond it costs
 * more than it brings: those that are busy are not woken anyway. */
static void to_the_end(struct listener *l)
{
	if (l->round_ms == clock_now_ms && ++l->since_round < ROUND)
		return;
	l->round_ms = clock_now_ms;
	l->since_round = 0;
	share_stats.rounds++;
	loop_remove(&l->src);
	if (watch(l) < 0) /* no memory: net/accept.c brings it back */
		timer_set(&l->retry, clock_now_ms + CHECK_MS);
}

static void share_taken(void)
{
	unsigned least;

	atomic_store_explicit(&segment_own->recent_accepts,
			      share_recent_add(segment_own->recent_accepts, clock_now_ms, 1),
			      memory_order_relaxed);
	if (share_evenly && ++taken >= look_after && !away) {
		least = least_of_others();
		taken = 0;
		alone = least == UINT_MAX;
		look_after = alone ? 1 : share_margin(least, true) / (4 * SHARE_WEIGHT);
		if (share_stands_back(load_of(segment_own), least, false))
			task_wake(&decision);
		else
			call_back_those();
	}
}

bool share_accepted(struct listener *l)
{
	if (!l->light)
		share_taken();
	if (l->src.registered && (l->light || !share_evenly || !(alone || task_queued(&decision))))
		to_the_end(l);
	return l->src.registered && (l->light || !task_queued(&decision));
}

void share_count(int change)
{
	uint32_t now = segment_own->connections + (uint32_t)change;

	atomic_store_explicit(&segment_own->connections, now, memory_order_relaxed);
	if (unlikely(away) && change < 0)
		look();
}
