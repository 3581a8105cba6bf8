/* SPDX-License-Identifier: BSD-2-Clause */
/* The step table and the steps of forwarding. Read the tables at the end of this file to know
 * what happens to a stream, in order; the functions are in the files that they are named
 * after. */
#include "stream/steps.h"

#include "base/clock.h"
#include "filter/filter.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "stream/accesslog.h"
#include "stream/assign.h"
#include "stream/balance_key.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/exchange.h"
#include "stream/filtering.h"
#include "stream/http_rules.h"
#include "stream/proxyheader.h"
#include "stream/rules.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

enum { DRAIN_POLL_MS = 5, DRAIN_MOST_MS = 10000 };

/* A client that has closed and has sent nothing that a server could answer waits for nothing;
 * with option abortonclose that is assumed of every client that has closed. */
static bool client_left(const struct stream *s)
{
	const struct proxy *px = s->backend ? s->backend : s->origin->frontend;
	unsigned flags = *s->relay.client.flags;

	if (flags & (CONN_HUP | CONN_ERROR))
		return true;
	if (s->exchange)
		return flags & CONN_RDHUP && px->set.options.on & OPT_ABORTONCLOSE;
	if (!(flags & CONN_RDHUP) || s->phase == PHASE_REQUEST)
		return false;
	return px->set.options.on & OPT_ABORTONCLOSE ||
	       (!pump_held(&s->relay.request) && end_conn(&s->relay.client) &&
		conn_at_end(end_conn(&s->relay.client)));
}

bool stream_client_gone(struct stream *s)
{
	if (!client_left(s))
		return false;
	stream_end(s, END_CLIENT_ABORT);
	return true;
}

/* Answered inside the program: there is no backend and no server. */
static int open_applet(struct stream *s)
{
	const struct proxy *px = s->origin->frontend;

	if (px->applet(&s->relay.server, s->origin->listener) < 0) {
		stream_end(s, END_RESOURCE);
		return STEP_END;
	}
	s->connected = true;
	return STEP_GOTO + REQ_OPEN;
}

/* ---- opening ---------------------------------------------------------------------------- */

static int open_request(struct stream *s)
{
	if (s->exchange)
		return exchange_request_open(s);
	s->phase = PHASE_DATA;
	s->phase_ms = (uint32_t)clock_now_ms;
	stream_expire_never(s);
	if ((unlikely(s->known & LEAVING_EDITS) && !filtering_stream(s)) ||
	    (proxyheader_wanted(s) && !s->server->tls && !proxyheader_preload(s))) {
		stream_end(s, END_RESOURCE);
		return STEP_END;
	}
	pump_open(&s->relay.request);
	if (accesslog_at_connect(s->origin->frontend))
		stream_log(s);
	pump_run(&s->relay.request);
	return STEP_NEXT;
}

static int open_response(struct stream *s)
{
	if (s->exchange)
		return exchange_response_open(s);
	stream_respond(s);
	if (unlikely(s->relay.response.chain != NULL))
		filters_open(filters_of(&s->relay), true);
	pump_open(&s->relay.response);
	if (*s->relay.server.flags & CONN_READABLE || pump_held(&s->relay.response) ||
	    s->relay.response.flags & (PUMP_EOF | PUMP_READ_ERROR))
		pump_run(&s->relay.response);
	stream_arm_forward(s);
	return s->reason == END_NONE ? STEP_NEXT : STEP_END;
}

/* ---- forwarding ------------------------------------------------------------------------- */

/* Bytes that the client's kernel has not acknowledged. A RST now would take them away. */
static bool client_drained(struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.client);
	int unsent = 0;

	if (!conn || !(conn->flags & CONN_TCP) || ioctl(conn->src.fd, SIOCOUTQ, &unsent) < 0 || !unsent)
		return true;
	return s->draining && (uint32_t)clock_now_ms - s->phase_ms > DRAIN_MOST_MS;
}

/* The server broke off. What it had sent before reaches the client, then the client learns
 * that there was more to come. */
int steps_server_broken(struct stream *s)
{
	if (client_drained(s)) {
		stream_end(s, END_SERVER_ABORT);
		return STEP_END;
	}
	if (!s->draining)
		s->phase_ms = (uint32_t)clock_now_ms;
	s->draining = true;
	stream_expire_at(s, clock_now_ms + DRAIN_POLL_MS);
	return STEP_WAIT;
}

int steps_end(struct stream *s, enum reason reason)
{
	stream_end(s, reason);
	return STEP_END;
}

