/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of an HTTP exchange, in the order of the step table (steps.c): heads in, rules, heads
 * out, bodies, the end. Bytes flow below, in the pumps. */
#include "stream/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "expr/capture.h"
#include "http/h1.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/accesslog.h"
#include "stream/body.h"
#include "stream/compress.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/forwarded.h"
#include "stream/h1_conf.h"
#include "stream/http_rules.h"
#include "stream/keepalive.h"
#include "stream/persist.h"
#include "stream/proxyheader.h"
#include "stream/reply.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "tls/conn.h"
#include "stream/unread.h"

#include <strings.h>

static int end(struct stream *s, enum reason reason)
{
	stream_end(s, reason);
	return STEP_END;
}

/* ---- the request's head ------------------------------------------------------------------ */

/* What is left of the time for the head: since accept for the first request, since its first
 * byte for others. 0: over; UINT32_MAX: no limit. */
static uint32_t head_time_left(const struct stream *s)
{
	const struct timeouts *t = &s->session->frontend->set.timeout;
	unsigned limit = t->http_request ? t->http_request : t->client;
	const struct exchange *x = s->exchange;
	uint32_t start = x->first && !x->upgraded ? (uint32_t)s->session->accepted_ms :
						    x->started_ms;
	uint32_t waited = (uint32_t)clock_now_ms - start;

	if (!limit)
		return UINT32_MAX;
	return waited < limit ? limit - waited : 0;
}

static void head_count(struct stream *s)
{
	struct proxy *fe = s->session->frontend;

	s->session->requests++;
	fe->fe->counters.requests++;
	rate_add(&fe->fe->counters.request_rate, clock_now_ms, 1);
	s->session->listener->tally->counters.requests++;
	if (!s->exchange->upgraded) /* the session was counted for one */
		global_tally->cum_requests++;
}

/* Nothing was received at all. */
static bool head_empty(const struct exchange *x)
{
	return !x->client.in;
}

/* An idle connection has ended, or one that has never asked anything and is not to be told of. */
static bool head_unsaid(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return head_empty(x) && (!x->first || x->upgraded ||
				 s->session->frontend->set.options.on & OPT_IGNORE_PROBES);
}

COLD static int head_unsaid_end(struct stream *s)
{
	s->logged = true;
	return end(s, END_NORMAL);
}

static int head_wait(struct stream *s)
{
	uint32_t left = head_time_left(s);

	if (!left && head_unsaid(s) && !s->exchange->upgraded)
		return head_unsaid_end(s);
	if (!left) {
		head_count(s);
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
	if (proxy_spares_ack(&s->session->frontend->set, OPT_SMART_ACCEPT))
		conn_ack_now(s->relay.client.conn);
}

/* The client has closed, or what it says is no request. */
COLD static int head_failed(struct stream *s)
{
	const struct h1_end *h1 = &s->exchange->client;
	const struct conn *conn = s->relay.client.conn;

	if (h1->in)
		s->exchange->bytes_in += h1->in->len;
	if (h1->error.status && !(conn->flags & (CONN_EOF | CONN_BROKEN)))
		return exchange_fail_with(s, END_BAD_REQUEST, h1->error.status);
	if (conn->flags & CONN_BROKEN)
		return end(s, END_CLIENT_ABORT);
	/* With TLS, a client that closes without a word listens to none. */
	if (tls_conn_is(conn) && !h1->in) {
		s->exchange->http.status = 400;
		return end(s, END_CLIENT_ABORT);
	}
	return exchange_fail(s, END_CLIENT_ABORT);
}

/* Option http-use-proxy-header: a proxied request is one whose target begins with neither a slash nor
 * a star. It may say Proxy-Connection where it means Connection. */
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

int exchange_request_head(struct stream *s)
{
	struct exchange *x = s->exchange;

	s->phase = PHASE_REQUEST;
	switch (s->relay.client.ops->head_in(&s->relay.client, &x->req)) {
	case IO_AGAIN:
		if (!head_empty(x))
			head_acknowledge(s);
		return head_wait(s);
	case IO_EOF:
	case IO_ERR:
		if (head_unsaid(s))
			return head_unsaid_end(s);
		head_count(s);
		return head_failed(s);
	case IO_OK:
		break;
	}
	stream_expire_never(s);
	if (!x->client.framing.ended && !h1_end_whole(&s->relay.client))
		head_acknowledge(s);
	head_count(s);
	s->relay.request.flags &= (uint16_t)~PUMP_WATCH;
	x->bytes_in += x->req.head_len;
	x->head_ms = (uint32_t)clock_now_ms - x->started_ms;
	if (s->session->frontend->set.options.on & OPT_PROXY_HEADER)
		head_for_proxy(&x->req);
	x->http.request = &x->req;
	x->http.not_first = !x->first;
	capture_request(s->session->frontend, &x->req, x->arena, &x->http);
	if (accesslog_at_request(s->session->frontend))
		stream_log(s);
	return STEP_NEXT;
}

/* ---- the request's body, where somebody wants to see it ---------------------------------- */

static int body_done(struct stream *s)
{
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
		return head_wait(s);
	case IO_EOF:
	case IO_ERR:
		break;
	}
	return body_failed(s);
}

