/* SPDX-License-Identifier: BSD-2-Clause */
/* The request's side of an exchange: its steps, in the order of the step table (exchange_kind.c): the head
 * comes in, rules, a body that somebody wants to see, the head goes out. The response's side is in
 * exchange_response.c. Bytes flow below, in the pumps. */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "exchange/body.h"
#include "exchange/body_wait.h"
#include "exchange/early_request.h"
#include "exchange/filter_heads.h"
#include "exchange/forwarded.h"
#include "exchange/h1_conf.h"
#include "exchange/http_rules.h"
#include "exchange/monitor.h"
#include "exchange/reply.h"
#include "expr/capture.h"
#include "http/message.h"
#include "net/listener.h"
#include "proxy/learn.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/extra.h"
#include "stream/filtering.h"
#include "stream/kind.h"
#include "stream/moments.h"
#include "stream/service.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/track.h"
#include "tally/tallies.h"
#include "tls/link.h"

/* ---- the request's head ------------------------------------------------------------------ */

/* What is left of the time for the head: since accept for the first request, since its first
 * byte for others. 0: over; UINT32_MAX: no limit. */
static uint32_t head_time_left(const struct stream *s)
{
	const struct timeouts *t = &s->origin->frontend->set.timeout;
	unsigned limit = t->http_request ? t->http_request : t->client;
	const struct exchange *x = s->exchange;
	uint32_t start = x->first && !x->upgraded ? (uint32_t)s->origin->accepted_ms :
						    x->started_ms;
	uint32_t waited = (uint32_t)clock_now_ms - start;

	if (!limit)
		return UINT32_MAX;
	return waited < limit ? limit - waited : 0;
}

static void head_count(struct stream *s)
{
	struct proxy *fe = s->origin->frontend;

	s->origin->requests++;
	fe->fe->counters.requests++;
	rate_add(&fe->fe->counters.request_rate, clock_now_ms, 1);
	origin_counters(s->origin)->requests++;
	if (!s->exchange->upgraded) /* the session was counted for one */
		global_tally->cum_requests++;
	track_request(s);
}

/* Nothing was received at all. */
static bool head_empty(const struct exchange *x)
{
	return !end_received(&x->stream->relay.client);
}

/* An idle connection has ended, or one that has never asked anything and is not to be told of. */
static bool head_unsaid(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return head_empty(x) && (!x->first || x->upgraded ||
				 s->origin->frontend->set.options.on & OPT_IGNORE_PROBES);
}

/* It was begun for bytes that were none of a request. */
static void head_uncount(const struct stream *s)
{
	if (s->origin->carrier->is_h1)
		s->origin->frontend->fe->h1.total_streams--;
}

COLD static int head_unsaid_end(struct stream *s)
{
	head_uncount(s);
	s->logged = true;
	return steps_end(s, END_NORMAL);
}

/* A client that has said nothing at all was waited for from the first moment on: the log's times
 * tell of that. */
static void head_silent(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (x->first && !x->upgraded && head_empty(x))
		x->started_ms = (uint32_t)s->origin->accepted_ms + s->origin->handshake_ms;
}

static int head_wait(struct stream *s)
{
	uint32_t left = head_time_left(s);

	if (!left && head_unsaid(s) && !s->exchange->upgraded)
		return head_unsaid_end(s);
	if (!left) {
		head_silent(s);
		head_count(s);
		s->exchange->bytes_in += end_received(&s->relay.client);
		return exchange_fail(s, END_CLIENT_TIMEOUT);
	}
	if (!s->expires && left != UINT32_MAX)
		stream_arm_wait(s, left);
	return STEP_WAIT;
}

/* More of the request is to come than was there at once. The client may hold it back until what it
 * has sent was acknowledged (Nagle), which the kernel, too, leaves for later (smart accept). */
static void head_acknowledge(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (x->acknowledged)
		return;
	x->acknowledged = true;
	if (proxy_spares_ack(&s->origin->frontend->set, OPT_SMART_ACCEPT))
		link_acknowledge(end_own_link(&s->relay.client));
}

