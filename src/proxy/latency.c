/* SPDX-License-Identifier: BSD-2-Clause */
/* The moving average of response times: "balance peak-ewma" goes by it. Each process writes the
 * word in its own cell; who balances reads those of all. Called by proxy/learn.c and lb/. */
#include "proxy/latency.h"

#include "base/clock.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "tally/tally.h"

static const uint64_t most_us = (UINT64_C(1) << LATENCY_BITS) - 1;
static const uint64_t most_ms = (UINT64_C(1) << (64 - LATENCY_BITS)) - 1;

/* ---- arithmetic ------------------------------------------------------------------------ */

/* Behind so many milliseconds. Between two halvings along a line. */
static uint64_t faded(uint64_t us, uint64_t ms, unsigned half_ms)
{
	uint64_t halves = ms / half_ms;

	if (halves >= LATENCY_BITS)
		return 0;
	us >>= halves;
	return us - us * (ms % half_ms) / half_ms / 2;
}

/* The clock of others may be ahead; the number of milliseconds begins anew after two years. */
static uint64_t age(uint64_t word, uint64_t now_ms)
{
	uint64_t ms = ((now_ms & most_ms) - (word >> LATENCY_BITS)) & most_ms;

	return ms > most_ms / 2 ? 0 : ms;
}

uint32_t latency_faded(uint64_t word, uint64_t now_ms, unsigned half_ms)
{
	return (uint32_t)faded(word & most_us, age(word, now_ms), half_ms);
}

/* A lower value counts for as much as time has passed since the one before: many in one moment are
 * as one. */
uint64_t latency_after(uint64_t word, uint64_t us, uint64_t now_ms, unsigned half_ms)
{
	uint64_t was = word & most_us;

	if (us > most_us)
		us = most_us;
	if (was > us)
		us += faded(was - us, age(word, now_ms), half_ms);
	return (now_ms & most_ms) << LATENCY_BITS | us;
}

/* ---- of servers ------------------------------------------------------------------------ */

void latency_add(const struct server *s, uint64_t us)
{
	uint64_t *word = &s->tally->latency;

	__atomic_store_n(word, latency_after(*word, us, clock_now_ms, s->proxy->set.balance_decay),
			 __ATOMIC_RELAXED);
}

uint32_t latency_now(const struct server *s)
{
	const unsigned half_ms = s->proxy->set.balance_decay;
	const uint64_t *own = &s->tally->latency, *other;
	uint32_t us, highest = 0;
	unsigned row;

	if (!tally_shared)
		return latency_faded(*own, clock_now_ms, half_ms);
	for (row = 0; row < segment_rows(segment); row++) {
		other = segment_sibling(own, segment_own_row, row);
		us = latency_faded(__atomic_load_n(other, __ATOMIC_RELAXED), clock_now_ms, half_ms);
		highest = us > highest ? us : highest;
	}
	return highest;
}
