/* SPDX-License-Identifier: BSD-2-Clause */
/* Where rules run in the life of a stream. The rules themselves, and what they compare, are in
 * expr/; here is when they are asked, what they may see, and what follows. */
#include "stream/rule_steps.h"

#include "base/clock.h"
#include "base/result.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/message_end.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/place.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "stream/upgrade.h"
#include "stream/view.h"

/* ---- connection and session ------------------------------------------------------------- */

static enum rule_result rules_of_session(const struct rule_set *set, struct origin *origin,
					 struct link client)
{
	struct rule_place place = { 0 };
	struct view view;

	if (likely(!set))
		return RULES_PASS;
	view_of_origin(origin, client, &view);
	return rules_run(set, &view, &place, true);
}

enum rule_result connection_rules(struct origin *origin, struct link client)
{
	const struct proxy *px = origin->frontend;
	enum rule_result r = rules_of_session(px->connection_rules, origin, client);

	if (r != RULES_PASS) {
		px->fe->counters.denied_connections++;
		origin_counters(origin)->denied_connections++;
	}
	return r;
}

enum rule_result session_rules(struct origin *origin, struct link client)
{
	const struct proxy *px = origin->frontend;
	enum rule_result r = rules_of_session(px->session_rules, origin, client);

	if (r != RULES_PASS) {
		px->fe->counters.denied_sessions++;
		origin_counters(origin)->denied_sessions++;
	}
	return r;
}

/* ---- content ---------------------------------------------------------------------------- */

/* No more bytes will come for the rules to see. */
static bool content_complete(const struct pump *pump, bool over)
{
	bool final;

	if (over || pump->flags & (PUMP_EOF | PUMP_READ_ERROR))
		return true;
	if (!pump->from->framing)
		return pump->buf && !buffer_room(pump->buf);
	end_body(pump->from, &final);
	return final;
}

/* In mode http what comes of the body stays with the end, which knows its coding: whoever wants to
 * see or to change the body later has all of it. False: the rest of it will not come. */
static bool content_read_body(struct pump *pump)
{
	struct end *end = pump->from;
	bool final;
	size_t had = end_body(end, &final).len;
	enum io r = end_body_in(end);

	pump->flags |= PUMP_WATCH;
	if (end_body(end, &final).len > had)
		pump->flags |= PUMP_DATA;
	return r == IO_OK || r == IO_AGAIN;
}

/* Reads what has come; in mode tcp it stays in the pump's buffer. */
static bool content_read(struct pump *pump)
{
	pump->flags &= (uint16_t)~PUMP_DATA;
	if (pump->from->framing)
		return content_read_body(pump);
	pump->flags |= PUMP_LOOK;
	pump_run(pump);
	return true;
}

/* Bytes that came along with the connection are there for the first rule; of new connections nobody
 * has asked for any yet. */
static bool content_read_first(struct pump *pump)
{
	if (!pump->from->framing)
		*pump->from->flags |= CONN_READABLE;
	return content_read(pump);
}

/* RULES_REPLY: there is an answer, or the stream has ended. */
static enum rule_result content_broken(struct stream *s, const struct pump *pump)
{
	s->kind->cut(s, pump->is_response);
	return RULES_REPLY;
}

/* Waits on: for bytes, the end of the delay, or the timeout of the side that should send.
 * RULES_PASS: the delay is over, the rules are asked once more. */
static enum rule_result content_wait(struct stream *s, struct pump *pump, unsigned delay)
{
	unsigned timeout = stream_timeout(s, pump->is_response ? TIMEOUT_SERVER : TIMEOUT_CLIENT);

	switch (stream_arm_inspection(s, delay, timeout, pump->read_ms)) {
	case INSPECTION_OVER:
		return RULES_PASS;
	case INSPECTION_QUIET:
		stream_end(s, pump->is_response ? END_SERVER_TIMEOUT : END_CLIENT_TIMEOUT);
		return RULES_WAIT;
	case INSPECTION_GOES_ON:
		break;
	}
	return RULES_WAIT;
}

/* An action waits for something of its own, within the delay of the inspection. False: that is
 * over, and it is asked for the last time. */
static bool content_action_waits(struct stream *s, unsigned delay)
{
	s->extra->rule_late = stream_arm_inspection(s, delay, 0, s->phase_ms) == INSPECTION_OVER;
	return !s->extra->rule_late;
}

/* Runs the set, and collects bytes while it wants more of them. */
static enum rule_result content_run(struct stream *s, const struct rule_set *set,
				    struct pump *pump, unsigned delay, const struct cursor *at,
				    struct rule_place *place)
{
	bool over = !delay, started = at->waiting;
	enum rule_result r;
	struct view view;

	if (!started && rules_look(set) && !content_read_first(pump))
		return content_broken(s, pump);
	for (;;) {
		if (pump->flags & PUMP_NO_MEMORY)
			return RULES_ERROR;
		stream_view(s, &view, NULL);
		r = rules_run(set, &view, place, content_complete(pump, over));
		s->extra->last_rule = view.last_rule;
		s->extra->rule_late = false;
		if (r != RULES_WAIT)
			return r;
		if (!started)
			stream_arm_wait(s, delay);
		started = true;
		if (s->extra->rule_waits) {
			if (content_action_waits(s, delay))
				return r;
			over = true;
			continue;
		}
		if (!content_read(pump))
			return content_broken(s, pump);
		if (pump->flags & PUMP_DATA || content_complete(pump, false))
			continue;
		if (content_wait(s, pump, delay) == RULES_WAIT)
			return RULES_WAIT;
		over = true;
	}
}