/* The client has closed, or what it says is no request. */
COLD static int head_failed(struct stream *s)
{
	struct end *client = &s->relay.client;
	unsigned wrong = end_wrong(client), ready = *client->flags;

	head_silent(s);
	s->exchange->bytes_in += end_received(client);
	if (s->exchange->memory.failed)
		return exchange_fail(s, END_RESOURCE);
	if (wrong && !(ready & (CONN_EOF | CONN_BROKEN)))
		return exchange_fail_with(s, END_BAD_REQUEST, wrong);
	track_error(s);
	if (ready & CONN_BROKEN)
		return steps_end(s, END_CLIENT_ABORT);
	/* With TLS, a client that closes without a word listens to none. */
	if (tls_link_is(end_own_link(client)) && head_empty(s->exchange)) {
		s->exchange->http.status = 400;
		return steps_end(s, END_CLIENT_ABORT);
	}
	return exchange_fail(s, END_CLIENT_ABORT);
}

/* Option http-use-proxy-header: a proxied request is one whose target begins with neither a slash
 * nor a star. It may say Proxy-Connection where it means Connection. */
static void head_for_proxy(struct message *req)
{
	const struct field *f;
	unsigned at = 0;

	if (!req->target.len || *req->target.ptr == '/' || *req->target.ptr == '*')
		return;
	req->flags |= MSG_FOR_PROXY;
	while ((f = message_find_id(req, FIELD_PROXY_CONNECTION, &at))) {
		if (list_has_token(f->value, span_of("close")))
			req->flags = (uint16_t)((req->flags & ~MSG_KEEP_ALIVE) | MSG_CLOSE);
		else if (list_has_token(f->value, span_of("keep-alive")) &&
			 !(req->flags & MSG_CLOSE))
			req->flags |= MSG_KEEP_ALIVE;
	}
}

/* By option, HTTP/1.1 may come without Host; rules see that of the target. Who asks for monitor-uri
 * needs none. False: it is no request after all. */
APART COLD static bool head_without_host(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct message_error error = { 400, x->req.head_len - 1, "HTTP/1.1 without Host" };

	if (x->req.flags & MSG_INVALID)
		return !x->req.host.len || message_add(&x->req, x->arena, span_of("Host"), x->req.host);
	if (monitor_asked(x))
		return true;
	end_refuse(&s->relay.client, &error);
	return false;
}

/* There was no exchange: the carrier gets the connection back as it is. */
COLD static int head_none(struct stream *s)
{
	head_uncount(s);
	s->exchange->complete = s->exchange->client_keeps = true;
	s->logged = true;
	return steps_end(s, END_NORMAL);
}

/* HTTP/2. */
COLD int exchange_hand_over(struct stream *s, enum proto proto)
{
	s->origin->carrier->hand_over(s->origin, proto);
	return head_none(s);
}

/* A kept connection has told something that is no byte of a request: a record of TLS for TLS itself
 * (KeyUpdate). */
static bool head_unbegun(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return !x->first && !x->upgraded && s->origin->carrier->nothing_came &&
	       !(*s->relay.client.flags & (CONN_READABLE | CONN_RDHUP | CONN_HUP | CONN_ERROR));
}

COLD static int head_nothing(struct stream *s)
{
	s->origin->carrier->nothing_came(s->origin);
	return head_none(s);
}

