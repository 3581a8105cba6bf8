/* SPDX-License-Identifier: BSD-2-Clause */
/* The step with which an answer of the program's own (exchange/reply.h) becomes the response of an
 * exchange: its head is made here, its body waits in the pump's buffer. What follows (rules, the
 * way out) is in exchange_response.c. */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "exchange/reply.h"
#include "exchange/tarpit.h"
#include "relay/buffer.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

static bool reply_length(struct exchange *x, struct reply *reply)
{
	struct text t;

	if (reply->status < 200 || reply->status == 204 || reply->status == 304)
		return true;
	text_init(&t, reply->length, sizeof(reply->length));
	text_num(&t, (int64_t)reply->body.len);
	return message_add(&x->res, x->arena, span_of("content-length"),
			   (struct span){ t.ptr, t.len });
}

static bool reply_fields(struct exchange *x, struct reply *reply)
{
	unsigned i;

	if (!reply_length(x, reply))
		return false;
	for (i = 0; i < reply->field_count; i++)
		if (!message_add(&x->res, x->arena, reply->fields[i].name, reply->fields[i].value))
			return false;
	return true;
}

/* The body waits in the pump's buffer. */
static bool reply_body(struct stream *s, struct span body)
{
	struct pump *pump = &s->relay.response;

	pump->flags |= PUMP_EOF;
	if (!body.len)
		return true;
	pump->buf = body.len <= buffer_size() ? buffer_take() : buffer_take_scratch();
	if (!pump->buf || pump->buf->size < body.len)
		return false;
	memcpy(pump->buf->data, body.ptr, body.len);
	pump->buf->head = 0;
	pump->buf->len = (uint32_t)body.len;
	return true;
}

static bool reply_tarpitted(struct stream *s)
{
	struct exchange *x = s->exchange;
	unsigned left = tarpit_left(x);

	if (!left)
		return false;
	s->phase = x->phase = PHASE_TARPIT;
	stream_arm_wait(s, left);
	return true;
}

int exchange_reply_head(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct reply *reply = x->reply;
	bool none;

	if (!reply)
		return STEP_NEXT;
	if (reply_tarpitted(s))
		return STEP_WAIT;
	stream_respond(s);
	x->http.status = (uint16_t)(reply->named ? reply->named : reply->status);
	if (reply->silent) {
		stream_end(s, x->reason ? x->reason : END_DENIED);
		return STEP_END;
	}
	none = x->asked == METHOD_HEAD || reply->status == 204 || reply->status == 304;
	if (!exchange_make_room(x)) {
		stream_end(s, END_RESOURCE);
		return STEP_END;
	}
	exchange_init_response(x);
	message_set_status(&x->res, reply->status, reply->reason);
	x->res.framing = none ? BODY_NONE : BODY_LENGTH;
	x->res.length = reply->body.len;
	if (!reply_fields(x, reply) || !reply_body(s, none ? (struct span){ NULL, 0 } : reply->body)) {
		stream_end(s, END_RESOURCE);
		return STEP_END;
	}
	x->http.response = &x->res;
	return STEP_NEXT;
}
