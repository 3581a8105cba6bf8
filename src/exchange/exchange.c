/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges: made and given back, answers of the program itself, what is counted. Their way through
 * the step table is in exchange_request.c. Objects are kept with their room, which has their
 * arena's first block and the fields, so that a request over a kept connection allocates nothing. */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "config/config.h"
#include "config/module.h"
#include "exchange/idle.h"
#include "exchange/reply.h"
#include "exchange/server_conn.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/place.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/trim.h"
#include "stream/tune.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 2048, KEPT_MOST = 1024, KEPT_IDLE = 64 };

unsigned exchange_max_fields = 101;
bool exchange_any_payload;

struct exchange_room {
	char block[ARENA_BLOCK] __attribute__((aligned)); /* the arena's first */
	struct field fields[]; /* exchange_max_fields of the response, as many of the request */
};

/* Whole lines of the cache. */
static struct pool exchange_pool =
	POOL_INIT("exchange", (sizeof(struct exchange) + 63) & ~(size_t)63);
static struct pool room_pool = POOL_INIT("exchange room", 0);
static struct exchange *kept;
static unsigned kept_count, kept_most = KEPT_MOST;

struct exchange *stream_exchange(const struct stream *s)
{
	return s->exchange;
}

/* ---- making ------------------------------------------------------------------------------ */

COLD static struct exchange *exchange_make(void)
{
	struct exchange *x = pool_take_raw(&exchange_pool);

	if (memory_debug & MEMORY_APART)
		kept_most = 0;
	if (!x)
		return NULL;
	x->room = NULL;
	arena_init_limited(&x->memory, NULL, ARENA_BLOCK);
	return x;
}

bool exchange_make_room(struct exchange *x)
{
	if (likely(x->room != NULL))
		return true;
	if (!room_pool.size)
		room_pool.size = sizeof(*x->room) + 2 * exchange_max_fields * sizeof(struct field);
	x->room = pool_take_raw(&room_pool);
	if (x->room)
		arena_lend(&x->memory, x->room->block);
	else
		arena_fail(&x->memory);
	return x->room != NULL;
}

static void exchange_drop(struct exchange *x)
{
	pool_give(&room_pool, &x->room);
	pool_give(&exchange_pool, &x);
}

/* The head has more fields than msg has room for. */
COLD static bool exchange_more_fields(struct message *msg)
{
	struct exchange *x = msg->is_response ? container_of(msg, struct exchange, res) :
						container_of(msg, struct exchange, req);
	struct field *fields;

	if (!exchange_make_room(x))
		return false;
	fields = x->room->fields + (!msg->is_response ? exchange_max_fields : 0);
	if (msg->count)
		memcpy(fields, msg->fields, msg->count * sizeof(*fields));
	msg->fields = fields;
	msg->max = msg->most;
	return true;
}

static void exchange_response_fields(struct exchange *x)
{
	if (likely(x->room != NULL)) {
		x->res.fields = x->room->fields;
		x->res.max = (uint16_t)exchange_max_fields;
	}
}

void exchange_init_response(struct exchange *x)
{
	exchange_response_fields(x);
	message_init(&x->res, true, x->res.fields, x->res.max);
	x->res.most = (uint16_t)exchange_max_fields;
	x->res.major = x->res.minor = 1;
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
		memory_clear(&x->stream,
			     offsetof(struct exchange, fields) - offsetof(struct exchange, stream));
		x->arena = &x->memory;
	}
	return x;
}

static void exchange_give(struct exchange *x)
{
	arena_reset(&x->memory);
	if (kept_count >= kept_most) {
		exchange_drop(x);
		return;
	}
	x->next = kept;
	kept = x;
	kept_count++;
}

void exchanges_trim(void)
{
	struct exchange *x;

	while (kept_count > KEPT_IDLE && (x = kept)) {
		kept = x->next;
		kept_count--;
		exchange_drop(x);
	}
}

void exchange_start(void)
{
	message_more_fields = exchange_more_fields;
	stream_of_messages = &exchange_kind;
	trim_kept = exchanges_trim;
	origin_ends = idle_close_origin;
}

static unsigned exchange_client_speaks(const struct proxy *frontend)
{
	unsigned how = SPEAK_TO_CLIENT;

	if (frontend->set.options.on & OPT_ACCEPT_BAD_REQUEST)
		how |= SPEAK_LENIENT;
	if (frontend->set.monitor_uri)
		how |= SPEAK_MAYBE_HOST;
	if (exchange_any_payload)
		how |= SPEAK_ANY_PAYLOAD;
	return how;
}