/* What the result means for the stream: enum step_result. */
static int content_result(struct stream *s, const struct pump *pump, enum rule_result r)
{
	switch (r) {
	case RULES_PASS:
		return STEP_NEXT;
	case RULES_WAIT:
		return STEP_WAIT;
	case RULES_ERROR:
		stream_end(s, END_RESOURCE);
		return STEP_END;
	case RULES_REJECT:
	case RULES_CLOSE:
	case RULES_DROP:
		stream_end(s, END_DENIED);
		return STEP_END;
	case RULES_REPLY:
		break;
	}
	if (s->reason == END_NONE && s->extra->rule_ends)
		stream_end(s, (enum reason)s->extra->rule_ends);
	if (s->reason != END_NONE)
		return STEP_END;
	if (s->traits & HAS_SERVICE && !s->exchange)
		return STEP_GOTO + REQ_SERVICE;
	return STEP_GOTO + (pump->is_response ? (int)RES_REPLY : (int)REQ_FORWARD);
}

static void count_denied(struct stream *s)
{
	s->origin->frontend->fe->counters.denied_requests++;
	origin_counters(s->origin)->denied_requests++;
	if (s->backend)
		s->backend->be->counters.denied_requests++;
}

static int content_request(struct stream *s, struct proxy *px)
{
	struct stream_extra *extra = extra_get(s);
	struct pump *pump = &s->relay.request;
	enum rule_result r;

	s->phase = PHASE_REQUEST;
	if (!extra)
		return content_result(s, pump, RULES_ERROR);
	if (stream_client_gone(s))
		return STEP_END;
	r = content_run(s, px->request_rules, pump, px->set.inspect_delay_req, &s->request,
			&extra->request_place);
	if (r == RULES_REJECT || r == RULES_DROP)
		count_denied(s);
	if (r != RULES_WAIT && s->reason == END_NONE)
		extra->request_place.at = NULL;
	return content_result(s, pump, r);
}

int rules_frontend(struct stream *s)
{
	return content_request(s, s->origin->frontend);
}

int rules_backend(struct stream *s)
{
	return content_request(s, s->backend);
}

int rules_response(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);
	struct pump *pump = &s->relay.response;
	struct proxy *px = s->backend;
	enum rule_result r;

	if (!extra)
		return content_result(s, pump, RULES_ERROR);
	stream_respond(s);
	r = content_run(s, px->response_rules, pump, px->set.inspect_delay_res, &s->response,
			&extra->response_place);
	if (r == RULES_REJECT || r == RULES_CLOSE || r == RULES_DROP) {
		s->origin->frontend->fe->counters.denied_responses++;
		origin_counters(s->origin)->denied_responses++;
		px->be->counters.denied_responses++;
		if (s->server)
			s->server->tally->counters.denied_responses++;
	}
	return content_result(s, pump, r);
}

/* ---- backend ---------------------------------------------------------------------------- */

/* An exchange needs a backend that speaks HTTP; of names made at run time, and of streams that were
 * upgraded, nobody knows before. */
static bool switch_fits(const struct stream *s, const struct proxy *be)
{
	return be->set.mode == MODE_HTTP || !s->exchange;
}

static void switch_view(struct stream *s, const struct proxy *fe, struct view *view)
{
	if (fe->switch_looks && !s->exchange)
		DROPPED(content_read_first(&s->relay.request), "rules go by what has come so far");
	stream_view(s, view, NULL);
}

APART static struct proxy *switch_by_rules(struct stream *s, struct proxy *fe, bool forced)
{
	struct view view;

	switch_view(s, fe, &view);
	return switch_backend(fe, &view, forced);
}

/* May it have a backend that is disabled or unpublished? */
APART static bool switch_by_force(struct stream *s, const struct proxy *fe)
{
	struct view view;

	switch_view(s, fe, &view);
	return switch_forced(fe, &view);
}

static struct proxy *switch_choose(struct stream *s, bool forced)
{
	struct proxy *fe = s->origin->frontend, *be = NULL;

	if (fe->has_switch_rules)
		be = switch_by_rules(s, fe, forced);
	if (be && !switch_fits(s, be) && fe->set.mode == MODE_HTTP)
		be = NULL;
	if (!be)
		be = fe->default_backend;
	if (be && be->state->unpublished && !forced)
		be = NULL;
	return !be && fe->caps & PROXY_BACKEND ? fe : be;
}

/* Bytes for a backend that speaks HTTP: first comes the head, and what the frontend has to say of
 * it; then the steps are here again. */
static int switch_upgrade(struct stream *s, struct proxy *be)
{
	struct stream_extra *extra = extra_get(s);

	if (!extra || !stream_upgrade(s))
		return stream_fail(s, END_RESOURCE);
	extra->chosen = be;
	return STEP_GOTO + REQ_UPGRADED_HEAD;
}

static int switch_fail(struct stream *s)
{
	s->phase = PHASE_CONNECT;
	return stream_fail(s, END_NO_SERVER);
}

int rules_switch(struct stream *s)
{
	const struct proxy *fe = s->origin->frontend;
	bool forced = unlikely(fe->force_rules != NULL) && switch_by_force(s, fe);
	struct proxy *be = unlikely(s->extra != NULL) && s->extra->chosen ?
				   s->extra->chosen :
				   switch_choose(s, forced);

	if (!be || !switch_fits(s, be))
		return switch_fail(s);
	if (be->set.mode == MODE_HTTP && !s->exchange)
		return switch_upgrade(s, be);
	if (be->set.disabled && !forced) {
		s->backend = be; /* that of the log */
		return switch_fail(s);
	}
	place_backend(s, be);
	return STEP_NEXT;
}
