/* SPDX-License-Identifier: BSD-2-Clause */
/* When a stream has waited too long. Activity only writes time stamps (in the pumps); whoever
 * is called when the stream expires looks at them, and has it expire behind the rest.
 *
 * A side is expected to act while it may still send and the other side takes it, or while bytes
 * wait for it to take them. What a filter keeps of a side's bytes, that side has not sent yet. One
 * that is not expected to act does not run into its timeout: it is not the server's fault that the
 * client reads nothing. When both run into theirs at once, the side that has to answer is to
 * blame. */
#include "stream/timeouts.h"

#include "base/clock.h"
#include "event/probe.h"
#include "proxy/proxy.h"
#include "relay/bypass.h"
#include "relay/chain.h"
#include "relay/pump_bytes.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/steps.h"
#include "stream/stream.h"

#include <stddef.h>

enum { RECHECK_MS = 1000, COUNT_MS = 5000 /* as the reference */ };

/* The later of two stamps of 32 bits. */
static uint32_t later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0 ? a : b;
}

/* Milliseconds since the stamp. */
static uint32_t since(uint32_t stamp)
{
	return (uint32_t)clock_now_ms - stamp;
}

/* Does it leave bytes waiting that it should take? */
static bool end_blocks(const struct end *end)
{
	return pump_held(end->out) || (end->ops && !(*end->flags & CONN_WRITABLE));
}

/* What comes from it may go on: it has more, or a filter keeps the end of that. */
static bool end_may_bring(const struct end *end)
{
	if (end->in->flags & PUMP_STOPPED)
		return false;
	return !(end->in->flags & PUMP_EOF) || chain_holds(end->in->chain);
}

static bool end_expected(const struct end *end)
{
	return end_blocks(end) || (end_may_bring(end) && !end_blocks(end->in->to));
}

static bool half_closed(const struct stream *s)
{
	return s->closes_halves &&
	       (s->relay.request.flags | s->relay.response.flags) & (PUMP_EOF | PUMP_STOPPED);
}

/* The timeout in force on a side, ms; 0: none. Manual 4.2: "timeout tunnel" supersedes both
 * once data flow both ways; the -fin ones apply while one direction is closed. */
static unsigned side_timeout(const struct stream *s, unsigned normal, unsigned fin, unsigned tunnel)
{
	if (half_closed(s) && fin)
		return fin;
	return tunnel ? tunnel : normal;
}

/* When the side was last active. Manual 4.2, "option independent-streams": bytes sent to a side
 * do not excuse it from sending, unless they are what we wait for. */
static uint32_t side_activity(const struct end *end, bool independent)
{
	if (!independent)
		return later(end->in->read_ms, end->out->write_ms);
	return pump_held(end->out) ? end->out->write_ms : end->in->read_ms;
}

/* Do we wait, by a limit, and neither for this side nor for the other one? */
static bool held_up(const struct end *end)
{
	return chain_blocks(end->in->chain) || chain_blocks(end->out->chain);
}

/* Forwarding: the side's inactivity. Returns ms left (0: over), UINT32_MAX: no timeout. */
static uint32_t side_left(const struct end *end, unsigned timeout, uint32_t start, bool independent)
{
	uint32_t quiet;

	if (!timeout || !end->ops)
		return UINT32_MAX;
	quiet = since(later(start, side_activity(end, independent)));
	if (quiet < timeout)
		return timeout - quiet;
	return end_expected(end) && !held_up(end) ? 0 : RECHECK_MS;
}

/* Both sides were quiet for too long. */
static enum reason forward_blame(const struct stream *s)
{
	const struct pump *req = &s->relay.request, *res = &s->relay.response;
	bool asked = pump_bytes(req) && (!pump_bytes(res) ||
					 (int32_t)(req->write_ms - res->write_ms) > 0);

	return asked ? END_SERVER_TIMEOUT : END_CLIENT_TIMEOUT;
}

/* A step that arms the time is no place to end in: the timer finds the same in the next turn. */
static void forward_over(struct stream *s, enum reason reason)
{
	if (s->in_steps & STEPS_RUN)
		stream_expire_at(s, clock_now_ms + 1);
	else if (s->kind->quiet(s, reason))
		stream_wake(s);
}

/* set-timeout wins over what the proxy says. */
static unsigned in_force(const struct stream *s, const struct proxy *px, enum timeout which)
{
	return timeout_in_force(s->extra ? &s->extra->treatment : NULL, &px->set.timeout, which);
}

unsigned stream_timeout(const struct stream *s, enum timeout which)
{
	bool front = which == TIMEOUT_CLIENT || !s->backend;

	return in_force(s, front ? s->origin->frontend : s->backend, which);
}

static unsigned tunnel_timeout(const struct stream *s, const struct proxy *be)
{
	if (!s->closes_halves)
		return 0;
	return in_force(s, be, TIMEOUT_TUNNEL);
}

/* "timeout try": from the last byte of the request that has left until the response's head is
 * there. While the client has more to send, it is the client that is waited for. */
COLD static uint32_t try_left(const struct stream *s, const struct proxy *be)
{
	const struct pump *request = &s->relay.request;
	unsigned most = be->set.timeout.attempt;
	uint32_t waited;

	if (s->traits & HAS_SERVICE || s->response.step != RES_HEAD)
		return UINT32_MAX;
	if (!(request->flags & (PUMP_FINISHED | PUMP_STOPPED)) && !pump_held(request))
		return most;
	waited = since(later(s->phase_ms, request->write_ms));
	return waited < most ? most - waited : 0;
}