bool exchange_new(struct stream *s, struct buf **held)
{
	struct exchange *x = exchange_take();

	if (!x)
		return false;
	if (!end_speaks(&s->relay.client) &&
	    !end_speak(&s->relay.client, exchange_client_speaks(s->origin->frontend), x->arena, held)) {
		exchange_give(x);
		return false;
	}
	x->stream = s;
	s->exchange = x;
	s->kind = &exchange_kind;
	s->known |= IS_MESSAGES;
	s->closes_halves = false;
	if (unlikely(s->known & IS_UPGRADED)) {
		x->upgraded = true;
		x->http.request_captures = s->extra ? s->extra->captures : NULL;
	}
	x->first = !s->origin->requests;
	x->started_ms = s->phase_ms = (uint32_t)clock_now_ms;
	x->head_ms = x->response_ms = NOT_REACHED;
	/* Zeroed; head_in begins them anew. */
	x->req.fields = x->fields;
	x->req.most = x->res.most = (uint16_t)exchange_max_fields;
	x->req.max = x->req.most < EXCHANGE_FIELDS ? x->req.most : EXCHANGE_FIELDS;
	exchange_response_fields(x);
	x->res.is_response = true;
	s->relay.request.flags |= PUMP_WATCH;
	return true;
}

bool exchange_attach_server(struct stream *s, bool large)
{
	unsigned how = large ? SPEAK_LARGE : 0;

	if (s->backend->set.options.on & OPT_ACCEPT_BAD_RESPONSE)
		how |= SPEAK_LENIENT;
	return end_speak(&s->relay.server, how, s->exchange->arena, NULL);
}

void exchange_free(struct stream *s)
{
	exchange_give(s->exchange);
	s->exchange = NULL;
}

/* What the log wants to know of the request stays. */
bool exchange_drop_request(struct exchange *x)
{
	x->http.request = NULL;
	return end_unpin(&x->stream->relay.client);
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
	server_conn_give(s, false);
	end_close(&s->relay.server, false);
	s->connected = false;
}

/* Answered on purpose, before a backend had it. */
static void exchange_count_intercepted(struct exchange *x)
{
	if (!x->stream->backend)
		x->stream->origin->frontend->fe->counters.intercepted++;
}

/* There was no memory for the answer. */
COLD static struct reply *exchange_short(struct exchange *x)
{
	x->memory.failed = false;
	x->tarpit_until = 0;
	x->reason = END_RESOURCE;
	x->phase = x->stream->phase;
	return reply_no_memory(x);
}

/* The server, if there is one already, has no part in it any more. */
void exchange_reply(struct exchange *x, struct reply *reply)
{
	struct stream *s = x->stream;

	if (unlikely(!reply || x->memory.failed))
		reply = exchange_short(x);
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
	place_leave_queue(s);
	/* The client may go on sending while the answer waits until it takes it: to nobody, if the
	 * request's pump was open. Else it may be read away (unread.c). */
	exchange_forget_server(s);
	pump_stop(&s->relay.response);
	s->relay.response.flags = 0;
	stream_move_request(s, REQ_FORWARD);
	stream_move_response(s, RES_REPLY);
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
	stream_move_request(s, REQ_SERVICE);
}

int exchange_fail_with(struct stream *s, enum reason reason, unsigned status)
{
	struct exchange *x = s->exchange;

	if (x->head_sent || x->reply || !status) {
		stream_end(s, reason);
		return STEP_END;
	}
	x->memory.failed = false; /* what was wanted of it is not needed any more */
	x->reason = (uint8_t)reason;
	x->phase = s->phase;
	reply_send_error(x, status);
	return STEP_GOTO + REQ_FORWARD;
}

int exchange_fail(struct stream *s, enum reason reason)
{
	if (s->exchange->memory.failed)
		reason = END_RESOURCE;
	return exchange_fail_with(s, reason, reason_status(reason));
}

void exchange_observe(const struct stream *s, enum observed what)
{
	if (s->server && s->server->set.observe == OBSERVE_LAYER7 && server_hooks.observed)
		server_hooks.observed(s->server, what);
}

int exchange_fail_response(struct stream *s, enum reason reason, unsigned status)
{
	if (s->exchange->memory.failed) {
		reason = END_RESOURCE;
		status = 500;
	}
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
	end_rewind(&s->relay.client);
	stream_move_response(s, RES_HEAD);
	if (condition & retry_on_status(425) && early_unproven(s))
		s->known |= EARLY_RETRY;
	x->early_used = false;
	stream_move_request(s, s->known & EARLY_RETRY ? REQ_PROOF : connect_again(s));
	stream_expire_never(s);
	task_wake(&extra->task);
	return true;
}

/* ---- the module -------------------------------------------------------------------------- */

static int exchange_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct tune *tune = config_data(cfg, &tune_module);

	(void)data;
	(void)err;
	exchange_max_fields = (unsigned)tune->maxhdr - 1; /* the first line counts */
	exchange_any_payload = tune->any_payload;
	exchange_start();
	return 0;
}

const struct module exchange_module = {
	.name = "exchange",
	.prepare = exchange_prepare,
};
