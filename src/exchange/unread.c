/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading away the rest of a request behind an answer of the program. Called by the steps of an
 * exchange, and when their time is over. At most tune.bufsize bytes are thrown away; for
 * more than that a new connection is cheaper. Whatever happens, the connection is kept only when
 * the end of the body was found (exchange_done): no byte of a body becomes a request. */
#include "exchange/unread.h"

#include "exchange/exchange.h"
#include "relay/buffer.h"
#include "stream/timeouts.h"

/* Reads away what is there. True: to the end. */
static bool unread_read(struct exchange *x)
{
	size_t before = x->unread;
	bool ended = end_drain(&x->stream->relay.client, &x->unread);

	x->bytes_in += before - x->unread;
	return ended;
}

static bool unread_hopeless(const struct stream *s)
{
	return *s->relay.client.flags & (CONN_EOF | CONN_BROKEN) ||
	       end_wrong(&s->relay.client) ||
	       end_left(&s->relay.client) > s->exchange->unread;
}

bool unread_fits(struct stream *s)
{
	const struct pump *request = &s->relay.request;
	struct exchange *x = s->exchange;

	if (s->relay.client.framing->ended)
		return true;
	/* It was no request; or a part of it has left to a server, or was looked at. */
	if (x->head_ms == NOT_REACHED || request->flags & PUMP_OPEN || request->buf)
		return false;
	x->unread = buffer_size();
	if (unread_read(x))
		return true;
	/* Who waits for "100 Continue" may send it, or not (RFC 9110 10.1.1). */
	return !(x->req.flags & MSG_EXPECT_100) && !unread_hopeless(s);
}

bool unread_waits(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (!s->relay.client.framing->keep || s->relay.client.framing->ended || unread_read(x) ||
	    unread_hopeless(s))
		return false;
	s->relay.request.flags |= PUMP_WATCH;
	if (!s->expires)
		stream_arm_forward(s);
	return true;
}

bool unread_expired(const struct stream *s)
{
	return s->exchange->reply && s->relay.response.flags & PUMP_FINISHED;
}
