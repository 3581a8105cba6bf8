/* SPDX-License-Identifier: BSD-2-Clause */
/* The response's side of an exchange: its steps, in the order of the step table (exchange_kind.c):
 * the head comes in, rules, the head goes out, bodies to their end. The request's side is in
 * exchange_request.c. Bytes flow below, in the pumps. */
#include "exchange/exchange.h"

#include "base/arena.h"
#include "base/clock.h"
#include "exchange/body.h"
#include "exchange/early_request.h"
#include "exchange/filter_heads.h"
#include "exchange/guards.h"
#include "exchange/h1_conf.h"
#include "exchange/http_rules.h"
#include "exchange/idle.h"
#include "exchange/persist.h"
#include "exchange/reply.h"
#include "exchange/server_conn.h"
#include "exchange/unread.h"
#include "expr/capture.h"
#include "http/message.h"
#include "http/upgrade_field.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/learn.h"
#include "relay/buffer.h"
#include "stream/filtering.h"
#include "stream/extra.h"
#include "stream/moments.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/track.h"
#include "tls/conn.h"


/* ---- the response's head ----------------------------------------------------------------- */

/* What the client gets, and of the server what it has said, be it refused. */
static void count_response(struct stream *s, unsigned status)
{
	size_t counter = counters_of_status(status);

	counters_add_at(&s->origin->frontend->fe->counters, counter);
	counters_add_at(origin_counters(s->origin), counter);
	if (s->backend)
		counters_add_at(&s->backend->be->counters, counter);
	if (s->server && s->exchange->http.server_status) {
		s->server->tally->counters.requests++;
		counters_add_at(&s->server->tally->counters,
				counters_of_status(s->exchange->http.server_status));
		track_status(s, s->exchange->http.server_status);
	}
}

enum {
	INTERIM_TURN = 16,
	INTERIM_AT_ONCE = 1000, /* so many are borne, ... */
	INTERIM_A_SECOND = 100, /* ... and so many in each second more */
};

/* A server may say 1xx for ever: the next ones in another turn, behind those who wait for this
 * one. */
COLD static int response_yield(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);

	if (!extra)
		return steps_end(s, END_RESOURCE);
	task_wake(&extra->task);
	return STEP_WAIT;
}

/* More of them than anybody can mean: each costs us more than the server. */
static bool response_babbles(struct exchange *x)
{
	if (!x->interims++)
		x->interim_ms = (uint32_t)clock_now_ms;
	return x->interims > INTERIM_AT_ONCE + ((uint32_t)clock_now_ms - x->interim_ms) /
						       (1000 / INTERIM_A_SECOND);
}

/* The class counts for the server alone: its client has one response, the last one. */
static void count_interim(struct stream *s, unsigned status)
{
	struct counters *c = &s->server->tally->counters;

	c->requests++;
	counters_add_at(c, counters_of_status(status));
}

/* What of heads in front waits for the kernel still, in front of the next one, and was counted. Of
 * HTTP/2 what waits is the last frame alone. */
static size_t interim_unsent(const struct end *client)
{
	return end_is_conn(client) ? end_waiting(client).len : 0;
}

/* Passes it on. It counts as all heads do: when it is made. */
static enum io interim_out(struct stream *s)
{
	struct end *client = &s->relay.client;
	size_t before = interim_unsent(client);

	if (end_head_out(client, &s->exchange->res) != IO_OK)
		return IO_ERR;
	s->exchange->bytes_out += end_waiting(client).len - before;
	return end_flush(client) == IO_ERR ? IO_ERR : IO_OK;
}

/* What waits still is counted with the last head. */
APART COLD static void interim_uncount(struct exchange *x, const struct end *client)
{
	x->bytes_out -= interim_unsent(client);
}

/* 100 and 103 pass through at once; the answer itself comes behind them. */
COLD static int response_interim(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (response_babbles(x))
		return exchange_fail_response(s, END_BAD_RESPONSE, 502);
	x->interim = true;
	s->relay.response.write_ms = (uint32_t)clock_now_ms; /* the client took the one before */
	if (s->server)
		count_interim(s, x->res.status);
	letters_for_client(s, &x->res);
	if (interim_out(s) != IO_OK)
		return steps_end(s, END_CLIENT_ABORT);
	if (!end_unpin(&s->relay.server))
		return steps_end(s, END_RESOURCE);
	return x->interims % INTERIM_TURN ? STEP_GOTO + RES_HEAD : response_yield(s);
}

