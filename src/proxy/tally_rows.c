/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows whose process has ended: the parent drops what was under way in them, and adds what they
 * have counted to row 0 when their generation has ended.
 */
#include "base/clock.h"
#include "base/err.h"
#include "proxy/tally.h"
#include "proxy/tally_parts.h"
#include "share/segment.h"

#include <string.h>

static void drop_gauges(enum segment_kind kind, void *cell)
{
	struct proxy_tally *px = cell;
	struct server_tally *s = cell;
	struct global_tally *global = cell;

	switch (kind) {
	case SLOT_FRONTEND:
	case SLOT_BACKEND:
		px->current = px->queued = px->total_queued = px->served = px->admitting = 0;
		px->first_waiter = 0;
		break;
	case SLOT_SERVER:
		s->current = s->queued = s->idle = s->idle_safe = s->idle_need = 0;
		s->first_waiter = 0;
		break;
	case SLOT_LISTENER:
		((struct listener_tally *)cell)->current = 0;
		break;
	case SLOT_GLOBAL:
		global->current = global->admitting = global->tls_current = 0;
		memset(global->now, 0, sizeof(global->now));
		break;
	case SLOT_FREE:
	case SLOT_KINDS:
		break;
	}
}

void tally_drop_gauges(unsigned row)
{
	struct segment_row *head = segment_row(segment, row);
	unsigned slot, other;

	if (row) {
		head->connections = 0;
		head->recent_accepts = 0;
		head->waits_for_room = 0;
		head->flags &= ~(uint32_t)(ROW_ACCEPTS | ROW_AWAY);
	}
	for (slot = 0; slot < segment_slots(segment); slot++)
		drop_gauges(segment_slot_kind(segment, slot), segment_cell(segment, row, slot));
	/* What it held is free, and whoever was waited for in it does not come. */
	for (other = 1; other < segment_rows(segment); other++)
		if (other != row)
			segment_wake(segment, other);
}

void tally_fold_row(unsigned row)
{
	enum segment_kind kind;
	unsigned slot;
	char *cell;

	tally_drop_gauges(row);
	segment_fold_begin(segment);
	for (slot = 0; slot < segment_slots(segment); slot++) {
		kind = segment_slot_kind(segment, slot);
		cell = segment_cell(segment, row, slot);
		if (kind != SLOT_FREE)
			tally_join(kind, segment_cell(segment, 0, slot), cell,
				   clock_now_ms);
		memset(cell, 0, segment_cell_size);
	}
	segment_free_row(segment, row);
	segment_fold_end(segment);
}

static unsigned gauges_of(enum segment_kind kind, const void *cell)
{
	const struct proxy_tally *px = cell;
	const struct server_tally *s = cell;
	const struct global_tally *global = cell;

	switch (kind) {
	case SLOT_FRONTEND:
	case SLOT_BACKEND:
		return px->current | px->queued | px->total_queued | px->served | px->admitting |
		       (px->first_waiter != 0);
	case SLOT_SERVER:
		return s->current | s->queued | s->idle | s->idle_safe | s->idle_need |
		       (s->first_waiter != 0);
	case SLOT_LISTENER:
		return ((const struct listener_tally *)cell)->current;
	case SLOT_GLOBAL:
		return global->current | global->tls_current;
	case SLOT_FREE:
	case SLOT_KINDS:
		break;
	}
	return 0;
}

int tally_check(struct err *err)
{
	unsigned row, slot;

	if (!tally_shared)
		return 0;
	for (row = 0; row < segment_rows(segment); row++) {
		if (row && segment_row(segment, row)->pid)
			continue;
		for (slot = 0; slot < segment_slots(segment); slot++)
			if (gauges_of(segment_slot_kind(segment, slot),
				      segment_cell(segment, row, slot)))
				return err_set(err, "row %u has no process, but sessions of %s",
					       row, segment_slot_name(segment, slot));
	}
	return 0;
}
