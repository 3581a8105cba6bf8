/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens at probes: empty in builds without them. Armed by "debug dev probe". */
#include "event/probe.h"

#ifdef PROBES
#include "check/report.h"
#include "proxy/proxy.h"
#include "stream/probe.h"
#include "stream/stream.h"

static uint64_t at_hand; /* id of the stream that was at work last */
static uint64_t left, done;
static enum probe_deed deed;

/* Streams that have ended still pass some: there is nothing to be done to them. */
static void probe_pass(struct relay *relay)
{
	struct stream *s;

	if (relay)
		at_hand = stream_of(relay)->id;
	s = left ? stream_find(at_hand) : NULL;
	if (!s || s->origin->frontend->stats_socket || (deed == PROBE_MARKS_DOWN && !s->server))
		return;
	if (--left)
		return;
	done++;
	if (deed == PROBE_ENDS)
		stream_end_soon(s, END_KILLED);
	else
		report_observed(s->server, OBSERVED_BROKEN);
}

void probe_arm(uint64_t n, enum probe_deed what)
{
	left = n;
	deed = what;
	done = at_hand = 0;
	probe_passed = n ? probe_pass : NULL;
}

uint64_t probe_done(void)
{
	return done;
}
#endif
