/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of messages (stream/kind.h): their step tables, what else of a stream's life differs from
 * one of bytes, and how an exchange ends. Read the tables at the end of this file to know what
 * happens to an exchange, in order; the functions are in the files that they are named after. */
#include "stream/kind.h"

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "config/module.h"
#include "exchange/balance_key.h"
#include "exchange/body.h"
#include "exchange/early_request.h"
#include "exchange/exchange.h"
#include "exchange/flags.h"
#include "exchange/http_rules.h"
#include "exchange/idle.h"
#include "exchange/monitor.h"
#include "exchange/persist.h"
#include "exchange/server_conn.h"
#include "exchange/traits.h"
#include "exchange/unread.h"
#include "net/conn.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/assign.h"
#include "stream/client_close.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/moments.h"
#include "stream/persist_table.h"
#include "stream/rule_steps.h"
#include "stream/timeouts.h"
#include "stream/trim.h"
#include "tls/conn.h"

/* ---- steps ------------------------------------------------------------------------------- */

/* A moment ago, by a rule or by the choice of the backend. */
static int upgraded_head(struct stream *s)
{
	if (s->exchange->http.request)
		return STEP_NEXT;
	if (s->origin->upgraded > PROTO_USUAL && s->origin->carrier->hand_over)
		return exchange_hand_over(s, s->origin->upgraded);
	return exchange_request_head(s);
}

static int backend_body(struct stream *s)
{
	if (s->backend->set.options.on & OPT_BUFFER_REQUEST || balance_key_in_body(s))
		return exchange_wait_body(s);
	return STEP_NEXT;
}

/* What comes from here on is no time of the request. */
static int choose_server(struct stream *s)
{
	if (s->phase == PHASE_REQUEST)
		exchange_request_complete(s->exchange);
	return assign_server(s);
}

/* ---- what a stream asks ------------------------------------------------------------------ */

static bool exchange_client_left(const struct stream *s)
{
	return *s->relay.client.flags & CONN_RDHUP && stream_aborts_on_close(s);
}

static int exchange_cut(struct stream *s, bool is_response)
{
	return is_response ? body_failed_response(s) : body_failed(s);
}

/* The answer that was given at a moment is there. A service answers before a server is chosen: one
 * that is there at CONNECTED was there before. */
static int exchange_filtered(struct stream *s, enum reason reason, bool is_response)
{
	if (reason == END_LOCAL && s->exchange->reply)
		return STEP_GOTO + (is_response ? (int)RES_REPLY : (int)REQ_FORWARD);
	if (reason == END_LOCAL && s->exchange->service && !is_response &&
	    s->request.step < REQ_ASSIGN)
		return STEP_GOTO + (int)REQ_SERVICE;
	if (reason == END_LOCAL)
		return steps_end(s, reason);
	if (reason == END_RESOURCE)
		arena_fail(s->exchange->arena);
	return is_response ? exchange_fail_response(s, reason, 502) : exchange_fail(s, reason);
}

/* A client whose request a server has is told that no response comes of it. */
static bool exchange_abandon(struct stream *s, enum reason reason)
{
	if (s->exchange->request_sent)
		return exchange_fail(s, reason) != STEP_END;
	stream_end(s, reason);
	return false;
}

/* A client that has no response yet gets an answer; or the request is sent once more. */
static bool exchange_quiet(struct stream *s, enum reason reason)
{
	if (unread_expired(s)) {
		DROPPED(exchange_done(s), "the stream has ended");
		return false;
	}
	if (s->exchange->head_sent) {
		stream_end(s, reason);
		return false;
	}
	if (reason == END_SERVER_TIMEOUT)
		exchange_observe(s, OBSERVED_TIMEOUT);
	if (reason == END_SERVER_TIMEOUT && exchange_retry(s, RETRY_TIMEOUT))
		return false;
	return exchange_fail(s, reason) != STEP_END;
}

static void exchange_redispatched(struct stream *s)
{
	persist_lost(s->exchange);
}

static bool exchange_early_repeats(const struct stream *s)
{
	return !s->exchange->no_retry && s->backend->set.retry_on & (RETRY_0RTT | RETRY_EMPTY);
}

static const struct message *exchange_message(const struct stream *s)
{
	return s->exchange->http.request;
}

static void exchange_times(const struct stream *s, struct stream_times *times)
{
	const struct exchange *x = s->exchange;
	uint32_t begin = x->started_ms - (uint32_t)s->origin->accepted_ms;

	*times = (struct stream_times){
		.began_ms = x->started_ms,
		.begin_ms = begin,
		.request_ms = x->head_ms == NOT_REACHED ? NOT_REACHED : begin + x->head_ms,
		.response_ms = x->response_ms,
		.sent = x->request_sent,
	};
}