/* ---- rules ------------------------------------------------------------------------------- */

/* Why rules have failed. */
static enum reason rules_failure(const struct exchange *x)
{
	return x->unwritten ? END_UNWRITTEN : END_RESOURCE;
}

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
		return exchange_fail(s, rules_failure(s->exchange));
	case RULES_REJECT:
	case RULES_CLOSE:
	case RULES_DROP:
		break;
	}
	return end(s, END_DENIED);
}

static int request_rules(struct stream *s, struct proxy *px)
{
	enum rule_result r;
	int step;

	s->phase = PHASE_REQUEST;
	do {
		r = http_request_rules(s->exchange, px);
		step = r != RULES_WAIT ? rules_result(s, r) :
		       s->exchange->early_asked ? early_wait(s) : body_wait_request(s);
	} while (r == RULES_WAIT && step == STEP_NEXT);
	return step; /* the exchange may be gone */
}

int exchange_frontend_rules(struct stream *s)
{
	return request_rules(s, s->session->frontend);
}

int exchange_backend_rules(struct stream *s)
{
	return request_rules(s, s->backend);
}

/* ---- the request leaves ------------------------------------------------------------------ */

static void open_pump(struct pump *pump)
{
	pump->flags |= PUMP_OPEN;
	pump->flags &= (uint16_t)~(PUMP_LOOK | PUMP_DATA | PUMP_WATCH);
	pump_allow_all(pump);
}

/* It answers inside the program: there is no server, and maybe no backend. */
int exchange_open_service(struct stream *s)
{
	if (s->exchange->service(s->exchange, &s->relay.server) < 0)
		return exchange_fail(s, END_RESOURCE);
	s->connected = true;
	return STEP_NEXT;
}

/* The options of frontend and backend. */
static uint64_t both_options(const struct stream *s)
{
	return s->session->frontend->set.options.on | (s->backend ? s->backend->set.options.on : 0);
}

/* Does the backend keep connections to its servers? */
static bool server_may_keep(const struct stream *s)
{
	uint64_t on = both_options(s);

	return !(on & (OPT_HTTP_CLOSE | OPT_SERVER_CLOSE));
}

/* What is left to be changed in a request that leaves. */
static bool request_touch(struct exchange *x)
{
	struct stream *s = x->stream;

	if (!x->service)
		compress_request(x);
	if (!early_mark(x) || !forwarded_name_server(x))
		return false;
	h1_adjust_for_server(s, &x->req);
	return true;
}

bool exchange_write_request(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *server = &s->relay.server;

	if (s->known & LAST_TOUCHES && !request_touch(x))
		return false;
	if (server->framing)
		server->framing->keep = server_may_keep(s) ||
					both_options(s) & OPT_PRETEND_KEEPALIVE;
	return !server->ops->head_out || server->ops->head_out(server, &x->req) == IO_OK;
}

