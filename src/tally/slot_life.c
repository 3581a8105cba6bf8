/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slots of servers and backends that come and go. The parent takes a slot, and retires it when the
 * object leaves. Workers leave later, each when its last stream has left the object, and say so in
 * their own cell (ended). The parent looks at the cells of those workers that lived when the slot
 * was retired, and clears the slot when all have said so or died. A worker forked later has never
 * had the object.
 */
#include "tally/slot_life.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"
#include "event/timer.h"
#include "share/segment.h"
#include "tally/tally.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_MS = 100 };

struct retired {
	struct list node;
	unsigned slot;
	enum segment_kind kind;
	uint8_t waits[SEGMENT_ROWS_MOST]; /* for this row */
};

static struct list retired = LIST_INIT(retired);
static void look(struct timer *timer);
static struct timer looker = { .fire = look };

void *slot_begin(enum segment_kind kind, const char *name, uint32_t serial, unsigned *slot,
		 struct err *err)
{
	int n;

	if (segment_own_row)
		n = segment_slot_find(segment, kind, name, serial);
	else
		n = segment_slot_fresh(segment, kind, name, serial, err);
	if (n < 0) {
		if (segment_own_row)
			err_set(err, "it has no slot");
		return NULL;
	}
	*slot = (unsigned)n;
	return segment_cell(segment, segment_own_row, *slot);
}

void slot_cancel(unsigned slot)
{
	if (!segment_own_row)
		segment_release(segment, slot);
}

/* The tally stands first in a cell. */
static const unsigned *ended_in(enum segment_kind kind, const void *cell)
{
	return kind == SLOT_SERVER ? &((const struct server_tally *)cell)->ended :
				     &((const struct proxy_tally *)cell)->ended;
}

/* In the sum of all no row is left that the object is in. */
static bool is_free(struct retired *r)
{
	const unsigned *ended;
	unsigned row;

	for (row = 1; row < segment_rows(segment); row++) {
		ended = ended_in(r->kind, segment_cell(segment, row, r->slot));
		if (r->waits[row] && __atomic_load_n(ended, __ATOMIC_ACQUIRE))
			r->waits[row] = false;
		if (r->waits[row])
			return false;
	}
	return true;
}

/* A worker inherits the parent's list: it is none of its business. */
static void look(struct timer *timer)
{
	struct retired *r, *next;

	list_for_each_safe(r, next, &retired, node) {
		if (!segment_own_row && !is_free(r))
			continue;
		list_remove(&r->node);
		if (!segment_own_row)
			segment_release(segment, r->slot);
		free(r);
	}
	if (!list_empty(&retired))
		timer_set(timer, clock_now_ms + LOOK_MS);
}

/* Without memory to note it, the slot is free again after the next reload. */
void slot_retire(unsigned slot)
{
	struct retired *r = segment_own_row || !tally_shared ? NULL : calloc(1, sizeof(*r));
	unsigned row;

	if (segment_own_row)
		return;
	if (r)
		r->kind = segment_slot_kind(segment, slot);
	segment_retire(segment, slot);
	if (!r)
		return;
	r->slot = slot;
	for (row = 1; row < segment_rows(segment); row++)
		r->waits[row] = segment_row(segment, row)->pid != 0;
	list_append(&retired, &r->node);
	if (!timer_armed(&looker))
		timer_set(&looker, clock_now_ms + LOOK_MS);
}

/* A worker inherits those that have left its parent, and has nothing in their slots. */
void slot_given_up(unsigned left_row, unsigned slot, unsigned *ended)
{
	if (left_row != segment_own_row)
		return;
	if (segment_own_row)
		__atomic_store_n(ended, 1, __ATOMIC_RELEASE);
	else if (!tally_shared)
		segment_release(segment, slot);
}

void slots_row_gone(unsigned row)
{
	struct retired *r;

	list_for_each(r, &retired, node)
		r->waits[row] = false;
}