static void forward_expire(struct stream *s)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend ? s->backend : fe;
	const struct timeouts *ft = &fe->set.timeout, *bt = &be->set.timeout;
	const struct end_ops *answering = s->relay.server.ops;
	unsigned own = answering && answering->timeout ? answering->timeout(&s->relay.server) : 0;
	unsigned tunnel = tunnel_timeout(s, be);
	unsigned client = side_timeout(s, own ? own : in_force(s, fe, TIMEOUT_CLIENT),
				       ft->client_fin, tunnel);
	unsigned server = side_timeout(s, in_force(s, be, TIMEOUT_SERVER), bt->server_fin, tunnel);
	uint32_t client_left = side_left(&s->relay.client, client, s->phase_ms,
					 fe->set.options.on & OPT_INDEPENDENT);
	uint32_t server_left = side_left(&s->relay.server, server, s->phase_ms,
					 be->set.options.on & OPT_INDEPENDENT);
	uint32_t left;

	if (unlikely(answering && answering->busy)) {
		if (answering->busy(&s->relay.server)) {
			if (*s->relay.client.flags & (CONN_HUP | CONN_ERROR)) {
				/* It had closed its half before: no pump looks at it any more. */
				forward_over(s, END_CLIENT_ABORT);
				return;
			}
			/* The client's time begins behind it. */
			s->phase_ms = (uint32_t)clock_now_ms;
			stream_expire_at(s, clock_now_ms + RECHECK_MS);
			return;
		}
		server_left = UINT32_MAX;
	}
	if (unlikely(s->traits & TRIES_END) && (left = try_left(s, be)) < server_left)
		server_left = left;
	left = client_left < server_left ? client_left : server_left;
	if (!client_left && !server_left)
		forward_over(s, forward_blame(s));
	else if (!left)
		forward_over(s, client_left ? END_SERVER_TIMEOUT : END_CLIENT_TIMEOUT);
	else if (left != UINT32_MAX)
		stream_expire_at(s, clock_now_ms + left);
}

/* What the kernel passes on has left no time in the pumps. */
static void forward_look(struct stream *s)
{
	if (unlikely(relay_is_bypassed(&s->relay)))
		relay_bypass->look(&s->relay);
	forward_expire(s);
}

void stream_arm_forward(struct stream *s)
{
	stream_expire_never(s);
	forward_look(s);
}

void stream_arm_exchange(struct stream *s)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend;
	unsigned client = in_force(s, fe, TIMEOUT_CLIENT), server;

	if (s->traits & (HAS_SERVICE | TRIES_END) || !be) { /* there is more to look at */
		stream_arm_forward(s);
		return;
	}
	server = in_force(s, be, TIMEOUT_SERVER);
	stream_expire_never(s);
	if (client && (!server || client < server))
		server = client;
	if (server)
		stream_expire_at(s, clock_now_ms + server);
}

void stream_arm_wait(struct stream *s, unsigned timeout)
{
	s->phase_ms = (uint32_t)clock_now_ms;
	if (timeout)
		stream_expire_at(s, clock_now_ms + timeout);
	else
		stream_expire_never(s);
}

bool stream_wait_over(const struct stream *s)
{
	return !s->expires && s->expire_ms && s->expire_ms <= clock_now_ms;
}

enum inspection stream_arm_inspection(struct stream *s, unsigned delay, unsigned timeout,
				      uint32_t read_ms)
{
	uint32_t waited = since(s->phase_ms), quiet = since(later(s->phase_ms, read_ms));
	uint32_t left;

	if (waited >= delay)
		return INSPECTION_OVER;
	if (timeout && quiet >= timeout)
		return INSPECTION_QUIET;
	left = delay - waited;
	if (timeout && timeout - quiet < left)
		left = timeout - quiet;
	stream_expire_at(s, clock_now_ms + left);
	return INSPECTION_GOES_ON;
}

/* Forwarding, and the wait for a response; other waits are a step's own. */
static bool stream_forwards(const struct stream *s)
{
	return s->request.step == REQ_FORWARD && !s->draining &&
	       (s->response.step == RES_FORWARD || (s->exchange && s->response.step == RES_HEAD));
}

/* The carrier's timer fires sooner for it, and keeps the stream's own deadline in mind. */
void stream_arm_count(struct stream *s)
{
	if (s->origin->frontend->set.options.on & OPT_CONTSTATS)
		timer_set_by(s->timer, clock_now_ms + COUNT_MS);
}

/* The timer of one that has ended may be at hand. */
COLD static void count_along(struct stream *s)
{
	if (s->reason != END_NONE || !(s->origin->frontend->set.options.on & OPT_CONTSTATS))
		return;
	stream_count_bytes(s);
	stream_arm_count(s);
}

void stream_timer(struct stream *s)
{
	PROBE(&s->relay);
	if (unlikely(streams_watched & WATCH_BYTES))
		count_along(s);
	if (!s->expires)
		return;
	if (clock_now_ms < s->expire_ms) {
		timer_set_by(s->timer, s->expire_ms);
		return;
	}
	s->expires = false;
	if (stream_forwards(s))
		forward_look(s);
	else
		stream_wake(s);
}