/* Nothing of it came: over a connection that others have used before, a client of HTTP/1 knows that
 * this may happen, and asks again (manual, http-reuse safe). One of HTTP/2 takes a stream that is
 * reset for a fault. The program's own one asks again, too. */
static bool response_died_reused(const struct stream *s)
{
	const struct exchange *x = s->exchange;
	const struct end *server = &s->relay.server;

	return x->reused && !x->first && !end_received(server) && !end_wrong(server) && !x->interim &&
	       !end_ended_alone(server) &&
	       (end_is_conn(&s->relay.client) || s->origin->carrier->asks_again);
}

COLD static int response_failed(struct stream *s)
{
	const struct exchange *x = s->exchange;
	bool wrong = end_wrong(&s->relay.server), junk = wrong || end_received(&s->relay.server);
	bool broken = end_is_conn(&s->relay.server) && *s->relay.server.flags & CONN_BROKEN;

	if (x->memory.failed)
		return exchange_fail_response(s, END_RESOURCE, 500);
	if (end_unprocessed(&s->relay.server) && exchange_retry(s, RETRY_UNPROCESSED))
		return STEP_WAIT;
	if (unlikely(wrong))
		server_conn_suspect(s);
	if (!response_died_reused(s))
		exchange_observe(s, wrong ? OBSERVED_BAD_RESPONSE :
				    broken ? OBSERVED_BROKEN : OBSERVED_CLOSED);
	if (exchange_retry(s, junk ? RETRY_JUNK : RETRY_EMPTY))
		return STEP_WAIT;
	if (response_died_reused(s)) {
		s->logged = true;
		return steps_end(s, END_SERVER_ABORT);
	}
	if (wrong)
		return exchange_fail_response(s, END_BAD_RESPONSE, 502);
	return exchange_fail_response(s, END_SERVER_ABORT, 502);
}

static void response_private(struct stream *s)
{
	const struct message *res = &s->exchange->res;

	if ((unlikely(res->status == 401) && idle_binding_challenge(res, span_of("www-authenticate"))) ||
	    (unlikely(res->status == 407) && idle_binding_challenge(res, span_of("proxy-authenticate"))))
		s->origin->private_servers = true;
}

/* A server that sends head and body one by one, and has Nagle's algorithm on, holds the body back
 * until the head was acknowledged, which the kernel leaves for later: 40 ms. It is told at once. A
 * piece of some size is no such case. */
static void response_acknowledge(struct stream *s)
{
	enum { SMALL = 1400 };
	const struct end *server = &s->relay.server;

	if (s->exchange->res.framing == BODY_TUNNEL || end_whole(server) || end_received(server) >= SMALL)
		return;
	link_acknowledge(end_own_link(server));
}

/* A server that has understood the handshake of WebSocket answers its key (RFC 6455 4.2.2). */
static bool response_lacks_accept(const struct message *res)
{
	unsigned at = 0;

	return upgrade_is_websocket(res) && !message_find(res, span_of("sec-websocket-accept"), &at);
}

/* Has anybody asked for this 101? Whoever has made the key judges the answer to it (RFC 6455 4.1):
 * the client, or the end of one that has none. */
COLD static bool response_switches(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return x->req.flags & MSG_UPGRADE && !response_lacks_accept(&x->res) &&
	       end_accepts(&s->relay.client, &x->res);
}

static int response_head(struct stream *s)
{
	struct exchange *x = s->exchange;

	s->phase = PHASE_HEADERS;
	/* A client that does not take what it was told holds the server back. */
	if (unlikely(x->interim) && !end_room(&s->relay.client))
		return STEP_WAIT;
	switch (end_head_in(&s->relay.server, &x->res)) {
	case IO_AGAIN:
		return STEP_WAIT;
	case IO_EOF:
	case IO_ERR:
		return response_failed(s);
	case IO_OK:
		break;
	}
	x->server_in += x->res.head_len;
	if (x->res.flags & MSG_INTERIM)
		return response_interim(s);
	if (x->res.status == 101 && !response_switches(s))
		return exchange_fail_response(s, END_BAD_RESPONSE, 502);
	if (s->server && s->server->learns & LEARNS_RESPONSES)
		exchange_observe(s, observed_status(x->res.status));
	if (x->may_retry && exchange_retry(s, x->res.status == 425 ? early_retry_on(x) :
					      retry_on_status(x->res.status)))
		return STEP_WAIT;
	response_private(s);
	stream_respond(s);
	s->relay.response.flags &= (uint16_t)~PUMP_WATCH;
	x->response_ms = (uint32_t)(clock_now_ms - s->origin->accepted_ms);
	x->http.response = &x->res;
	x->http.server_status = x->res.status;
	capture_response(s->origin->frontend, &x->res, x->arena, &x->http);
	response_acknowledge(s);
	return STEP_NEXT;
}