/* What content rules see are the messages, as far as they are here. */
static void view_bodies(struct stream *s, struct view *view)
{
	struct view_http *http = &s->exchange->http;

	http->request_body = end_body(&s->relay.client, &http->request_body_final);
	http->response_body = end_body(&s->relay.server, &http->response_body_final);
	if (http->request) {
		view->request = end_message(&s->relay.client, http->request_body);
		view->request_final |= http->request_body_final;
	}
	if (http->response) {
		view->response = end_message(&s->relay.server, http->response_body);
		view->response_final |= http->response_body_final;
	}
}

static void exchange_view(struct stream *s, struct view *view)
{
	view_bodies(s, view);
	view->http = &s->exchange->http;
	view->arena = s->exchange->arena;
	view->service = s->exchange->service_name;
	view->server_reused = s->exchange->reused;
}

static struct stream_bytes exchange_bytes(const struct stream *s)
{
	return (struct stream_bytes){ s->exchange->bytes_in, s->exchange->bytes_out };
}

static bool exchange_was_short(const struct stream *s)
{
	return s->exchange->memory.failed;
}

/* No head of a response came, or its body is malformed. What the server has broken off
 * then is no response. */
static bool exchange_wrong_response(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return !x->http.server_status || end_wrong(&s->relay.server);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* The response is here and the server has read the request, which had no body: there is nothing
 * that a RST could take away. It saves three packets, and whoever closes first by FIN pays with a
 * port that rests in TIME_WAIT: a client a request would use up all of them towards a server. */
static bool exchange_resets_server(const struct stream *s)
{
	const struct exchange *x = s->exchange;
	const struct end *server = &s->relay.server;

	return x->complete && !x->tunnel && x->req.framing == BODY_NONE && end_is_conn(server) &&
	       !(*server->flags & CONN_RDHUP);
}

static void count_client_bytes(const struct stream *s, struct h1_counts *h1)
{
	struct stream_bytes all = stream_bytes_of(s);

	h1->bytes_in += all.in;
	h1->bytes_out += all.out;
	h1->spliced_bytes_in += s->relay.request.spliced;
	h1->spliced_bytes_out += s->relay.response.spliced;
}

/* What came in counts as it came, in the messages of both sides. */
static void exchange_changed(struct stream *s, struct stream_bytes more)
{
	s->exchange->server_in += more.out;
	if (s->origin->carrier->is_h1)
		s->origin->frontend->fe->h1.bytes_in += more.in;
}

/* Gives connections back that live on. True: the client's is one, its carrier has taken it back. */
static bool exchange_end(struct stream *s)
{
	struct exchange *x = s->exchange;

	if (s->origin->carrier->is_h1)
		count_client_bytes(s, &s->origin->frontend->fe->h1);
	server_conn_give(s, x->complete && x->server_keeps);
	if (!x->complete || !x->client_keeps || !s->relay.client.ops)
		return false;
	s->origin->carrier->take_back(s->origin, &s->relay.client);
	return true;
}

/* The end of such a response is that of the connection (RFC 9112 6.3), and it has not come. */
static bool response_cut(const struct exchange *x)
{
	return x->head_sent && x->res.framing == BODY_CLOSE && !x->complete;
}

/* Who has to take the end of the connection for that of the message, and did not break off itself,
 * gets a RST where more was to come. Whom a length or the chunks tell that gets none: it would
 * destroy what is still on its way, of answers before this one, too. */
static bool reset_client(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	if (unlikely(response_cut(x)))
		return true;
	if (stream_broken_off(s) && x->tunnel)
		return s->connected && !x->reply;
	return (s->origin->frontend->set.options.on & OPT_NOLINGER) != 0;
}

/* May the client still be sending, or are requests left that nobody will read? */
static bool client_may_send(const struct stream *s)
{
	const struct end *client = &s->relay.client;

	if (!end_speaks(client))
		return false;
	return !client->framing->ended || *client->flags & (CONN_HELD | CONN_READABLE) ||
	       (s->exchange->head_sent && s->exchange->req.flags & MSG_KEEP_ALIVE);
}

static bool exchange_leave(struct stream *s)
{
	if (unlikely(s->traits & IS_CUT))
		s->exchange->client_keeps = s->exchange->server_keeps = false;
	if (exchange_end(s))
		return false;
	if (reset_client(s))
		return true;
	if (!end_is_conn(&s->relay.client))
		return false;
	if (!end_speaks(&s->relay.client) && s->reason != END_NORMAL && !early_unproven(s))
		link_discard(end_own_link(&s->relay.client));
	client_close_end(&s->relay, s->origin->frontend, client_may_send(s));
	return false;
}

/* ---- the tables -------------------------------------------------------------------------- */

static const struct step request_steps[REQ_STEPS + 1] = {
	[REQ_APPLET] = { "applet", NULL, 0 }, /* where the cursor begins */
	[REQ_HEAD] = { "request head", exchange_request_head, 0 },
	[REQ_MOMENT] = { "moment: request", moment_request, HEARD_REQUEST },
	[REQ_FRONTEND_RULES] = { "frontend rules", rules_frontend, FRONT_RULES },
	[REQ_UPGRADED_HEAD] = { "request head", upgraded_head, IS_UPGRADED },
	[REQ_UPGRADED_MOMENT] = { "moment: request", moment_request,
				  IS_UPGRADED | HEARD_REQUEST },
	[REQ_FRONTEND_BODY] = { "request body", exchange_wait_body, FRONT_BUFFERS },
	[REQ_MONITOR] = { "monitor", monitor_request, FRONT_MONITOR },
	[REQ_FRONTEND_MESSAGE] = { "frontend http rules", exchange_frontend_rules, FRONT_MESSAGE },
	[REQ_SWITCH] = { "backend switching", rules_switch, 0 },
	[REQ_BACKEND_MOMENT] = { "moment: backend", moment_backend, HEARD_BACKEND },
	[REQ_BACKEND_RULES] = { "backend rules", rules_backend, BACK_RULES },
	[REQ_BACKEND_MESSAGE] = { "backend http rules", exchange_backend_rules, BACK_MESSAGE },
	[REQ_BODY] = { "request body", backend_body, BACK_BUFFERS },
	[REQ_FIELDS] = { "request fields", http_finish_request, REQUEST_FIELDS },
	[REQ_RULED_MOMENT] = { "moment: ruled", moment_ruled, HEARD_RULED },
	[REQ_PROOF] = { "client's handshake", early_retry, EARLY_RETRY },
	[REQ_STICK] = { "stick rules", stick_request, STICKS },
	[REQ_ASSIGN] = { "server choice", choose_server, 0 },
	[REQ_QUEUE] = { "queue", assign_wait, 0 },
	[REQ_CONNECT] = { "connect", exchange_connect, 0 },
	[REQ_CONNECTING] = { "connecting", connect_wait, 0 },
	[REQ_RETRY] = { "retry", connect_retry, 0 },
	[REQ_SERVICE] = { "service", exchange_open_service, HAS_SERVICE },
	[REQ_CONNECTED_MOMENT] = { "moment: connected", moment_connected, HEARD_CONNECTED },
	[REQ_OPEN] = { "open", exchange_request_open, 0 },
	[REQ_FORWARD] = { "forward", exchange_request_forward, 0 },
	[REQ_STEPS] = { "none", step_beyond, 0 },
};

static const struct step response_steps[RES_STEPS + 1] = {
	[RES_HEAD] = { "response head", exchange_response_head, 0 },
	[RES_MOMENT] = { "moment: response", moment_response, HEARD_RESPONSE },
	[RES_RULES] = { "response rules", rules_response, RESPONSE_RULES },
	[RES_STICK] = { "stick rules", stick_response, STICKS },
	[RES_MESSAGE] = { "http rules", exchange_response_rules, RESPONSE_MESSAGE },
	[RES_REPLY] = { "reply", exchange_reply_head, HAS_REPLY },
	[RES_AFTER] = { "after rules", exchange_after_rules, RESPONSE_AFTER },
	[RES_ANSWER_MOMENT] = { "moment: answer", moment_answer, HEARD_ANSWER },
	[RES_OPEN] = { "open", exchange_response_open, 0 },
	[RES_FORWARD] = { "forward", exchange_response_forward, 0 },
	[RES_STEPS] = { "none", step_beyond, 0 },
};

static const struct stream_kind exchange_kind = {
	.name = "messages",
	.request = request_steps,
	.response = response_steps,
	.traits_of_front = exchange_traits_of_front,
	.traits_of_back = exchange_traits_of_back,
	.begin = exchange_new,
	.fail = exchange_fail,
	.cut = exchange_cut,
	.filtered = exchange_filtered,
	.abandon = exchange_abandon,
	.quiet = exchange_quiet,
	.client_left = exchange_client_left,
	.connected = exchange_connected,
	.redispatched = exchange_redispatched,
	.balance_key = exchange_balance_key,
	.early_words = early_request_words,
	.early_taken = early_request_taken,
	.early_repeats = exchange_early_repeats,
	.message = exchange_message,
	.times = exchange_times,
	.view = exchange_view,
	.bytes = exchange_bytes,
	.was_short = exchange_was_short,
	.wrong_response = exchange_wrong_response,
	.leave = exchange_leave,
	.resets_server = exchange_resets_server,
	.changed = exchange_changed,
	.flags_hold = exchange_flags_hold,
	.free = exchange_free,
};

/* ---- the module -------------------------------------------------------------------------- */

void exchange_start(void)
{
	message_more_fields = exchange_more_fields;
	stream_of_messages = &exchange_kind;
	trim_kept = exchanges_trim;
	origin_ends = idle_close_origin;
	server_hooks.moved = idle_close_server;
}

static void exchange_init(struct config *cfg, void *data)
{
	(void)cfg;
	(void)data;
	exchange_start();
}

const struct module exchange_module = {
	.name = "exchange",
	.init = exchange_init,
};
