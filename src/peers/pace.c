/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the process that speaks looks for changes of its tables. Asleep it is woken by the first
 * change, tells what it finds at once, and sleeps again: a client may be at another machine right
 * behind its answer. What has changed in one turn of the loop is told together. Where changes come
 * so fast that it was woken several times in a millisecond, it stays awake until the next one, so
 * that a change costs others a call to the kernel a few times a millisecond at the most.
 * While nobody is connected it is never woken, and does not look.
 *
 * A turn looks for some 100 us, a piece of each table, from where the turn before has ended.
 */
#include "peers/pace.h"

#include "base/clock.h"
#include "base/err.h"
#include "event/loop.h"
#include "event/timer.h"
#include "peers/life.h"
#include "peers/section.h"
#include "share/segment.h"
#include "share/wake.h"
#include "stick/feed.h"

/* A piece has so many words of notes: some 70 us, if all places have changed. */
enum { PACE_WAKES = 4, /* a millisecond */ PACE_WORDS = 128, PACE_TURN_US = 100 };

static struct task look_task;
static struct timer look_timer;
static struct wake waker;
static bool speaks, asleep;
static unsigned listeners;
static unsigned wakes_of_now;
static uint64_t woken_ms;              /* wakes_of_now are of that time */
static const struct list *section_at; /* that is looked at next; the head of the list is none */

/* What came of a look. */
struct look {
	uint64_t end; /* clock_read_us: no piece begins behind it */
	bool found;
	bool more;    /* something is left to be looked at */
};

/* A piece of each table. False: the time is over. */
static bool look_at_tables(struct peers_section *s, struct look *look, unsigned *found)
{
	unsigned left, *at = &s->life->table_at;

	for (left = s->table_count; left; left--) {
		if (clock_read_us() >= look->end)
			return false;
		look->more |= stick_feed_collect(s->tables[*at].table, PACE_WORDS, found);
		*at = (*at + 1) % s->table_count;
	}
	return true;
}

/* Those who are told hear of it. False: the time is over. */
static bool look_at_section(struct peers_section *s, struct look *look)
{
	struct peer_link *link;
	unsigned found = 0;
	bool all = look_at_tables(s, look, &found);

	if (!found)
		return all;
	look->found = true;
	list_for_each(link, &s->life->links, node)
		if (link->state == LINK_TALKS)
			peer_link_tables_changed(link);
	return all;
}

static struct look look_at_all(void)
{
	struct look look = { .end = clock_read_us() + PACE_TURN_US };
	const struct list *begin = section_at;
	struct peers_section *s;

	do {
		s = section_at == &peers_running->sections ? NULL :
		    list_entry(section_at, struct peers_section, node);
		if (s && s->life && !look_at_section(s, &look)) {
			look.more = true;
			break;
		}
		section_at = section_at->next;
	} while (section_at != begin);
	return look;
}

static void stay_awake(void)
{
	stick_feed_stay_awake();
	asleep = false;
}

/* Until the next change. True: there is one already. */
static bool sleep_on_it(void)
{
	struct look look;

	stick_feed_sleep();
	asleep = true;
	look = look_at_all();
	if (!look.found && !look.more)
		return false;
	stay_awake();
	return true;
}

/* It was woken too often of late to sleep. */
static bool is_pressed(void)
{
	if (woken_ms != clock_now_ms)
		wakes_of_now = 0;
	woken_ms = clock_now_ms;
	return ++wakes_of_now > PACE_WAKES;
}

static void look(void)
{
	if (!listeners)
		return;
	if (asleep)
		stay_awake();
	if (look_at_all().more)
		task_wake(&look_task);
	else if (is_pressed())
		timer_set(&look_timer, clock_now_ms + 1);
	else if (sleep_on_it())
		task_wake(&look_task);
}

static void look_run(struct task *task)
{
	(void)task;
	look();
}

static void look_fire(struct timer *timer)
{
	(void)timer;
	look();
}

/* Another process has woken this one, perhaps for something else. */
static void woken(struct wake *wake)
{
	(void)wake;
	if (asleep)
		task_wake(&look_task);
}

/* Something has changed, in the middle of whatever changes it. */
static void wakes(uint32_t row)
{
	if (row == segment_own_row)
		task_wake(&look_task);
	else if (segment)
		segment_wake(segment, row);
}

void pace_prepare(void)
{
	task_init(&look_task, look_run);
	timer_init(&look_timer, look_fire);
	stick_feed_wakes = wakes;
}

int pace_start(struct err *err)
{
	if (!wake_watch(&waker, woken))
		return err_set(err, "peers: the poller does not take what wakes this process");
	return 0;
}

void pace_begin(void)
{
	speaks = true;
	asleep = false;
	listeners = 0;
	section_at = &peers_running->sections;
	stick_feed_own();
	stick_feed_stay_awake();
}

void pace_end(void)
{
	if (!speaks)
		return;
	speaks = asleep = false;
	task_cancel(&look_task);
	timer_cancel(&look_timer);
}

void pace_listeners(int more)
{
	listeners += (unsigned)more;
	if (more > 0) {
		task_wake(&look_task);
		return;
	}
	if (!listeners && asleep)
		stay_awake();
}