/* Behind the request, in the same turn, a server has not answered yet. */
int exchange_response_head(struct stream *s)
{
	const struct end *server = &s->relay.server;

	if (end_is_conn(server) && !(*server->flags & (CONN_READABLE | CONN_HELD)))
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
		step = r != RULES_WAIT || s->extra->rule_waits ? STEP_WAIT : body_wait_response(s);
	} while (r == RULES_WAIT && step == STEP_NEXT);
	switch (r) {
	case RULES_PASS:
		s->relay.response.flags &= (uint16_t)~PUMP_WATCH;
		if (s->backend && s->backend->set.options.on & OPT_CHECKCACHE && !guard_cookies(x))
			return exchange_fail_response(s, END_DENIED, 502);
		return persist_response(x) ? STEP_NEXT :
					     exchange_fail_response(s, END_RESOURCE, 500);
	case RULES_WAIT:
		if (!s->extra->rule_waits)
			return step;
		if (*s->relay.client.flags & (CONN_HUP | CONN_ERROR | CONN_BROKEN))
			return steps_end(s, END_CLIENT_ABORT);
		if (!x->pausing)
			stream_expire_never(s);
		return step;
	case RULES_REPLY:
		return STEP_GOTO + RES_REPLY;
	case RULES_ERROR:
		return exchange_fail_response(s, exchange_rules_failure(x), 500);
	case RULES_DROP:
		return steps_end(s, END_DENIED);
	default:
		return exchange_fail_response(s, END_DENIED, 502);
	}
}

/* ---- http-after-response ----------------------------------------------------------------- */

/* Its client has left in this very moment. Dashboards count such lines by 400 and CH, as those
 * whose client leaves before the answer comes; the program's own answer keeps its reason. */
COLD static int response_unwanted(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (x->reply)
		return steps_end(s, x->reason ? x->reason : END_CLIENT_ABORT);
	x->http.status = 400;
	s->phase = PHASE_HEADERS;
	return steps_end(s, END_CLIENT_ABORT);
}

/* The response, or an answer of the program, cannot be written. The answer to that is 500 as it is
 * in the configuration: what has failed is not tried with it. */
