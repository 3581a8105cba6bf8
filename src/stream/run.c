/* SPDX-License-Identifier: BSD-2-Clause */
/* The runner (stream/run.h): takes a stream through the rows of its tables that apply. No other
 * file writes a cursor (contrib/check-layers). */
#include "stream/run.h"

#include "base/result.h"
#include "event/loop.h"
#include "event/probe.h"
#include "event/profile.h"
#include "expr/regex.h"
#include "proxy/proxy.h"
#include "share/segment.h"
#include "stream/extra.h"
#include "stream/flags.h"
#include "stream/stream.h"
#include "stream/watched.h"

#include <string.h>

/* ---- the cursors ------------------------------------------------------------------------- */

/* What was asked for, two rows in a byte: of each one more than its number, 0 is none; so many
 * times the request's, and the response's. Of requests nobody asks for a row before the choice of a
 * server. A byte beside `reason' is looked at along with that. */
enum { ASKED_REQUEST = (int)RES_STEPS + 1, ASKED_FIRST = REQ_PROOF };
_Static_assert(((int)REQ_STEPS - ASKED_FIRST + 1) * ASKED_REQUEST <= 256,
	       "two rows have room in a byte");

COLD static void stream_moves(struct stream *s)
{
	unsigned request = s->asked / ASKED_REQUEST, response = s->asked % ASKED_REQUEST;

	s->asked = 0;
	if (request)
		s->request = (struct cursor){ .step = (uint8_t)(request - 1 + ASKED_FIRST) };
	if (response)
		s->response = (struct cursor){ .step = (uint8_t)(response - 1) };
}

static void stream_moves_unless_run(struct stream *s)
{
	if (!(s->in_steps & STEPS_RUN))
		stream_moves(s);
}

void stream_move_request(struct stream *s, enum request_step to)
{
	BUG_ON(to < REQ_PROOF);
	s->asked = (uint8_t)(s->asked % ASKED_REQUEST + (to - ASKED_FIRST + 1u) * ASKED_REQUEST);
	stream_moves_unless_run(s);
}

void stream_move_response(struct stream *s, enum response_step to)
{
	s->asked = (uint8_t)(s->asked / ASKED_REQUEST * ASKED_REQUEST + to + 1u);
	stream_moves_unless_run(s);
}

/* ---- the rows ---------------------------------------------------------------------------- */

/* Runs one side's rows from its cursor on, until it waits. False: the stream has ended. */
static ALWAYS_INLINE bool stream_run_side(struct stream *s, struct cursor *at, bool is_response,
					  bool watched)
{
	const struct step_walk *walk = steps_walk(s);
	unsigned step = at->step;
	int r;

	for (;;) {
		if (unlikely(walk->traits != s->traits))
			walk = steps_walk(s); /* it may be of another kind, too */
		step = (is_response ? walk->response : walk->request)[step];
		if (step != at->step) {
			at->step = (uint8_t)step;
			at->waiting = false;
		}
		if (watched)
			stream_watcher->step(s, (is_response ? walk->response_steps :
							       walk->request_steps)[step].name,
					     is_response);
		PROBE(&s->relay);
		r = (is_response ? walk->response_steps : walk->request_steps)[step].run(s);
		PROBE(&s->relay);
		if (unlikely(s->reason != END_NONE || s->asked)) {
			if (s->reason != END_NONE)
				return false;
			stream_moves(s);
		}
		stream_flags_hold(s);
		if (r >= STEP_GOTO) {
			step = (unsigned)r - STEP_GOTO;
			BUG_ON(step >= (is_response ? (unsigned)RES_STEPS : (unsigned)REQ_STEPS));
			at->waiting = false; /* it may be the same one */
		} else if (likely(r == STEP_NEXT)) {
			step = at->step + 1u;
		} else {
			at->waiting = r == STEP_WAIT;
			return true;
		}
	}
}

/* For whoever looks why this process has died or hangs. */
static void stream_at_hand(const struct stream *s)
{
	const struct addr *from = &s->origin->src;

	segment_own->at_hand.stream = s->id;
	segment_own->at_hand.frontend = (uint32_t)s->origin->frontend->uuid;
	segment_own->at_hand.family = from->family;
	segment_own->at_hand.port = from->port;
	memcpy(segment_own->at_hand.address, &from->v6, sizeof(segment_own->at_hand.address));
}

static ALWAYS_INLINE void stream_run_sides(struct stream *s, bool watched)
{
	stream_at_hand(s);
	regex_steps = REGEX_STEPS;
	if (stream_run_side(s, &s->request, false, watched) &&
	    (s->connected || s->traits & HAS_REPLY))
		DROPPED(stream_run_side(s, &s->response, true, watched), "it was the last side");
	regex_steps = REGEX_STEPS;
}

/* ---- somebody watches ---------------------------------------------------------------------- */

const struct stream_watch *stream_watcher;

void streams_watch(const struct stream_watch *watcher)
{
	stream_watcher = watcher;
}

void stream_watched_no_more(struct stream *s)
{
	s->in_steps &= (uint8_t)~STEPS_WATCHED;
	if (s->in_steps & STEPS_RUN)
		watch = NULL;
}

COLD static void stream_run_watched(struct stream *s)
{
	watch = &stream_watcher->rules;
	stream_run_sides(s, true);
	watch = NULL;
	if (stream_watcher)
		stream_watcher->waits(s);
}

static inline void stream_run_sides_of(struct stream *s, unsigned how)
{
	if (unlikely(how & STEPS_WATCHED))
		stream_run_watched(s);
	else
		stream_run_sides(s, false);
}

/* A call is a turn of the loop: what runs the steps again in it belongs to it. What has waited is
 * the time from the begin of the turn. */
COLD static void stream_run_measured(struct stream *s, uint8_t how)
{
	struct stream_extra *extra = extra_get(s);
	struct view_treatment *t = extra ? &extra->treatment : NULL;
	uint64_t began = profile_state.runs ? profile_now_ns() : 0;

	if (t && extra->measured_turn != (uint32_t)loop_stats.turns + 1) {
		extra->measured_turn = (uint32_t)loop_stats.turns + 1;
		t->calls++;
		t->lat_ns += began ? began - profile_state.turn_ns : 0;
	}
	if (t) {
		t->began_ns = began;
		t->asked_ns = 0;
	}
	s->in_steps = STEPS_RUN | how;
	stream_run_sides_of(s, how);
	s->in_steps &= (uint8_t)~STEPS_RUN;
	if (!t || !began || s->extra != extra) /* no memory, or it has ended */
		return;
	t->cpu_ns += profile_now_ns() - began;
	t->began_ns = 0;
}

COLD static void stream_run_looked_at(struct stream *s, uint8_t how)
{
	if (how & STEPS_MEASURED) {
		stream_run_measured(s, how);
		return;
	}
	s->in_steps = STEPS_RUN | how;
	stream_run_watched(s);
	s->in_steps &= (uint8_t)~STEPS_RUN;
}

void stream_run(struct stream *s)
{
	if (s->in_steps & STEPS_RUN || s->reason != END_NONE)
		return;
	if (unlikely(s->in_steps)) {
		stream_run_looked_at(s, s->in_steps);
		return;
	}
	s->in_steps = STEPS_RUN;
	stream_run_sides(s, false);
	s->in_steps = 0;
}

/* A pump has something to tell. Its bits stay; the steps look at them. */
void stream_notice(struct relay *relay, struct pump *pump)
{
	(void)pump;
	stream_run(stream_of(relay));
}