int exchange_request_open(struct stream *s)
{
	struct exchange *x = s->exchange;

	s->phase = PHASE_HEADERS;
	s->phase_ms = (uint32_t)clock_now_ms;
	stream_expire_never(s);
	if (!x->attempts && !x->service)
		x->may_retry = !x->no_retry && s->backend->set.retry_on & ~RETRY_CONN_FAILURE &&
			       h1_end_mark(&s->relay.client);
	if (!exchange_write_request(s) || (x->early_taken && !early_skip(x)))
		return exchange_fail(s, END_UNWRITTEN);
	x->request_sent = true;
	x->attempts++;
	open_pump(&s->relay.request);
	s->relay.response.flags |= PUMP_WATCH;
	if (accesslog_at_connect(s->session->frontend))
		stream_log(s);
	pump_run(&s->relay.request);
	if (!x->may_retry && !exchange_drop_request(x))
		return exchange_fail(s, END_RESOURCE);
	if (s->reason != END_NONE)
		return STEP_END;
	stream_arm_exchange(s);
	return STEP_NEXT;
}

/* While the response is waited for. */
static int request_facts(struct stream *s)
{
	struct pump *req = &s->relay.request;

	if (req->flags & PUMP_NO_MEMORY)
		return exchange_fail(s, END_RESOURCE);
	if (req->flags & PUMP_READ_ERROR) {
		if (s->exchange->client.error.status)
			return exchange_fail_with(s, END_BAD_REQUEST, 400);
		s->phase = PHASE_DATA;
		return end(s, END_CLIENT_ABORT);
	}
	if (*s->relay.client.flags & (CONN_HUP | CONN_ERROR))
		return end(s, END_CLIENT_ABORT);
	if (*s->relay.client.flags & CONN_RDHUP && s->backend &&
	    s->backend->set.options.on & OPT_ABORTONCLOSE)
		return end(s, END_CLIENT_ABORT);
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

/* ---- the response's head ----------------------------------------------------------------- */

/* Which of the counters, from responses_1xx on. */
static unsigned response_class(unsigned status)
{
	return status >= 100 && status < 600 ? status / 100 - 1 : 5;
}

/* What the client gets, and of the server what it has said, be it refused. */
static void count_response(struct stream *s, unsigned status)
{
	unsigned at = response_class(status);

	(&s->session->frontend->fe->counters.responses_1xx)[at]++;
	(&s->session->listener->tally->counters.responses_1xx)[at]++;
	if (s->backend)
		(&s->backend->be->counters.responses_1xx)[at]++;
	if (s->server && s->exchange->http.server_status) {
		at = response_class(s->exchange->http.server_status);
		s->server->tally->counters.requests++;
		(&s->server->tally->counters.responses_1xx)[at]++;
	}
}

/* 100 and 103 pass through at once; the answer itself comes behind them. */
COLD static int response_interim(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *client = &s->relay.client;

	x->interim = true;
	h1_adjust_for_client(s, &x->res);
	if (x->client.peer_minor > 0 && (client->ops->head_out(client, &x->res) != IO_OK ||
					 client->ops->flush(client) == IO_ERR))
		return end(s, END_CLIENT_ABORT);
	if (!h1_end_unpin(&s->relay.server))
		return end(s, END_RESOURCE);
	return STEP_GOTO + RES_HEAD;
}

/* Nothing of it came: over a connection that others have used before, the client knows that this
 * may happen, and asks again (manual, http-reuse safe). */
static bool response_died_reused(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return x->reused && !x->first && !x->server.in && !x->interim;
}

COLD static int response_failed(struct stream *s)
{
	const struct exchange *x = s->exchange;
	bool junk = x->server.error.status || x->server.in;
	const struct conn *conn = end_conn(&s->relay.server);

	if (!response_died_reused(s))
		exchange_observe(s, x->server.error.status ? OBSERVED_BAD_RESPONSE :
				    conn && conn->flags & CONN_BROKEN ? OBSERVED_BROKEN :
									OBSERVED_CLOSED);
	if (exchange_retry(s, junk ? RETRY_JUNK : RETRY_EMPTY))
		return STEP_WAIT;
	if (response_died_reused(s)) {
		s->logged = true;
		return end(s, END_SERVER_ABORT);
	}
	if (x->server.error.status)
		return exchange_fail_response(s, END_BAD_RESPONSE, 502);
	return exchange_fail_response(s, END_SERVER_ABORT, 502);
}

/* NTLM and Negotiate authenticate the connection, not the request. */
static void response_private(struct stream *s)
{
	const struct message *res = &s->exchange->res;
	struct span scheme;
	struct field *f;
	unsigned at = 0;

	if (res->status != 401 && res->status != 407)
		return;
	scheme = span_of(res->status == 401 ? "www-authenticate" : "proxy-authenticate");
	while ((f = message_find(res, scheme, &at)))
		if ((f->value.len >= 4 && !strncasecmp(f->value.ptr, "NTLM", 4)) ||
		    (f->value.len >= 9 && !strncasecmp(f->value.ptr, "Negotiate", 9)))
			s->session->private_servers = true;
}

/* A server that sends head and body one by one, and has Nagle's algorithm on, holds the body back
 * until the head was acknowledged, which the kernel leaves for later: 40 ms. It is told at once. A
 * piece of some size is no such case. */
static void response_acknowledge(struct stream *s)
{
	enum { SMALL = 1400 };
	const struct h1_end *h1 = &s->exchange->server;
	size_t have = h1->in ? h1->in->len : 0;
	const struct conn *conn = end_conn(&s->relay.server);

	if (!conn || have >= SMALL)
		return;
	if ((h1->body == BODY_LENGTH && h1->left > have) || h1->body == BODY_CLOSE ||
	    (h1->body == BODY_CHUNKED && !h1->whole))
		conn_ack_now(conn);
}

static int response_head(struct stream *s)
{
	struct exchange *x = s->exchange;

	s->phase = PHASE_HEADERS;
	switch (s->relay.server.ops->head_in(&s->relay.server, &x->res)) {
	case IO_AGAIN:
		return STEP_WAIT;
	case IO_EOF:
	case IO_ERR:
		return response_failed(s);
	case IO_OK:
		break;
	}
	if (x->res.flags & MSG_INTERIM)
		return response_interim(s);
	if (x->res.status == 101 && !(x->req.flags & MSG_UPGRADE))
		return exchange_fail_response(s, END_BAD_RESPONSE, 502);
	if (s->server && s->server->set.observe == OBSERVE_LAYER7)
		exchange_observe(s, observed_status(x->res.status));
	if (x->may_retry && exchange_retry(s, x->res.status == 425 ? early_retry_on(x) :
					      retry_on_status(x->res.status)))
		return STEP_WAIT;
	response_private(s);
	stream_respond(s);
	s->relay.response.flags &= (uint16_t)~PUMP_WATCH;
	x->response_ms = (uint32_t)(clock_now_ms - s->session->accepted_ms);
	x->http.response = &x->res;
	x->http.server_status = x->res.status;
	capture_response(s->session->frontend, &x->res, x->arena, &x->http);
	response_acknowledge(s);
	return STEP_NEXT;
}

/* Behind the request, in the same turn, a server has not answered yet. */
int exchange_response_head(struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.server);

	if (conn && !(conn->flags & (CONN_READABLE | CONN_HELD)))
		return STEP_WAIT;
	return response_head(s);
}