int exchange_request_head(struct stream *s)
{
	struct exchange *x = s->exchange;

	enum io r;

	s->phase = PHASE_REQUEST;
	r = end_head_in(&s->relay.client, &x->req);
	x->asked = x->req.method;
	switch (r) {
	case IO_AGAIN:
		if (!head_empty(x))
			head_acknowledge(s);
		else if (head_unbegun(s))
			return head_nothing(s);
		return head_wait(s);
	case IO_EOF:
	case IO_ERR:
		if (head_unsaid(s) && !x->memory.failed)
			return head_unsaid_end(s);
		if (x->preface)
			return exchange_hand_over(s, x->preface);
		head_count(s);
		return head_failed(s);
	case IO_OK:
		break;
	}
	stream_expire_never(s);
	if (!s->relay.client.framing->ended && !end_whole(&s->relay.client))
		head_acknowledge(s);
	head_count(s);
	s->relay.request.flags &= (uint16_t)~PUMP_WATCH;
	x->bytes_in += x->req.head_len;
	exchange_request_complete(x);
	if (unlikely(*x->req.target.ptr != '/') && !message_fill_path(&x->req, x->arena))
		return exchange_fail(s, END_RESOURCE);
	if (unlikely(x->req.flags & MSG_HOSTLESS) && !head_without_host(s))
		return exchange_fail_with(s, END_BAD_REQUEST, 400);
	if (s->origin->frontend->set.options.on & OPT_PROXY_HEADER)
		head_for_proxy(&x->req);
	x->http.request = &x->req;
	x->http.not_first = !x->first;
	capture_request(s->origin->frontend, &x->req, x->arena, &x->http);
	return STEP_NEXT;
}

/* ---- the request's body, where somebody wants to see it ---------------------------------- */

static int body_done(struct stream *s)
{
	exchange_request_complete(s->exchange);
	stream_expire_never(s);
	s->relay.request.flags &= (uint16_t)~PUMP_WATCH;
	return STEP_NEXT;
}

int exchange_wait_body(struct stream *s)
{
	switch (body_read(s)) {
	case IO_OK:
		return body_done(s);
	case IO_AGAIN:
		s->exchange->head_ms = NOT_REACHED; /* where it never comes */
		return head_wait(s);
	case IO_EOF:
	case IO_ERR:
		break;
	}
	return body_failed(s);
}

/* ---- rules ------------------------------------------------------------------------------- */

static int rules_result(struct stream *s, enum rule_result r)
{
	switch (r) {
	case RULES_PASS:
		return body_done(s);
	case RULES_WAIT:
		return STEP_WAIT;
	case RULES_REPLY:
		return STEP_GOTO + (s->exchange->reply ? REQ_FORWARD : REQ_SERVICE);
	case RULES_ERROR:
		return exchange_fail(s, exchange_rules_failure(s->exchange));
	case RULES_REJECT:
	case RULES_CLOSE:
	case RULES_DROP:
		break;
	}
	return steps_end(s, END_DENIED);
}

/* Passwords are computed one in a turn of the loop: the condition is asked again in another. What
 * else an action waits for wakes the stream by itself. */
COLD static int rule_wait(struct stream *s)
{
	if (*s->relay.client.flags & (CONN_HUP | CONN_ERROR | CONN_BROKEN))
		return steps_end(s, END_CLIENT_ABORT);
	if (!extra_get(s))
		return exchange_fail(s, END_RESOURCE);
	s->relay.request.flags |= PUMP_WATCH; /* a client that leaves is noticed */
	if (!s->extra->rule_waits)
		stream_arm_wait(s, 1);
	else if (!s->exchange->pausing)
		stream_expire_never(s);
	return STEP_WAIT;
}

static int request_rules(struct stream *s, struct proxy *px)
{
	enum rule_result r;
	int step;

	s->phase = PHASE_REQUEST;
	do {
		r = http_request_rules(s->exchange, px);
		if (r != RULES_WAIT)
			exchange_request_complete(s->exchange);
		step = r != RULES_WAIT ? rules_result(s, r) :
		       early_asked(s->exchange) ? early_wait(s) :
		       body_wanted(s->exchange) ? body_wait_request(s) : rule_wait(s);
	} while (r == RULES_WAIT && step == STEP_NEXT);
	return step; /* the exchange may be gone */
}

int exchange_frontend_rules(struct stream *s)
{
	return request_rules(s, s->origin->frontend);
}

int exchange_backend_rules(struct stream *s)
{
	return request_rules(s, s->backend);
}

/* ---- the request leaves ------------------------------------------------------------------ */

/* It answers inside the program: there is no server, and maybe no backend. */
int exchange_open_service(struct stream *s)
{
	if (!body_invite(s) || s->exchange->service(s->exchange, &s->relay.server) < 0)
		return exchange_fail(s, END_RESOURCE);
	service_answers(s);
	return STEP_NEXT;
}

