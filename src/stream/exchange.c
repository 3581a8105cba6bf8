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
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/idle.h"
#include "stream/reply.h"
#include "stream/steps.h"
#include "stream/timeouts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 2048, KEPT_MOST = 1024 };

unsigned exchange_max_fields = 101;
bool exchange_any_payload;

static struct exchange *kept;
static unsigned kept_count;

struct exchange *stream_exchange(const struct stream *s)
{
	return s->exchange;
}

/* ---- making ------------------------------------------------------------------------------ */

COLD static struct exchange *exchange_make(void)
{
	const size_t align = _Alignof(max_align_t);
	size_t head = sizeof(struct exchange) + 2 * (exchange_max_fields + 8) * sizeof(struct field);
	struct exchange *x;

	head = (head + align - 1) & ~(align - 1);
	if (posix_memalign((void **)&x, 64, head + ARENA_BLOCK) != 0)
		return NULL;
	arena_init(&x->memory, (char *)x + head, ARENA_BLOCK);
	return x;
}

static struct exchange *exchange_take(void)
{
	struct exchange *x = kept;

	if (likely(x != NULL)) {
		kept = x->next;
		kept_count--;
	} else {
		x = exchange_make();
	}
	if (likely(x != NULL)) {
		memset(&x->stream, 0, sizeof(*x) - offsetof(struct exchange, stream));
		x->arena = &x->memory;
	}
	return x;
}

static void exchange_give(struct exchange *x)
{
	arena_reset(&x->memory);
	if (kept_count >= KEPT_MOST) {
		free(x);
		return;
	}
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
	s->known |= IS_HTTP;
	x->first = !s->session->requests;
	x->started_ms = (uint32_t)clock_now_ms;
	x->head_ms = x->response_ms = NOT_REACHED;
	/* Zeroed; head_in begins them anew. */
	x->req.fields = x->fields;
	x->res.fields = exchange_response_fields(x);
	x->req.max = x->res.max = (uint16_t)exchange_max_fields;
	x->res.is_response = true;
	h1_end_attach(&s->relay.client, &x->client, true, x->arena, held);
	if (s->session->frontend->set.options.on & OPT_ACCEPT_BAD_REQUEST)
		x->client.options |= H1_ACCEPT_INVALID;
	if (exchange_any_payload)
		x->client.options |= H1_ANY_PAYLOAD;
	s->relay.request.flags |= PUMP_WATCH;
	return true;
}

void exchange_attach_server(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (x->server.arena) /* it is not the first one */
		memset(&x->server, 0, sizeof(x->server));
	h1_end_attach(&s->relay.server, &x->server, false, x->arena, NULL);
	if (s->backend->set.options.on & OPT_ACCEPT_BAD_RESPONSE)
		x->server.options |= H1_ACCEPT_INVALID;
}

void exchange_free(struct stream *s)
{
	if (!s->exchange)
		return;
	if (unlikely(s->relay.response.filter != NULL))
		compress_end(s->exchange);
	exchange_give(s->exchange);
	s->exchange = NULL;
}

/* What the log wants to know of the request stays. */
bool exchange_drop_request(struct exchange *x)
{
	x->http.request = NULL;
	return h1_end_unpin(&x->stream->relay.client);
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

void exchange_forget_server(struct stream *s)
{
	idle_give(s, false);
	end_close(&s->relay.server, false);
	s->connected = false;
}

/* Answered on purpose, before a backend had it. */
static void exchange_count_intercepted(struct exchange *x)
{
	if (!x->stream->backend)
		x->stream->session->frontend->fe->counters.intercepted++;
}

/* The server, if there is one already, has no part in it any more. */
void exchange_reply(struct exchange *x, struct reply *reply)
{
	struct stream *s = x->stream;

	x->reply = reply;
	s->known |= HAS_REPLY;
	if (!x->reason) {
		x->reason = reply->ends;
		x->phase = s->phase;
	}
	if (x->reason == END_NONE || x->reason == END_LOCAL)
		exchange_count_intercepted(x);
	x->http.response = NULL;
	stream_expire_never(s);
	assign_leave_queue(s);
	/* The client may go on sending while the answer waits until it takes it: to nobody, if the
	 * request's pump was open. Else it may be read away (unread.c). */
	exchange_forget_server(s);
	pump_stop(&s->relay.response);
	s->relay.response.flags = 0;
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
	s->known |= HAS_SERVICE;
	exchange_count_intercepted(x);
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

void exchange_observe(const struct stream *s, enum observed what)
{
	if (s->server && s->server->set.observe == OBSERVE_LAYER7 && server_hooks.observed)
		server_hooks.observed(s->server, what);
}

int exchange_fail_response(struct stream *s, enum reason reason, unsigned status)
{
	return exchange_fail_with(s, reason, status) == STEP_END ? STEP_END :
								   STEP_GOTO + RES_REPLY;
}

/* ---- once more --------------------------------------------------------------------------- */

bool exchange_retry(struct stream *s, unsigned condition)
{
	struct exchange *x = s->exchange;
	struct stream_extra *extra;

	if (!x->may_retry || x->no_retry || x->interim ||
	    !(s->backend->set.retry_on & condition) ||
	    s->failures >= (unsigned)s->backend->set.retries)
		return false;
	extra = extra_get(s);
	if (!extra)
		return false;
	s->failures++;
	s->server->tally->counters.retries++;
	s->backend->be->counters.retries++;
	exchange_forget_server(s);
	pump_rewind(&s->relay.request);
	pump_renew(&s->relay.response);
	h1_end_rewind(&s->relay.client);
	s->response = (struct cursor){ .step = RES_HEAD };
	if (condition & retry_on_status(425) && early_unproven(s))
		s->known |= EARLY_RETRY;
	x->early_used = false;
	s->request = (struct cursor){ .step = s->known & EARLY_RETRY ? REQ_PROOF : (uint8_t)connect_again(s) };
	stream_expire_never(s);
	task_wake(&extra->task);
	return true;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* The response is here and the server has read the request, which had no body: there is nothing
 * that a RST could take away. It saves three packets, and whoever closes first by FIN pays with a
 * port that rests in TIME_WAIT: a client a request would use up all of them towards a server. */
bool exchange_may_reset_server(const struct stream *s)
{
	const struct exchange *x = s->exchange;
	const struct conn *conn = end_conn(&s->relay.server);

	return x->complete && !x->tunnel && x->req.framing == BODY_NONE && conn &&
	       !(conn->flags & CONN_RDHUP);
}

bool exchange_end(struct stream *s, struct conn **conn, struct buf **held)
{
	struct exchange *x = s->exchange;

	*conn = NULL;
	*held = NULL;
	idle_give(s, x->complete && x->server_keeps);
	if (!x->complete || !x->client_keeps || !end_conn(&s->relay.client))
		return false;
	*conn = h1_end_detach(&s->relay.client, held);
	return true;
}