int exchange_response_rules(struct stream *s)
{
	struct exchange *x = s->exchange;
	enum rule_result r;
	int step;

	if (x->reply || (x->service && !x->service_rules))
		return STEP_NEXT;
	do {
		r = http_response_rules(x);
		step = r == RULES_WAIT ? body_wait_response(s) : STEP_WAIT;
	} while (r == RULES_WAIT && step == STEP_NEXT);
	switch (r) {
	case RULES_PASS:
		s->relay.response.flags &= (uint16_t)~PUMP_WATCH;
		return persist_response(x) ? STEP_NEXT :
					     exchange_fail_response(s, END_RESOURCE, 500);
	case RULES_WAIT:
		return step;
	case RULES_REPLY:
		return STEP_GOTO + RES_REPLY;
	case RULES_ERROR:
		return exchange_fail_response(s, rules_failure(x), 500);
	case RULES_DROP:
		return end(s, END_DENIED);
	default:
		return exchange_fail_response(s, END_DENIED, 502);
	}
}

/* ---- http-after-response ----------------------------------------------------------------- */

/* The response, or an answer of the program, cannot be written. The answer to that is 500 as it is in the
 * configuration: what has failed is not tried with it. */
COLD static int response_unfit(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (x->unfit)
		return end(s, END_UNWRITTEN);
	x->unfit = true;
	x->tunnel = false;
	x->reason = END_UNWRITTEN;
	x->phase = x->reply ? x->phase : PHASE_HEADERS;
	if (s->relay.response.filter)
		compress_end(x);
	reply_send_error(x, 500);
	return STEP_GOTO + RES_REPLY;
}

