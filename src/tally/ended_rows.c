/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows whose process has ended: the parent drops what was under way in them, and adds what they
 * have counted to row 0 when their generation has ended.
 */
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "share/segment.h"
#include "tally/join.h"
#include "tally/slot_life.h"
#include "tally/tally.h"

#include <stddef.h>
#include <string.h>

/* What a process has, and nobody has any more when it has died. */
static const struct gauge {
	enum segment_kind kind;
	uint16_t at, size; /* in the cell */
	bool parents;      /* the parent has it, too: in row 0, which is of no other process */
} gauges[] = {
#define GAUGE(kind, tally, name) \
	{ kind, offsetof(struct tally, name), sizeof(((struct tally *)NULL)->name), false }
#define GAUGES_OF_PROXY(kind)                                                              \
	GAUGE(kind, proxy_tally, current), GAUGE(kind, proxy_tally, queued),               \
		GAUGE(kind, proxy_tally, total_queued), GAUGE(kind, proxy_tally, served),  \
		GAUGE(kind, proxy_tally, admitting), GAUGE(kind, proxy_tally, first_waiter), \
		GAUGE(kind, proxy_tally, retrying),                                        \
		GAUGE(kind, proxy_tally, h1.open_connections),                             \
		GAUGE(kind, proxy_tally, h1.open_streams),                                 \
		GAUGE(kind, proxy_tally, h2.open_connections),                             \
		GAUGE(kind, proxy_tally, h2.backend_open_streams)
	GAUGES_OF_PROXY(SLOT_FRONTEND),
	GAUGES_OF_PROXY(SLOT_BACKEND),
	GAUGE(SLOT_SERVER, server_tally, current),
	GAUGE(SLOT_SERVER, server_tally, queued),
	GAUGE(SLOT_SERVER, server_tally, taken),
	GAUGE(SLOT_SERVER, server_tally, idle),
	GAUGE(SLOT_SERVER, server_tally, idle_safe),
	GAUGE(SLOT_SERVER, server_tally, idle_need),
	GAUGE(SLOT_SERVER, server_tally, first_waiter),
	GAUGE(SLOT_LISTENER, listener_tally, current),
	GAUGE(SLOT_GLOBAL, global_tally, current),
	GAUGE(SLOT_GLOBAL, global_tally, admitting),
	GAUGE(SLOT_GLOBAL, global_tally, tls_current),
	{ SLOT_GLOBAL, offsetof(struct global_tally, now), sizeof(((struct global_tally *)NULL)->now),
	  true },
#undef GAUGES_OF_PROXY
#undef GAUGE
};

static void drop_gauges(enum segment_kind kind, char *cell)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(gauges); i++)
		if (gauges[i].kind == kind)
			memset(cell + gauges[i].at, 0, gauges[i].size);
}

void tally_drop_gauges(unsigned row)
{
	struct segment_row *head = segment_row(segment, row);
	unsigned slot, other;

	if (row) {
		slots_row_gone(row);
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
		memset(cell, 0, segment_layout.cell);
	}
	segment_free_row(segment, row);
	segment_fold_end(segment);
}

static bool is_zero(const char *bytes, size_t len)
{
	while (len && !*bytes) {
		bytes++;
		len--;
	}
	return !len;
}

static bool has_gauges(enum segment_kind kind, const char *cell, unsigned row)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(gauges); i++)
		if (gauges[i].kind == kind && (row || !gauges[i].parents) &&
		    !is_zero(cell + gauges[i].at, gauges[i].size))
			return true;
	return false;
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
			if (has_gauges(segment_slot_kind(segment, slot),
				       segment_cell(segment, row, slot), row))
				return err_set(err, "row %u has no process, but sessions of %s",
					       row, segment_slot_name(segment, slot));
	}
	return 0;
}
