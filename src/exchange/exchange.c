/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges: made and given back. Their way through the step table is in exchange_kind.c, answers of
 * the program itself in outcome.c. Objects are kept with their room, which has their
 * arena's first block and the fields, so that a request over a kept connection allocates nothing. */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/steps.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 2048, KEPT_MOST = 1024, KEPT_IDLE = 64 };

struct exchange_tune exchange_tune = { .max_fields = 101 };

struct exchange_room {
	char block[ARENA_BLOCK] __attribute__((aligned)); /* the arena's first */
	struct field fields[]; /* exchange_tune.max_fields of the response, as many of the request */
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

	if (memory_debug.how & MEMORY_APART)
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
		room_pool.size = sizeof(*x->room) +
				 2 * exchange_tune.max_fields * sizeof(struct field);
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

COLD bool exchange_more_fields(struct message *msg)
{
	struct exchange *x = msg->is_response ? container_of(msg, struct exchange, res) :
						container_of(msg, struct exchange, req);
	struct field *fields;

	if (!exchange_make_room(x))
		return false;
	fields = x->room->fields + (!msg->is_response ? exchange_tune.max_fields : 0);
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
		x->res.max = (uint16_t)exchange_tune.max_fields;
	}
}

void exchange_init_response(struct exchange *x)
{
	exchange_response_fields(x);
	message_init(&x->res, true, x->res.fields, x->res.max);
	x->res.most = (uint16_t)exchange_tune.max_fields;
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

static unsigned exchange_client_speaks(const struct stream *s)
{
	unsigned how = SPEAK_TO_CLIENT;

	if (s->origin->frontend->set.options.on & OPT_ACCEPT_BAD_REQUEST)
		how |= SPEAK_LENIENT;
	if (s->traits & FRONT_MONITOR)
		how |= SPEAK_MAYBE_HOST;
	if (exchange_tune.any_payload)
		how |= SPEAK_ANY_PAYLOAD;
	return how;
}

static inline void exchange_count_begin(struct h1_counts *h1)
{
	h1->total_streams++;
	h1->open_streams++;
}

bool exchange_new(struct stream *s, struct buf **held)
{
	struct exchange *x = exchange_take();

	if (!x)
		return false;
	if (!end_speaks(&s->relay.client) &&
	    !end_speak(&s->relay.client, exchange_client_speaks(s), x->arena, held)) {
		exchange_give(x);
		return false;
	}
	x->stream = s;
	s->exchange = x;
	s->kind = stream_of_messages;
	s->traits |= IS_MESSAGES;
	s->closes_halves = false;
	if (unlikely(s->traits & IS_UPGRADED)) {
		x->upgraded = true;
		x->http.request_captures = s->extra ? s->extra->captures : NULL;
	}
	x->first = !s->origin->requests;
	x->started_ms = s->phase_ms = (uint32_t)clock_now_ms;
	x->head_ms = x->response_ms = NOT_REACHED;
	/* Zeroed; head_in begins them anew. */
	x->req.fields = x->fields;
	x->req.most = x->res.most = (uint16_t)exchange_tune.max_fields;
	x->req.max = x->req.most < EXCHANGE_FIELDS ? x->req.most : EXCHANGE_FIELDS;
	exchange_response_fields(x);
	x->res.is_response = true;
	s->relay.request.flags |= PUMP_WATCH;
	if (s->origin->carrier->is_h1)
		exchange_count_begin(&s->origin->frontend->fe->h1);
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
	if (s->origin->carrier->is_h1)
		s->origin->frontend->fe->h1.open_streams--;
	exchange_give(s->exchange);
	s->exchange = NULL;
}

/* What the log wants to know of the request stays. */
bool exchange_drop_request(struct exchange *x)
{
	x->http.request = NULL;
	return end_unpin(&x->stream->relay.client);
}

/* ---- what it is asked -------------------------------------------------------------------- */

enum reason exchange_rules_failure(const struct exchange *x)
{
	return x->unwritten ? END_UNWRITTEN : END_RESOURCE;
}

uint64_t exchange_options(const struct stream *s)
{
	return s->origin->frontend->set.options.on | (s->backend ? s->backend->set.options.on : 0);
}

bool exchange_keeps_server(const struct stream *s)
{
	uint64_t on = exchange_options(s);

	return !(on & (OPT_HTTP_CLOSE | OPT_SERVER_CLOSE));
}

void exchange_drop_trailers(struct end *from, struct message *msg)
{
	if (msg->framing != BODY_CHUNKED)
		return;
	message_delete(msg, span_of("trailer"));
	end_drop_trailers(from);
}