/* Something has changed in one of the pumps. */
static int forward(struct stream *s)
{
	struct pump *req = &s->relay.request, *res = &s->relay.response;

	if ((req->flags | res->flags) & PUMP_NO_MEMORY)
		return steps_end(s, END_RESOURCE);
	if (res->flags & PUMP_WRITE_ERROR || req->flags & PUMP_READ_ERROR)
		return steps_end(s, END_CLIENT_ABORT);
	if (res->flags & PUMP_EOF)
		s->phase = PHASE_LAST;
	if (req->flags & PUMP_WRITE_ERROR && !(req->flags & PUMP_STOPPED)) {
		pump_stop(req);
		task_wake(&s->relay.task); /* the other direction finds its own end */
	}
	if (!(res->flags & PUMP_FINISHED))
		return STEP_NEXT;
	s->phase = PHASE_DATA;
	if (s->origin->frontend->applet)
		return steps_end(s, END_LOCAL);
	if (res->flags & PUMP_READ_ERROR)
		return steps_server_broken(s);
	if (req->flags & PUMP_WRITE_ERROR)
		return steps_end(s, END_SERVER_ABORT);
	if (req->flags & PUMP_FINISHED)
		return steps_end(s, END_NORMAL);
	return STEP_NEXT;
}

static int forward_request(struct stream *s)
{
	int r;

	if (s->exchange)
		return exchange_request_forward(s);
	r = s->response.step == RES_FORWARD ? forward(s) : STEP_WAIT;
	if (r == STEP_NEXT)
		stream_arm_forward(s);
	return r == STEP_NEXT ? STEP_WAIT : r;
}

static int forward_response(struct stream *s)
{
	int r = s->exchange ? exchange_response_forward(s) : forward(s);

	return r == STEP_NEXT ? STEP_WAIT : r;
}

unsigned steps_known_of_frontend(const struct proxy *frontend)
{
	return IS_BEGUN | frontend->steps_front | (frontend->applet ? IS_LOCAL : 0);
}

unsigned steps_known_of_backend(const struct proxy *backend, const struct proxy *frontend)
{
	return backend != frontend ? backend->steps_back :
				     backend->steps_back & ~(unsigned)(BACK_RULES | BACK_HTTP);
}

/* A moment ago, by a rule or by the choice of the backend. */
static int upgraded_head(struct stream *s)
{
	return s->exchange->http.request ? STEP_NEXT : exchange_request_head(s);
}

static int backend_body(struct stream *s)
{
	if (s->backend->set.options.on & OPT_BUFFER_REQUEST || balance_key_in_body(s))
		return exchange_wait_body(s);
	return STEP_NEXT;
}

/* No step leads behind the table. */
COLD static int step_beyond(struct stream *s)
{
	BUG_ON(s->reason == END_NONE);
	return STEP_END;
}

const struct step request_steps[REQ_STEPS + 1] = {
	[REQ_APPLET] = { "applet", open_applet, IS_LOCAL },
	[REQ_HEAD] = { "request head", exchange_request_head, IS_HTTP },
	[REQ_FRONTEND_RULES] = { "frontend rules", rules_frontend, FRONT_RULES },
	[REQ_UPGRADED_HEAD] = { "request head", upgraded_head, IS_UPGRADED },
	[REQ_FRONTEND_BODY] = { "request body", exchange_wait_body, IS_HTTP | FRONT_BUFFERS },
	[REQ_FRONTEND_HTTP] = { "frontend http rules", exchange_frontend_rules, IS_HTTP | FRONT_HTTP },
	[REQ_SWITCH] = { "backend switching", rules_switch, 0 },
	[REQ_BACKEND_RULES] = { "backend rules", rules_backend, BACK_RULES },
	[REQ_BACKEND_HTTP] = { "backend http rules", exchange_backend_rules, IS_HTTP | BACK_HTTP },
	[REQ_BODY] = { "request body", backend_body, IS_HTTP | BACK_BUFFERS },
	[REQ_FIELDS] = { "request fields", http_finish_request, IS_HTTP | REQUEST_FIELDS },
	[REQ_PROOF] = { "client's handshake", early_retry, EARLY_RETRY },
	[REQ_ASSIGN] = { "server choice", assign_server, 0 },
	[REQ_QUEUE] = { "queue", assign_wait, 0 },
	[REQ_CONNECT] = { "connect", connect_start, 0 },
	[REQ_CONNECTING] = { "connecting", connect_wait, 0 },
	[REQ_RETRY] = { "retry", connect_retry, 0 },
	[REQ_SERVICE] = { "service", exchange_open_service, HAS_SERVICE },
	[REQ_OPEN] = { "open", open_request, 0 },
	[REQ_FORWARD] = { "forward", forward_request, 0 },
	[REQ_STEPS] = { "none", step_beyond, 0 },
};

