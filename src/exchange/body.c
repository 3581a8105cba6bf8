/* SPDX-License-Identifier: BSD-2-Clause */
/* Bodies that are looked at before they are forwarded: option http-buffer-request, wait-for-body.
 * Called by the steps of an exchange (exchange_request.c). The bytes stay with the end that
 * received them (relay/message_end.h: end_body_in); how many there may be is the size of its
 * buffer. */
#include "exchange/body.h"

#include "exchange/body_wait.h"
#include "exchange/exchange.h"
#include "stream/steps.h"
#include "stream/timeouts.h"

/* What is left of the time of the rule that waits; false: nothing. */
static bool body_time(struct stream *s)
{
	unsigned left = body_wait_left(s->exchange);

	if (left)
		stream_arm_wait(s, left);
	return left > 0;
}

/* ---- the request's ----------------------------------------------------------------------- */

/* The client waits for this before it sends the body (RFC 9110 10.1.1). */
bool body_invite(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *client = &s->relay.client;

	if (!(x->req.flags & MSG_EXPECT_100))
		return true;
	x->req.flags &= (uint16_t)~MSG_EXPECT_100;
	message_delete(&x->req, span_of("expect"));
	exchange_init_response(x);
	x->res.flags = MSG_INTERIM;
	message_set_status(&x->res, 100, (struct span){ NULL, 0 });
	return end_head_out(client, &x->res) == IO_OK && end_flush(client) != IO_ERR;
}

enum io body_read(struct stream *s)
{
	struct end *client = &s->relay.client;
	enum io r = end_body_in(client);

	s->relay.request.flags |= PUMP_WATCH;
	if (r == IO_AGAIN && !body_invite(s))
		return IO_ERR;
	return r;
}

int body_failed(struct stream *s)
{
	exchange_request_complete(s->exchange);
	if (*s->relay.client.flags & CONN_BROKEN) {
		stream_end(s, END_CLIENT_ABORT);
		return STEP_END;
	}
	return exchange_fail(s, END_CLIENT_ABORT);
}

int body_wait_request(struct stream *s)
{
	bool final;
	size_t had = end_body(&s->relay.client, &final).len;
	enum io r = body_read(s);

	if (r == IO_ERR || r == IO_EOF)
		return body_failed(s);
	if (r == IO_OK || end_body(&s->relay.client, &final).len > had)
		return STEP_NEXT;
	s->exchange->head_ms = NOT_REACHED; /* where it never comes */
	return body_time(s) ? STEP_WAIT : exchange_fail(s, END_CLIENT_TIMEOUT);
}

/* ---- the response's ---------------------------------------------------------------------- */

int body_failed_response(struct stream *s)
{
	return exchange_fail_response(s, end_wrong(&s->relay.server) ? END_BAD_RESPONSE :
						    END_SERVER_ABORT, 502);
}

int body_wait_response(struct stream *s)
{
	struct end *server = &s->relay.server;
	bool final;
	size_t had = end_body(server, &final).len;
	enum io r = end_body_in(server);

	s->relay.response.flags |= PUMP_WATCH;
	if (r == IO_ERR || r == IO_EOF)
		return body_failed_response(s);
	if (r == IO_OK || end_body(server, &final).len > had)
		return STEP_NEXT;
	return body_time(s) ? STEP_WAIT : exchange_fail_response(s, END_SERVER_TIMEOUT, 504);
}
