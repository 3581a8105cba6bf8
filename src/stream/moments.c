/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments of streams (stream/moments.h): who is told, in which order, and what a stream does that
 * is to wait or to end. Called by the step tables, and by steps where a moment is told alone. */
#include "stream/moments.h"

#include "stream/kind.h"
#include "stream/timeouts.h"

void moments_tell(struct stream *s, enum moment moment)
{
	unsigned rest;

	for (rest = subscribers_of[moment]; rest; rest &= rest - 1)
		subscribers[__builtin_ctz(rest)]->hear(s, moment);
}

/* ---- rows of the step tables --------------------------------------------------------------- */

enum reason moments_reason(enum moment_said said)
{
	switch (said) {
	case SAID_ENDS:
		return END_LOCAL;
	case SAID_REFUSES:
		return END_FILTERED;
	case SAID_FAULTY:
		return END_INTERNAL;
	default:
		return END_RESOURCE;
	}
}

/* For as long as its side may be silent. */
static int moments_wait(struct stream *s, bool is_response)
{
	const struct cursor *at = is_response ? &s->response : &s->request;

	if (stream_client_gone(s))
		return STEP_END;
	if (!at->waiting)
		stream_arm_wait(s, stream_timeout(s, is_response ? TIMEOUT_SERVER :
								   TIMEOUT_CLIENT));
	else if (stream_wait_over(s))
		return s->kind->filtered(s, END_FILTERED, is_response);
	s->relay.request.flags |= PUMP_WATCH; /* a client that leaves is noticed */
	return STEP_WAIT;
}

/* What the step of that side returns. */
static int moments_said(struct stream *s, enum moment_said said, bool is_response)
{
	if (said == SAID_WAITS)
		return moments_wait(s, is_response);
	if (said != SAID_GOES_ON)
		return s->kind->filtered(s, moments_reason(said), is_response);
	if ((is_response ? &s->response : &s->request)->waiting) {
		stream_expire_never(s);
		s->relay.request.flags &= (uint16_t)~PUMP_WATCH;
	}
	return STEP_NEXT;
}

/* Those that have let the stream go on are not asked again when another one has made it wait. Two
 * sides never wait at moments at once: the response's begins to run behind those of the request. */
static enum moment_said moments_ask(struct stream *s, enum moment moment, bool waiting)
{
	unsigned rest = subscribers_of[moment];
	enum moment_said said = SAID_GOES_ON;

	if (waiting)
		rest &= ~0u << s->heard;
	for (; rest && said == SAID_GOES_ON; rest &= rest - 1) {
		s->heard = (uint8_t)__builtin_ctz(rest) & (SUBSCRIBERS_MOST - 1);
		said = subscribers[s->heard]->hear(s, moment);
		if (s->reason != END_NONE)
			return SAID_ENDS;
		if (said == SAID_GOES_ON && s->kind->was_short(s))
			said = SAID_SHORT;
	}
	return said;
}

static int moment_of_request(struct stream *s, enum moment moment)
{
	enum moment_said said = moments_ask(s, moment, s->request.waiting);

	return s->reason == END_NONE ? moments_said(s, said, false) : STEP_END;
}

static int moment_of_response(struct stream *s, enum moment moment)
{
	enum moment_said said = moments_ask(s, moment, s->response.waiting);

	return s->reason == END_NONE ? moments_said(s, said, true) : STEP_END;
}

int moment_request(struct stream *s)
{
	return moment_of_request(s, MOMENT_REQUEST);
}

int moment_backend(struct stream *s)
{
	return moment_of_request(s, MOMENT_BACKEND);
}

int moment_ruled(struct stream *s)
{
	return moment_of_request(s, MOMENT_RULED);
}

int moment_connected(struct stream *s)
{
	return moment_of_request(s, MOMENT_CONNECTED);
}

int moment_response(struct stream *s)
{
	stream_respond(s);
	return moment_of_response(s, MOMENT_RESPONSE);
}

/* What somebody has said in the place of an answer is the answer: nobody is asked again. */
int moment_answer(struct stream *s)
{
	int r = moment_of_response(s, MOMENT_ANSWER);

	if (r >= STEP_GOTO)
		s->traits &= ~(unsigned)HEARD_ANSWER;
	return r;
}