/* What is left to be changed in a request that leaves. */
APART static bool request_edit(struct exchange *x)
{
	struct stream *s = x->stream;

	if (!x->service && !filter_request_head(x))
		return false;
	if (s->backend && s->backend->set.options.on & OPT_NO_REQUEST_TRAILERS)
		exchange_drop_trailers(&s->relay.client, &x->req);
	if (!early_mark(x) || !forwarded_name_server(x))
		return false;
	letters_for_server(s, &x->req);
	if (s->backend && learn_times(s->backend))
		x->try_us = (uint32_t)clock_read_us();
	return true;
}

bool exchange_write_request(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *server = &s->relay.server;

	if ((s->traits & LEAVING_EDITS && !request_edit(x)) || unlikely(x->memory.failed))
		return false;
	if (unlikely(x->req.flags & MSG_INVALID) && !message_repair(&x->req, x->arena))
		return false;
	if (unlikely(x->req.method != x->asked) &&
	    !message_method_fits(&x->req, exchange_tune.any_payload))
		return false;
	if (x->req.flags & MSG_HOPS && !message_settle(&x->req, x->arena))
		return false;
	if (server->framing)
		server->framing->keep = !(x->req.flags & MSG_CLOSES) &&
					(exchange_keeps_server(s) ||
					 exchange_options(s) & OPT_PRETEND_KEEPALIVE);
	if (end_head_out(server, &x->req) != IO_OK)
		return false;
	x->server_out = end_waiting(server).len;
	return true;
}

int exchange_request_open(struct stream *s)
{
	struct exchange *x = s->exchange;

	s->connected = true;
	s->phase = PHASE_HEADERS;
	s->phase_ms = (uint32_t)clock_now_ms;
	stream_expire_never(s);
	if (!x->request_sent && !x->service)
		x->may_retry = !x->no_retry && s->backend->set.retry_on & ~RETRY_CONN_FAILURE &&
			       end_mark(&s->relay.client);
	if (!exchange_write_request(s) || !early_skip(x))
		return exchange_fail(s, END_UNWRITTEN);
	x->request_sent = true;
	pump_open(&s->relay.request);
	s->relay.response.flags |= PUMP_WATCH;
	moment_tell(s, MOMENT_SENT);
	pump_run(&s->relay.request);
	if (!x->may_retry && !exchange_drop_request(x))
		return exchange_fail(s, END_RESOURCE);
	if (s->reason != END_NONE)
		return STEP_END;
	stream_arm_exchange(s);
	return STEP_NEXT;
}

/* The client waits for its response no more: it gets none, but dashboards count such lines by 400
 * and CH. */
static int request_left(struct stream *s)
{
	s->exchange->http.status = 400;
	return steps_end(s, END_CLIENT_ABORT);
}

/* While the response is waited for. */
static int request_facts(struct stream *s)
{
	struct pump *req = &s->relay.request;

	if (req->flags & PUMP_NO_MEMORY)
		return s->kind->filtered(s, filtering_failure(s), false);
	if (req->flags & PUMP_READ_ERROR) {
		if (end_wrong(&s->relay.client))
			return exchange_fail_with(s, END_BAD_REQUEST, 400);
		s->phase = PHASE_DATA;
		return steps_end(s, END_CLIENT_ABORT);
	}
	if (*s->relay.client.flags & (CONN_HUP | CONN_ERROR))
		return request_left(s);
	if (*s->relay.client.flags & CONN_RDHUP && s->backend &&
	    s->backend->set.options.on & OPT_ABORTONCLOSE)
		return request_left(s);
	return STEP_WAIT;
}

int exchange_request_forward(struct stream *s)
{
	if (s->exchange->reply)
		return STEP_WAIT;
	if (s->response.step == RES_HEAD)
		return request_facts(s);
	return s->response.step == RES_FORWARD ? exchange_response_forward(s) : STEP_WAIT;
}

