/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of an exchange other than the answer of its server: an answer of the program itself, a
 * service, an error, one more try. Called by steps and actions, through exchange/exchange.h and
 * exchange/reply.h; the runner moves the cursors when they have returned. */
#include "exchange/exchange.h"

#include "base/clock.h"
#include "exchange/early_part.h"
#include "exchange/reply.h"
#include "exchange/server_conn.h"
#include "exchange/tarpit.h"
#include "net/listener.h"
#include "proxy/learn.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/place.h"
#include "stream/retry.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/track.h"

/* ---- answers of the program -------------------------------------------------------------- */

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
	tarpit_end(x);
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
	s->traits |= HAS_REPLY;
	if (!x->reason) {
		x->reason = reply->ends;
		x->phase = s->phase;
	}
	if (!x->service && (x->reason == END_NONE || x->reason == END_LOCAL))
		exchange_count_intercepted(x);
	x->http.response = NULL;
	x->rest = false; /* of the server's response */
	if (unlikely(x->pausing))
		x->pausing = s->extra->rule_waits = false;
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
	s->traits |= HAS_SERVICE;
	exchange_count_intercepted(x);
	stream_move_request(s, REQ_SERVICE);
}

void reply_send_error(struct exchange *x, unsigned status)
{
	struct reply *reply = reply_error(x, status);

	if (!reply && !x->arena->failed)
		reply = reply_silent(x, status);
	exchange_reply(x, reply);
}

/* ---- errors ------------------------------------------------------------------------------ */

static unsigned reason_status(enum reason reason)
{
	static const uint16_t status[] = {
#define REASON(name, letter, error, status, text) status,
#include "stream/ends.def"
#undef REASON
	};

	return status[reason];
}

int exchange_fail_with(struct stream *s, enum reason reason, unsigned status)
{
	struct exchange *x = s->exchange;

	if (reason == END_BAD_REQUEST)
		track_error(s);
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
	if (s->server && s->server->learns & LEARNS_RESPONSES)
		learn_seen(s->server, what, (uint32_t)clock_read_us() - s->exchange->try_us);
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
	    s->failures >= retries_of(s))
		return false;
	extra = extra_get(s);
	if (!extra || !retry_allowed(s))
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
		s->traits |= EARLY_RETRY;
	early_forget(x);
	stream_move_request(s, s->traits & EARLY_RETRY ? REQ_PROOF : connect_again(s));
	stream_expire_never(s);
	task_wake(&extra->task);
	return true;
}