COLD static int response_unfit(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (*s->relay.client.flags & CONN_BROKEN && !x->memory.failed)
		return response_unwanted(s);
	if (x->unfit)
		return steps_end(s, END_UNWRITTEN);
	x->unfit = true;
	s->closes_halves = x->tunnel = false;
	x->reason = x->memory.failed ? END_RESOURCE : END_UNWRITTEN;
	x->memory.failed = false;
	x->phase = x->reply ? x->phase : PHASE_HEADERS;
	filter_heads_forget(s);
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

/* What comes of a body goes nowhere: the client, which has asked HEAD or is told a status without
 * body, takes none. What has come already is read away, so that the server's connection may live
 * on. */
APART COLD static void response_bare(struct exchange *x)
{
	struct end *server = &x->stream->relay.server;
	struct pump *pump = &x->stream->relay.response;
	bool announced = x->asked == METHOD_HEAD || x->res.status == 304;

	message_delete(&x->res, span_of("transfer-encoding"));
	if (!announced || x->res.framing == BODY_TUNNEL)
		message_delete(&x->res, span_of("content-length"));
	unread_response(x);
	x->res.framing = BODY_NONE;
	buffer_give(&pump->buf);
	pump->flags |= PUMP_EOF;
	if (server->framing && !x->rest)
		server->framing->ended = true;
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

/* Is there a body behind the head of the answer to such a request (RFC 9112 6.3)? */
static bool has_body(unsigned method, unsigned status)
{
	return method != METHOD_HEAD && status >= 200 && status != 204 && status != 304 &&
	       !(method == METHOD_CONNECT && status / 100 == 2);
}

/* Is it the beginning of a tunnel? */
static bool opens_tunnel(unsigned method, unsigned status)
{
	return status == 101 || (method == METHOD_CONNECT && status / 100 == 2);
}

/* The server's response is framed by what it was asked and by its own status, but the client goes
 * by what the client has asked, whatever rules made of the method, and by the status that it is
 * told: the next response begins where the client takes this one's to end. was: the status before
 * the rules. False: no memory. */
static bool response_refit(struct exchange *x, unsigned was)
{
	bool tunnel = x->res.framing == BODY_TUNNEL, own = x->reply || x->service, takes, gives;

	if (likely(x->req.method == x->asked && x->res.status == was && !tunnel && !own))
		return true;
	takes = has_body(x->asked, x->res.status);
	gives = own ? x->res.framing != BODY_NONE : has_body(x->req.method, was) && !tunnel;
	if (takes == gives && !tunnel)
		return true;
	if (tunnel && opens_tunnel(x->asked, x->res.status))
		return true;
	if (gives || tunnel)
		response_bare(x);
	return !takes || response_empty(x);
}

/* May the client's connection carry another request behind this one? */
static bool client_may_keep(struct stream *s)
{
	const struct exchange *x = s->exchange;
	uint64_t on = s->origin->frontend->set.options.on;

	if (!(x->req.flags & MSG_KEEP_ALIVE) || on & OPT_HTTP_CLOSE || s->origin->carrier->draining(s->origin) ||
	    x->res.status < 200 || opens_tunnel(x->asked, x->res.status))
		return false;
	if (x->reply)
		return !x->reply->close && unread_fits(s);
	return !x->tunnel;
}

/* What rules and answers say of the connection counts behind all that is known of it. */
APART static bool response_settle(struct exchange *x)
{
	struct end *client = &x->stream->relay.client;

	if (!message_settle(&x->res, x->arena))
		return false;
	if (x->res.flags & MSG_CLOSES && client->framing->keep) {
		client->framing->keep = false;
		client->framing->closes = !x->tunnel && !x->reply && !x->service;
	}
	return true;
}

COLD static void response_tunnel(struct stream *s)
{
	end_tunnel(&s->relay.client);
	end_tunnel(&s->relay.server);
	pump_renew(&s->relay.request);
	pump_open(&s->relay.request);
}

int exchange_response_open(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct end *client = &s->relay.client;

	if (unlikely(x->interim))
		interim_uncount(x, client);
	if (!response_refit(x, x->reply ? x->reply->status : x->http.server_status))
		return steps_end(s, END_RESOURCE);
	s->closes_halves = x->tunnel = x->res.framing == BODY_TUNNEL;
	x->http.status = x->reply && x->reply->named ? (uint16_t)x->reply->named : x->res.status;
	x->server_keeps = !x->reply && !x->service && (!x->bare || x->rest) &&
			  x->res.flags & MSG_KEEP_ALIVE && exchange_keeps_server(s) && !(x->req.flags & MSG_CLOSES) &&
			  !s->relay.server.framing->endless;
	client->framing->keep = client_may_keep(s);
	client->framing->closes = !client->framing->keep && !x->tunnel && !x->reply && !x->service;
	if (unlikely(s->relay.response.chain != NULL) && !filter_response_head(x))
		return steps_end(s, END_RESOURCE);
	if (s->origin->frontend->set.options.on & OPT_NO_RESPONSE_TRAILERS)
		exchange_drop_trailers(&s->relay.server, &x->res);
	if (x->res.flags & (MSG_HOPS | MSG_CLOSES) && !response_settle(x))
		return steps_end(s, END_RESOURCE);
	letters_for_client(s, &x->res);
	if (unlikely(x->memory.failed) || end_head_out(client, &x->res) != IO_OK)
		return response_unfit(s);
	if (x->tunnel)
		response_tunnel(s);
	count_response(s, x->res.status);
	x->bytes_out += end_waiting(client).len;
	x->head_sent = true;
	moment_tell(s, MOMENT_ANSWERED);
	s->phase = PHASE_DATA;
	pump_open(&s->relay.response);
	pump_run(&s->relay.response);
	if (x->tunnel)
		pump_run(&s->relay.request);
	x->http.response = NULL;
	if (!end_unpin(&s->relay.server))
		return steps_end(s, END_RESOURCE);
	if (unlikely(x->tunnel) && s->reason == END_NONE)
		stream_want_kernel(s);
	if (s->reason == END_NONE && !(s->relay.response.flags & PUMP_FINISHED))
		stream_arm_forward(s);
	return s->reason == END_NONE ? STEP_NEXT : STEP_END;
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* The server's connection ends with it. Where nothing else says that this was all the client has
 * it as a whole even so, as many servers never say that they end; the log tells. */
APART COLD static int response_ends(struct stream *s)
{
	if (s->exchange->tunnel || !end_maybe_cut(&s->relay.server))
		return steps_end(s, END_NORMAL);
	s->phase = PHASE_DATA;
	return steps_end(s, END_SERVER_UNSAID);
}

int exchange_done(struct stream *s)
{
	struct exchange *x = s->exchange;
	struct pump *req = &s->relay.request;

	x->complete = true;
	x->client_keeps = x->res.framing != BODY_TUNNEL && s->relay.client.framing->keep;
	if (x->reply ? !s->relay.client.framing->ended : !(req->flags & PUMP_FINISHED))
		x->client_keeps = x->server_keeps = false;
	if (!x->reply && !x->service)
		return unlikely(!x->server_keeps) ? response_ends(s) : steps_end(s, END_NORMAL);
	if (!x->reason && !(x->reply && x->phase == PHASE_HEADERS))
		x->phase = PHASE_REQUEST; /* the server's answer was not the reason */
	s->phase = x->phase;
	return steps_end(s, x->reason ? x->reason : END_LOCAL);
}

/* A server may be silent in the middle of its response for long. A client that has reset its connection
 * is not there to read the rest; one that has closed is not if option abortonclose says so. */
static bool client_left(const struct stream *s)
{
	unsigned flags = *s->relay.client.flags;

	if (!(flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR)) || s->exchange->reply || s->exchange->service)
		return false;
	return flags & (CONN_HUP | CONN_ERROR) ||
	       (s->backend && s->backend->set.options.on & OPT_ABORTONCLOSE);
}

/* A tunnel that is closed on one side has other timeouts from then on. */
static int response_goes_on(struct stream *s)
{
	if (s->exchange->tunnel)
		stream_arm_forward(s);
	else if (client_left(s))
		return steps_end(s, END_CLIENT_ABORT);
	return STEP_WAIT;
}

/* The server has broken off. A client that a length or the chunks tell of it learns it from FIN,
 * which waits in the kernel behind all that came. */
static int response_broken(struct stream *s)
{
	const struct exchange *x = s->exchange;

	if (x->res.framing == BODY_CLOSE || x->tunnel)
		return steps_server_broken(s);
	return steps_end(s, END_SERVER_ABORT);
}

/* A service has failed in the middle of its answer. The client has what came before, and sees that
 * there was to be more. */
COLD static int service_broken(struct stream *s)
{
	if (s->exchange->res.framing == BODY_CLOSE)
		return steps_server_broken(s);
	s->phase = PHASE_REQUEST;
	return steps_end(s, END_LOCAL);
}

int exchange_response_forward(struct stream *s)
{
	struct pump *req = &s->relay.request, *res = &s->relay.response;
	struct exchange *x = s->exchange;

	if ((res->flags | (x->reply ? 0 : req->flags)) & PUMP_NO_MEMORY)
		return steps_end(s, filtering_failure(s));
	if (res->flags & PUMP_WRITE_ERROR) {
		if (x->reason)
			s->phase = x->phase;
		return steps_end(s, x->reason ? x->reason : END_CLIENT_ABORT);
	}
	if (req->flags & PUMP_READ_ERROR && !x->reply)
		return steps_end(s, END_CLIENT_ABORT);
	if (req->flags & PUMP_WRITE_ERROR && !(req->flags & PUMP_STOPPED))
		pump_stop(req);
	if (!(res->flags & PUMP_FINISHED))
		return response_goes_on(s);
	if (res->flags & PUMP_READ_ERROR)
		return x->service && !x->reply ? service_broken(s) : response_broken(s);
	if (x->tunnel && !(req->flags & (PUMP_FINISHED | PUMP_WRITE_ERROR)))
		return response_goes_on(s);
	if (x->reply ? unread_waits(s) : unread_rest_waits(s))
		return STEP_WAIT;
	return exchange_done(s);
}
