/* SPDX-License-Identifier: BSD-2-Clause */
/* When a stream has waited too long. Activity only writes time stamps (in the pumps); the one
 * timer of a stream looks at them when it fires, and arms itself for the rest.
 *
 * A side is expected to act while it may still send and we could take it, or while bytes wait
 * for it to take them. One that is not expected to act does not run into its timeout. */
#include "stream/timeouts.h"

#include "base/clock.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

#include <stddef.h>

enum { RECHECK_MS = 1000 };

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

static bool end_expected(const struct end *end)
{
	const struct pump *in = end->in, *out = end->out;

	return pump_held(out) || (!(in->flags & (PUMP_EOF | PUMP_STOPPED)) && !pump_held(in));
}

static bool half_closed(const struct stream *s)
{
	return (s->relay.request.flags | s->relay.response.flags) & (PUMP_EOF | PUMP_STOPPED);
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

/* Forwarding: the side's inactivity. Returns ms left (0: over), UINT32_MAX: no timeout. */
static uint32_t side_left(const struct end *end, unsigned timeout, uint32_t start, bool independent)
{
	uint32_t quiet;

	if (!timeout || !end->ops)
		return UINT32_MAX;
	quiet = since(later(start, side_activity(end, independent)));
	if (quiet < timeout)
		return timeout - quiet;
	return end_expected(end) ? 0 : RECHECK_MS;
}

static void forward_expire(struct stream *s)
{
	const struct timeouts *fe = &s->session->frontend->set.timeout;
	const struct timeouts *be = s->backend ? &s->backend->set.timeout : fe;
	const struct end_ops *answering = s->relay.server.ops;
	unsigned own = answering && answering->timeout ? answering->timeout(&s->relay.server) : 0;
	unsigned client = side_timeout(s, own ? own : fe->client, fe->client_fin, be->tunnel);
	unsigned server = side_timeout(s, be->server, be->server_fin, be->tunnel);
	const struct proxy *px = s->session->frontend, *bx = s->backend ? s->backend : px;
	uint32_t left = side_left(&s->relay.client, client, s->phase_ms,
				  px->set.options.on & OPT_INDEPENDENT), other;

	if (!left) {
		stream_end(s, END_CLIENT_TIMEOUT);
		return;
	}
	other = side_left(&s->relay.server, server, s->phase_ms,
			  bx->set.options.on & OPT_INDEPENDENT);
	if (!other) {
		stream_end(s, END_SERVER_TIMEOUT);
		return;
	}
	if (other < left)
		left = other;
	if (left != UINT32_MAX)
		timer_set(&s->timer, clock_now_ms + left);
}

void stream_arm_forward(struct stream *s)
{
	timer_cancel(&s->timer);
	forward_expire(s);
}

void stream_arm_wait(struct stream *s, unsigned timeout)
{
	s->phase_ms = (uint32_t)clock_now_ms;
	if (timeout)
		timer_set(&s->timer, clock_now_ms + timeout);
	else
		timer_cancel(&s->timer);
}

bool stream_wait_over(const struct stream *s)
{
	return !timer_armed(&s->timer) && s->timer.when && s->timer.when <= clock_now_ms;
}

void stream_forward_timer(struct stream *s)
{
	forward_expire(s);
}
