/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges: made and given back, answers of the program itself, what is counted. Their way
 * through the step table is in exchange_steps.c. Objects are kept with their arena's first block
 * and the room for fields, so that a request over a kept connection allocates nothing. */
#include "stream/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/assign.h"
#include "stream/compress.h"
#include "stream/idle.h"
#include "stream/reply.h"
#include "stream/steps.h"

#include <stdlib.h>

enum { ARENA_BLOCK = 2048, KEPT_MOST = 1024 };

unsigned exchange_max_fields = 101;

static struct exchange *kept;
static unsigned kept_count;

struct exchange *stream_exchange(const struct stream *s)
{
	return s->exchange;
}

/* ---- making ------------------------------------------------------------------------------ */

static struct exchange *exchange_take(void)
{
	struct exchange *x = kept;
	struct arena *arena;

	if (x) {
		kept = x->next;
		kept_count--;
		arena = x->arena;
	} else {
		x = malloc(sizeof(*x) + 2 * exchange_max_fields * sizeof(struct field));
		arena = x ? arena_new(ARENA_BLOCK) : NULL;
		if (!arena) {
			free(x);
			return NULL;
		}
	}
	memset(x, 0, sizeof(*x));
	x->arena = arena;
	return x;
}

static void exchange_give(struct exchange *x)
{
	if (kept_count >= KEPT_MOST) {
		arena_free(&x->arena);
		free(x);
		return;
	}
	arena_reset(x->arena);
	x->next = kept;
	kept = x;
	kept_count++;
}

bool exchange_new(struct stream *s, struct buf **held)
{
	struct exchange *x = exchange_take();

	if (!x)
		return false;
	x->stream = s;
	s->exchange = x;
	x->first = !s->session->requests;
	x->started_ms = (uint32_t)clock_now_ms;
	x->head_ms = x->response_ms = NOT_REACHED;
	message_init(&x->req, false, x->fields, (uint16_t)exchange_max_fields);
	message_init(&x->res, true, x->fields + exchange_max_fields,
		     (uint16_t)exchange_max_fields);
	h1_end_attach(&s->relay.client, &x->client, true, x->arena, held);
	s->relay.request.flags |= PUMP_WATCH;
	return true;
}

void exchange_free(struct stream *s)
{
	if (!s->exchange)
		return;
	compress_end(s->exchange);
	exchange_give(s->exchange);
	s->exchange = NULL;
}

/* What the log wants to know of the request stays. */
void exchange_drop_request(struct exchange *x)
{
	x->http.request = NULL;
	h1_end_unpin(&x->stream->relay.client);
}

/* ---- answers of the program -------------------------------------------------------------- */

static unsigned reason_status(enum reason reason)
{
	static const uint16_t status[] = {
#define REASON(name, letter, error, status, text) status,
#include "stream/ends.def"
#undef REASON
	};

	return status[reason];
}

/* The server, if there is one already, has no part in it any more. */
void exchange_reply(struct exchange *x, struct reply *reply)
{
	struct stream *s = x->stream;

	x->reply = reply;
	if (!x->reason) {
		x->reason = reply->ends;
		x->phase = s->phase;
	}
	x->http.response = NULL;
	idle_give(s, false);
	timer_cancel(&s->timer);
	assign_leave_queue(s);
	pump_stop(&s->relay.response);
	s->relay.response.flags = 0;
	end_close(&s->relay.server, false);
	s->request.step = REQ_FORWARD;
	s->response.step = RES_REPLY;
}

void exchange_serve(struct exchange *x, const char *name,
		    int (*open)(struct exchange *x, struct end *end), const void *data)
{
	struct stream *s = x->stream;

	x->service = open;
	x->service_name = name;
	x->service_data = data;
	s->session->frontend->fe->counters.intercepted++;
	s->request.step = REQ_SERVICE;
}

int exchange_fail_with(struct stream *s, enum reason reason, unsigned status)
{
	struct exchange *x = s->exchange;

	if (x->head_sent || x->reply || !status) {
		stream_end(s, reason);
		return STEP_END;
	}
	x->reason = (uint8_t)reason;
	x->phase = s->phase;
	reply_send_error(x, status);
	return STEP_GOTO + REQ_FORWARD;
}

int exchange_fail(struct stream *s, enum reason reason)
{
	return exchange_fail_with(s, reason, reason_status(reason));
}

int exchange_fail_response(struct stream *s, enum reason reason, unsigned status)
{
	return exchange_fail_with(s, reason, status) == STEP_END ? STEP_END :
								   STEP_GOTO + RES_REPLY;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* RFC 9112 9.6: a client that still sends, or may do so, would lose the end of the response by
 * the RST that answers its bytes. One that has asked for the end sends no more. */
static bool exchange_lingers(const struct stream *s)
{
	const struct exchange *x = s->exchange;
	unsigned flags = s->relay.client.conn->flags;

	if (flags & (CONN_HUP | CONN_ERROR | CONN_BROKEN) || x->tunnel)
		return false;
	if (x->reply && x->reply->silent)
		return false;
	return !x->client.framing.ended || flags & (CONN_READABLE | CONN_HELD) ||
	       (x->req.flags & MSG_KEEP_ALIVE && !(flags & CONN_RDHUP));
}

bool exchange_end(struct stream *s, struct conn **conn, struct buf **held)
{
	struct exchange *x = s->exchange;

	*conn = NULL;
	*held = NULL;
	idle_give(s, x->complete && x->server_keeps);
	if (!x->complete || !end_conn(&s->relay.client))
		return false;
	s->session->lingers = !x->client_keeps;
	if (!x->client_keeps && !exchange_lingers(s))
		return false;
	*conn = h1_end_detach(&s->relay.client, held);
	return true;
}
