/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums over the rows of the segment.
 *
 * A tally is at the same place in each row, so the tally of this process is all that is needed to
 * find the others. What two come to: join.c. Maxima of sums: top.c. Rows whose process has ended:
 * ended_rows.c.
 */
#include "tally/tally.h"

#include "base/bug.h"
#include "base/clock.h"
#include "share/segment.h"
#include "tally/join.h"

#include <string.h>

enum { SUM_TRIES = 1000 }; /* while rows are folded */

static struct global_tally no_tally; /* before any generation runs */
struct global_tally *global_tally = &no_tally;
bool tally_shared;
void (*tally_collect)(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW]);
int tally_shown_row = -1;

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

static const void *of_row(const void *own, unsigned row)
{
	return segment_sibling(own, segment_own_row, row);
}

void tally_row(enum segment_kind kind, const void *own, unsigned row, void *out)
{
	memset(out, 0, tally_size(kind));
	tally_join(kind, out, of_row(own, row), clock_now_ms);
}

void tally_sum(enum segment_kind kind, const void *own, void *out)
{
	unsigned row, tries = 0;
	uint64_t begun;

	if (!tally_shared) {
		tally_row(kind, own, segment_own_row, out);
		return;
	}
	if (tally_shown_row >= 0) {
		tally_row(kind, own, (unsigned)tally_shown_row, out);
		return;
	}
	do {
		begun = segment_sum_begin(segment);
		memset(out, 0, tally_size(kind));
		for (row = 0; row < segment_rows(segment); row++)
			tally_join(kind, out, of_row(own, row), clock_now_ms);
	} while (segment_sum_again(segment, begun) && tries++ < SUM_TRIES);
}

/* What this process has that others can end: nobody tells when it falls. */
static bool anything_open(const uint64_t now[TALLY_NOW])
{
	static const uint8_t gauges[] = {
		NOW_PIPES_USED, NOW_STREAMS,       NOW_TLS_RESTING,     NOW_H2_FE_CONNS,  NOW_H2_FE_STREAMS,
		NOW_H2_BE_CONNS, NOW_H2_BE_STREAMS, NOW_PEERS_CONNECTED, NOW_PEERS_ACTIVE,
	};

	for (size_t i = 0; i < ARRAY_LEN(gauges); i++)
		if (now[gauges[i]])
			return true;
	return false;
}

/* The cell goes on where a process that had it before has ended. Was anything counted? */
bool tally_note_counted(bool *open)
{
	static uint64_t before[TALLY_COUNTED];
	uint64_t counted[TALLY_COUNTED] = { 0 }, now[TALLY_NOW] = { 0 };
	bool moved = false;

	*open = false;
	if (!tally_collect)
		return false;
	tally_collect(counted, now);
	for (unsigned i = 0; i < TALLY_COUNTED; i++) {
		moved |= counted[i] != before[i];
		if (tally_shared)
			global_tally->counted[i] += counted[i] - before[i];
		else
			global_tally->counted[i] = counted[i];
		before[i] = counted[i];
	}
	*open = anything_open(now);
	memcpy(global_tally->now, now, sizeof(now));
	return moved;
}

void global_sum(struct global_tally *out)
{
	bool open;

	tally_note_counted(&open);
	tally_sum(SLOT_GLOBAL, global_tally, out);
}

unsigned gauge_sum_rows(const unsigned *own)
{
	unsigned row, total = 0;

	for (row = 0; row < segment_rows(segment); row++)
		total += __atomic_load_n((const unsigned *)of_row(own, row), __ATOMIC_SEQ_CST);
	return total;
}

unsigned gauge_sum_recent(const unsigned *own)
{
	static struct {
		const unsigned *own;
		uint64_t at_ms;
		unsigned others;
	} recent[64], *r;

	if (!tally_shared)
		return *own;
	r = &recent[((uintptr_t)own / 64 * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
	if (r->own != own || r->at_ms != clock_now_ms) {
		r->own = own;
		r->at_ms = clock_now_ms;
		r->others = gauge_sum_rows(own) - *own;
	}
	return *own + r->others;
}

uint64_t counter_sum(const uint64_t *own)
{
	unsigned row, tries = 0;
	uint64_t begun, total;

	if (!tally_shared)
		return *own;
	do {
		begun = segment_sum_begin(segment);
		for (total = 0, row = 0; row < segment_rows(segment); row++)
			total += LOAD(*(const uint64_t *)of_row(own, row));
	} while (segment_sum_again(segment, begun) && tries++ < SUM_TRIES);
	return total;
}

uint64_t rate_sum(const struct rate *own)
{
	struct rate total = { 0 };
	unsigned row;

	if (!tally_shared)
		return rate_read(own, clock_now_ms);
	for (row = 0; row < segment_rows(segment); row++)
		tally_join_rate(&total, of_row(own, row), clock_now_ms);
	return rate_read(&total, clock_now_ms);
}
