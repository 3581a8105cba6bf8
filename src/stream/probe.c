/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens at probes: empty in builds without them. Armed by "debug dev probe" and
 * process/probed.c. */
#include "event/probe.h"

#ifdef PROBES
#include "check/report.h"
#include "proxy/proxy.h"
#include "stream/probe.h"
#include "stream/stream.h"

static struct probe_plan plan;
static uint64_t at_hand; /* id of the stream that was at work last */
static uint64_t left, passes, done, dice;

/* xorshift64 */
static uint64_t probe_draw(void)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return dice;
}

static uint64_t probe_next(void)
{
	if (!plan.every || !plan.seed)
		return plan.every;
	return 1 + probe_draw() % (2 * plan.every - 1);
}

static bool probe_marks(void)
{
	if (plan.deed != PROBE_BOTH)
		return plan.deed == PROBE_MARKS_DOWN;
	return plan.seed ? probe_draw() & 1 << 20 : done & 1;
}

static void probe_act(struct stream *s)
{
	if (!s->server || !probe_marks())
		stream_end_soon(s, END_KILLED);
	else if (plan.down)
		plan.down(s->server);
	else
		report_observed(s->server, OBSERVED_BROKEN);
	done++;
}

/* Streams that have ended still pass some: there is nothing to be done to them. */
static void probe_pass(struct relay *relay)
{
	struct stream *s;

	if (relay)
		at_hand = stream_of(relay)->id;
	s = left ? stream_find(at_hand) : NULL;
	if (!s || s->origin->frontend->stats_socket != plan.asking ||
	    (plan.deed == PROBE_MARKS_DOWN && !s->server))
		return;
	passes++;
	if (--left)
		return;
	left = probe_next();
	probe_act(s);
}

void probe_arm(const struct probe_plan *wanted)
{
	plan = *wanted;
	dice = plan.seed;
	left = plan.first;
	passes = done = at_hand = 0;
	probe_passed = left ? probe_pass : NULL;
}

uint64_t probe_passes(void)
{
	return passes;
}

uint64_t probe_done(void)
{
	return done;
}
#endif
