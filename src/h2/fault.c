/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How we refuse a peer of HTTP/2 (h2/stream.h): RST_STREAM for a stream, GOAWAY for the
 * connection, which drains, or ends at once. Glitches are what no sensible peer does often: too
 * many of them end the connection, too.
 */
#include "h2/stream.h"

#include "base/clock.h"
#include "base/result.h"
#include "net/linger.h"

bool h2_was_reset(const struct h2_conn *c, uint32_t id)
{
	unsigned i;

	for (i = 0; c->reset_at && i < H2_RESETS; i++)
		if (c->resets[i] == id)
			return true;
	return false;
}

void h2_reset_id(struct h2_conn *c, uint32_t id, enum h2_code code)
{
	c->resets[c->reset_at++ % H2_RESETS] = id;
	h2_say_reset(c, id, code);
}

void h2_say_reset(struct h2_conn *c, uint32_t id, enum h2_code code)
{
	char *p = h2_out(c, H2_RST_SIZE);

	c->numbers.reset++;
	c->totals->reset++;
	c->counts->rst_stream_resp++;
	if (p)
		h2_out_done(c, h2_write_rst(p, id, code));
}

void h2_goaway(struct h2_conn *c, enum h2_code code)
{
	char *p = h2_out(c, H2_GOAWAY_SIZE);

	c->draining = true;
	c->counts->goaway_resp++;
	h2_over(c);
	if (p)
		h2_out_done(c, h2_write_goaway(p, c->last_in, code));
}

void h2_conn_drain(struct h2_conn *c)
{
	if (c->client) {
		c->draining = true;
		h2_over(c);
	} else if (!c->draining && c->state != H2_DEAD) {
		h2_goaway(c, H2_NO_ERROR);
	}
	task_wake(&c->task);
}

void h2_fault(struct h2_conn *c, enum h2_code code)
{
	if (c->state >= H2_CLOSING)
		return;
	if (code != H2_NO_ERROR)
		c->counts->detected_conn_protocol_errors++;
	if (code != H2_NO_ERROR && code != H2_INTERNAL_ERROR && c->ops->bad && c->conn)
		c->ops->bad(c->owner, h2_conn_link(c)); /* the peer's fault, not our lack of memory */
	c->faulty = code != H2_NO_ERROR;
	h2_goaway(c, code);
	if (c->state != H2_DEAD)
		c->state = H2_CLOSING;
	h2_flush(c);
	if (c->conn)
		conn_discard(c->conn);
	h2_dead(c);
}

bool h2_glitch_borne(struct h2_conn *c)
{
	enum { A_SECOND = 100, AT_ONCE = 1000 };
	uint64_t forgiven = (clock_now_ms - c->calm_ms) / 1000 * A_SECOND;

	c->numbers.glitches++;
	c->trust /= 2;
	c->totals->glitches++;
	c->counts->glitches++;
	if (forgiven) {
		c->calm = forgiven < c->calm ? c->calm - (unsigned)forgiven : 0;
		c->calm_ms = clock_now_ms;
	}
	if ((++c->calm > AT_ONCE && !c->client) || /* servers are ours */
	    (c->limits.glitches && c->numbers.glitches >= c->limits.glitches)) {
		h2_fault(c, H2_ENHANCE_YOUR_CALM);
		return false;
	}
	if (c->limits.glitches && c->numbers.glitches >= c->limits.glitches / 4 * 3 &&
	    !c->draining)
		h2_conn_drain(c);
	return true;
}

void h2_glitch(struct h2_conn *c)
{
	DROPPED(h2_glitch_borne(c), "nothing follows that needs the connection");
}
