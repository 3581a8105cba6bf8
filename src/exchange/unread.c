/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading away the rest of a request behind an answer of the program, and that of a response whose
 * client has asked for no body (HEAD made GET). Called by the steps of an exchange, and when their
 * time is over. At most tune.bufsize bytes are thrown away; for more than that a new connection is
 * cheaper. Whatever happens, the connection is kept only when the end of the body was found
 * (exchange_done): no byte of a body becomes a request, or a response. */
#include "exchange/unread.h"

#include "base/clock.h"
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

/* ---- of a response ---- */

enum { REST_MS = 100 }; /* so long the client's next request may have to wait for it */

/* From version 2 on the stream is reset, and its connection kept anyway. */
static bool rest_is_told(const struct exchange *x)
{
	return x->res.framing != BODY_CLOSE && x->res.framing != BODY_TUNNEL && x->http.server_major < 2;
}

static bool rest_may_come(const struct exchange *x, const struct end *server)
{
	uint64_t left = end_left(server);

	return x->unread && (left == UINT64_MAX || left <= x->unread) &&
	       !(*server->flags & (CONN_EOF | CONN_BROKEN)) && !end_wrong(server);
}

void unread_response(struct exchange *x)
{
	struct end *server = &x->stream->relay.server;

	x->unread = buffer_size();
	x->bare = x->res.framing == BODY_TUNNEL || !end_drain(server, &x->unread);
	x->rest = x->bare && server->framing && !x->reply && !x->service &&
		  rest_is_told(x) && rest_may_come(x, server);
}

/* It is over for the server's end, whether the rest has come or not. */
static void rest_over(struct exchange *x, struct end *server)
{
	x->server_keeps = x->server_keeps && server->framing->ended;
	server->framing->ended = true;
	x->rest = false;
}

bool unread_rest_waits(struct stream *s)
{
	struct end *server = &s->relay.server;
	struct exchange *x = s->exchange;

	if (likely(!x->rest))
		return false;
	if (end_drain(server, &x->unread) || !x->server_keeps || !rest_may_come(x, server) ||
	    (s->draining && stream_wait_over(s))) {
		rest_over(x, server);
		return false;
	}
	s->relay.response.flags |= PUMP_WATCH;
	if (!s->draining)
		stream_expire_at(s, clock_now_ms + REST_MS);
	s->draining = true;
	return true;
}