int exchange_after_rules(struct stream *s)
{
	if (!s->exchange->unfit && http_after_rules(s->exchange) == RULES_ERROR)
		return response_unfit(s);
	return STEP_NEXT;
}

/* ---- the response leaves ----------------------------------------------------------------- */

/* A rule has made a status without body of one that has one: what comes of it goes nowhere. */
COLD static void response_bare(struct exchange *x)
{
	struct pump *pump = &x->stream->relay.response;
	struct framing *from = pump->from->framing;

	message_delete(&x->res, span_of("transfer-encoding"));
	if (x->res.status != 304)
		message_delete(&x->res, span_of("content-length"));
	x->res.framing = BODY_NONE;
	x->bare = true;
	buffer_give(&pump->buf);
	pump->flags |= PUMP_EOF;
	if (from)
		from->ended = true;
}

/* The other way round, or no body that has to be announced still. False: no memory. */
COLD static bool response_empty(struct exchange *x)
{
	message_delete(&x->res, span_of("transfer-encoding"));
	message_delete(&x->res, span_of("content-length"));
	x->res.framing = BODY_LENGTH;
	x->res.length = 0;
	return message_add(&x->res, x->arena, span_of("content-length"), span_of("0"));
}

static bool status_has_body(unsigned status)
{
	return status >= 200 && status != 204 && status != 304;
}

/* set-status does not know of bodies, but the client's next response begins where it takes this
 * one's to end (RFC 9112 6.3). False: no memory. */
static bool response_refit(struct exchange *x, unsigned was)
{
	unsigned status = x->res.status;

	if (likely(status == was) || status_has_body(status) == status_has_body(was) ||
	    x->res.framing == BODY_TUNNEL)
		return true;
	if (!status_has_body(status))
		response_bare(x);
	else if (x->req.method != METHOD_HEAD)
		return response_empty(x);
	return true;
}

/* May the client's connection carry another request behind this one? */
static bool client_may_keep(struct stream *s)
{
	const struct exchange *x = s->exchange;
	uint64_t on = s->session->frontend->set.options.on;

	if (!(x->req.flags & MSG_KEEP_ALIVE) || on & OPT_HTTP_CLOSE || keepalive_is_over() ||
	    x->res.status < 200)
		return false;
	if (x->reply)
		return !x->reply->close && unread_fits(s);
	return !x->tunnel;
}

COLD static void response_tunnel(struct stream *s)
{
	h1_end_tunnel(&s->relay.client);
	h1_end_tunnel(&s->relay.server);
	pump_renew(&s->relay.request);
	open_pump(&s->relay.request);
}

