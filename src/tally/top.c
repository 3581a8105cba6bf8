/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maxima. That of several processes is the maximum of the sums, which is found by whoever raises a
 * sum: a process looks at the sum when its own part is higher than in the last second or two, and
 * notes it (top) in its own row. Until then, and in a single process, the own maximum is all there
 * is. A timer brings own maxima down again while anything moves.
 */
#include "tally/top.h"

#include "base/clock.h"
#include "event/timer.h"
#include "tally/tally.h"

#include <stdatomic.h>

enum { TICK_MS = 1000 };

static struct timer tick_timer;
static bool quiet; /* at the last tick nothing moved, and nothing has risen since */
static bool (*objects_settle)(void);

static void raise_to(uint64_t *top, uint64_t value)
{
	if (value > *top)
		*top = value;
}

/* The own height is what it is now, so that the next rise is seen. Was it another? */
static bool settle(uint64_t *max, uint64_t *top, uint64_t now)
{
	bool moved = *max != now;

	raise_to(top, *max);
	*max = now;
	return moved;
}

static bool settle_rate(struct rate *rate)
{
	raise_to(&rate->top, rate_sum(rate));
	return settle(&rate->max, &rate->top, rate_read(rate, clock_now_ms));
}

bool tally_settle(struct counters *c, unsigned current, unsigned queued)
{
	bool moved = settle(&c->connections_max, &c->connections_top, current);

	moved |= settle(&c->queue_max, &c->queue_top, queued);
	moved |= settle_rate(&c->session_rate);
	moved |= settle_rate(&c->connection_rate);
	return moved | settle_rate(&c->request_rate);
}

static void arm_tick(void);

/* Runs while something rises or falls, or is open in one of several processes. Where all are quiet, what is open is looked at
 * alone: there may be many objects. */
static void tick(struct timer *timer)
{
	bool open, moved = tally_note_counted(&open);

	(void)timer;
	open = open && tally_shared; /* else nobody else asks */
	if (quiet && !moved) {
		if (open)
			timer_set(&tick_timer, clock_now_ms + TICK_MS);
		return;
	}
	moved |= settle_rate(&global_tally->conn_rate);
	moved |= settle_rate(&global_tally->sess_rate);
	moved |= settle_rate(&global_tally->bytes_out_rate);
	moved |= settle_rate(&global_tally->tls_rate);
	moved |= settle_rate(&global_tally->tls_front_keys);
	moved |= settle_rate(&global_tally->tls_back_keys);
	if (objects_settle)
		moved |= objects_settle();
	if (moved || open)
		arm_tick();
	quiet = !moved;
}

static void arm_tick(void)
{
	quiet = false;
	if (!tick_timer.fire)
		timer_init(&tick_timer, tick);
	if (!timer_armed(&tick_timer))
		timer_set(&tick_timer, clock_now_ms + TICK_MS);
}

void tally_stir(void)
{
	arm_tick();
}

void tally_new_height(uint64_t *max, uint64_t *top, const unsigned *gauge, unsigned limit)
{
	unsigned sum;

	*max = *gauge;
	if (!tally_shared)
		return;
	/* Of two that rise at one moment, at least one sees both. */
	atomic_thread_fence(memory_order_seq_cst);
	sum = gauge_sum_rows(gauge);
	raise_to(top, limit && sum > limit ? limit : sum);
	arm_tick();
}

/* Of high rates one in 32 of the heights is enough. */
static void rate_rises(struct rate *rate, uint64_t before)
{
	unsigned bits = rate->max < 64 ? 0 : (unsigned)(63 - __builtin_clzll(rate->max)) - 5;

	if (before >> bits == rate->max >> bits)
		return;
	raise_to(&rate->top, rate_sum(rate));
	arm_tick();
}

void tally_start(bool shared, bool (*settles)(void))
{
	objects_settle = settles;
	tally_shared = shared;
	rate_risen = shared ? rate_rises : NULL;
}
