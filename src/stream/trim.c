/* SPDX-License-Identifier: BSD-2-Clause */
/* When much has been freed and few streams are left of those that there were, what nobody uses goes
 * back to the system: exchanges and contexts of compression that are kept, slabs of pools, and what
 * the allocator holds. Called by pools when they free something large, which costs the usual
 * request nothing. Never in the middle of a flood: the pages would be needed again at once. */
#include "stream/trim.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/timer.h"
#include "filter/deflater.h"
#include "stream/stream.h"

#include <malloc.h>

enum { LEAST = 1 << 20, FLOOD = 64 /* streams */, SOON_MS = 500, LATER_MS = 60000 };

void (*trim_kept)(void);

static size_t freed;
static unsigned most, wait_ms; /* streams since the last time */
static struct timer timer;

static void trim_now(void)
{
	if (trim_kept)
		trim_kept();
	deflater_trim();
	pools_trim();
	malloc_trim(0);
	freed = most = 0;
}

static void trim_look(struct timer *t)
{
	if (most < FLOOD) {
		freed = most = 0;
		return;
	}
	if (streams_count <= most / 4) {
		trim_now();
		return;
	}
	wait_ms = wait_ms < LATER_MS / 2 ? wait_ms * 2 : LATER_MS;
	timer_set(t, clock_now_ms + wait_ms);
}

static void trim_freed(size_t size)
{
	freed += size;
	if (streams_count > most)
		most = streams_count;
	if (freed < LEAST || timer_armed(&timer))
		return;
	wait_ms = SOON_MS;
	timer_set(&timer, clock_now_ms + wait_ms);
}

void trim_configure(bool on)
{
	timer_init(&timer, trim_look);
	pool_freed = on ? trim_freed : NULL;
}