int exchange_response_open(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *client = &s->relay.client;
	uint64_t counted;

	if (!response_refit(x, x->reply ? x->reply->status : x->http.server_status))
		return end(s, END_RESOURCE);
	x->tunnel = x->res.framing == BODY_TUNNEL;
	x->http.status = x->reply && x->reply->named ? (uint16_t)x->reply->named : x->res.status;
	x->server_keeps = !x->reply && !x->service && !x->bare && x->res.flags & MSG_KEEP_ALIVE &&
			  server_may_keep(s) && x->server.body != BODY_CLOSE &&
			  x->server.body != BODY_TUNNEL;
	client->framing->keep = client_may_keep(s);
	client->framing->closes = !client->framing->keep && !x->tunnel && !x->reply && !x->service;
	if (x->compress && !compress_response(x))
		return end(s, END_RESOURCE);
	h1_adjust_for_client(s, &x->res);
	if (client->ops->head_out(client, &x->res) != IO_OK)
		return response_unfit(s);
	if (x->tunnel)
		response_tunnel(s);
	count_response(s, x->res.status);
	counted = h1_end_waiting(&x->client);
	x->bytes_out += counted;
	x->head_sent = true;
	if (accesslog_at_response(s->session->frontend))
		stream_log(s);
	s->phase = PHASE_DATA;
	open_pump(&s->relay.response);
	pump_run(&s->relay.response);
	if (x->tunnel)
		pump_run(&s->relay.request);
	x->http.response = NULL;
	if (!h1_end_unpin(&s->relay.server))
		return end(s, END_RESOURCE);
	if (s->reason == END_NONE && !(s->relay.response.flags & PUMP_FINISHED))
		stream_arm_forward(s);
	return s->reason == END_NONE ? STEP_NEXT : STEP_END;
}

/* ---- bodies ------------------------------------------------------------------------------ */

int exchange_done(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct pump *req = &s->relay.request;

	x->complete = true;
	x->client_keeps = x->client.framing.keep && x->res.framing != BODY_TUNNEL;
	if (x->reply ? !x->client.framing.ended : !(req->flags & PUMP_FINISHED))
		x->client_keeps = x->server_keeps = false;
	if (!x->reply && !x->service)
		return end(s, END_NORMAL);
	if (!x->reason && !(x->reply && x->phase == PHASE_HEADERS))
		x->phase = PHASE_REQUEST; /* the server's answer was not the reason */
	s->phase = x->phase;
	return end(s, x->reason ? x->reason : END_LOCAL);
}

/* A tunnel that is closed on one side has other timeouts from then on. */
static int tunnel_goes_on(struct stream *s)
{
	if (s->exchange->tunnel)
		stream_arm_forward(s);
	return STEP_WAIT;
}

int exchange_response_forward(struct stream *s)
{
	struct pump *req = &s->relay.request, *res = &s->relay.response;
	struct exchange *x = s->exchange;

	if ((res->flags | (x->reply ? 0 : req->flags)) & PUMP_NO_MEMORY)
		return end(s, END_RESOURCE);
	if (res->flags & PUMP_WRITE_ERROR) {
		if (x->reason)
			s->phase = x->phase;
		return end(s, x->reason ? x->reason : END_CLIENT_ABORT);
	}
	if (req->flags & PUMP_READ_ERROR && !x->reply)
		return end(s, END_CLIENT_ABORT);
	if (req->flags & PUMP_WRITE_ERROR && !(req->flags & PUMP_STOPPED))
		pump_stop(req);
	if (!(res->flags & PUMP_FINISHED))
		return tunnel_goes_on(s);
	if (res->flags & PUMP_READ_ERROR)
		return steps_server_broken(s);
	if (x->tunnel && !(req->flags & (PUMP_FINISHED | PUMP_WRITE_ERROR)))
		return tunnel_goes_on(s);
	return x->reply && unread_waits(s) ? STEP_WAIT : exchange_done(s);
}