const struct step response_steps[RES_STEPS + 1] = {
	[RES_HEAD] = { "response head", exchange_response_head, IS_HTTP },
	[RES_RULES] = { "response rules", rules_response, RESPONSE_RULES },
	[RES_HTTP] = { "http rules", exchange_response_rules, IS_HTTP | RESPONSE_HTTP },
	[RES_REPLY] = { "reply", exchange_reply_head, HAS_REPLY },
	[RES_AFTER] = { "after rules", exchange_after_rules, IS_HTTP | RESPONSE_AFTER },
	[RES_OPEN] = { "open", open_response, 0 },
	[RES_FORWARD] = { "forward", forward_response, 0 },
	[RES_STEPS] = { "none", step_beyond, 0 },
};

/* -- which rows apply ------------------------------------------------------------------- */

struct step_walk step_walks[STEP_WALKS];

/* The last row needs nothing. */
static void walk_rows(uint8_t *next, const struct step *table, unsigned rows, unsigned known)
{
	unsigned at = rows + 1;

	while (at--)
		next[at] = table[at].needs & ~known ? next[at + 1] : (uint8_t)at;
}

COLD const struct step_walk *steps_walk_make(unsigned known)
{
	struct step_walk *walk = &step_walks[known * 0x9e3779b1u >> 28];

	walk_rows(walk->request, request_steps, REQ_STEPS, known);
	walk_rows(walk->response, response_steps, RES_STEPS, known);
	walk->known = known;
	return walk;
}

/* -- the end of the configuration ------------------------------------------------------- */

static unsigned known_if(bool is, unsigned known)
{
	return is ? known : 0;
}

/* What a proxy does with requests of its mode: once as frontend, once as another one's backend. */
static bool acts_on_requests(const struct proxy *px)
{
	return px->http_request_rules || px->redirect_rules || px->set.stats ||
	       px->set.restrict_names != NAMES_PRESERVE;
}

static unsigned known_of_both(const struct proxy *px)
{
	return known_if(px->set.forwardfor || px->set.originalto, REQUEST_FIELDS) |
	       known_if(px->http_response_rules != NULL, RESPONSE_HTTP) |
	       known_if(px->http_after_rules != NULL, RESPONSE_AFTER) |
	       known_if(px->filters || px->set.name_header.ptr ||
			px->set.options.on & (OPT_ADJUST_SERVER | OPT_NO_REQUEST_TRAILERS),
			LEAVING_EDITS);
}

static unsigned known_of_front(const struct proxy *px)
{
	return known_of_both(px) | known_if(px->request_rules != NULL, FRONT_RULES) |
	       known_if(px->set.options.on & OPT_BUFFER_REQUEST, FRONT_BUFFERS) |
	       known_if(acts_on_requests(px) || px->set.monitor_uri, FRONT_HTTP) |
	       known_if(px->set.unique_id != NULL, REQUEST_FIELDS);
}

static unsigned known_of_back(const struct proxy *px)
{
	return known_of_both(px) | known_if(px->request_rules != NULL, BACK_RULES) |
	       known_if(px->set.options.on & OPT_BUFFER_REQUEST ||
			px->set.balance == BALANCE_URL_PARAM, BACK_BUFFERS) |
	       known_if(acts_on_requests(px), BACK_HTTP) |
	       known_if(px->set.cookie || px->persist_rules, REQUEST_FIELDS | RESPONSE_HTTP) |
	       known_if(px->set.options.on & OPT_CHECKCACHE, RESPONSE_HTTP) |
	       known_if(px->response_rules != NULL, RESPONSE_RULES);
}

static int steps_finish(struct config *cfg, void *data)
{
	struct proxies *all = config_data(cfg, &proxy_module);
	struct proxy *px;

	(void)data;
	list_for_each(px, &all->list, node) {
		px->steps_front = known_of_front(px);
		px->steps_back = known_of_back(px);
		if (filters_early(px))
			streams_watched |= WATCH_FILTERS;
	}
	return 0;
}

/* Behind all modules that inherit rules from defaults. */
const struct module steps_module = {
	.name = "steps",
	.finish = steps_finish,
};
