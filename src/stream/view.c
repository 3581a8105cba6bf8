/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream as fetches, actions and log formats see it. */
#include "stream/view.h"

#include "expr/view.h"

#include "base/clock.h"
#include "log/log.h"
#include "net/faults.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/tally.h"
#include "relay/buffer.h"
#include "stream/exchange.h"
#include "stream/extra.h"
#include "stream/stream.h"

const struct addr *stream_src(const struct stream *s)
{
	return s->extra && s->extra->has_src ? &s->extra->src : &s->origin->src;
}

bool stream_dst(struct stream *s, struct addr *dst)
{
	struct stream_extra *extra = s->extra;

	if (extra && extra->has_dst) {
		*dst = extra->dst;
		return true;
	}
	if (s->origin->has_dst) {
		*dst = s->origin->dst;
		return true;
	}
	if (!end_conn(&s->relay.client))
		return false;
	return conn_original_dst(end_conn(&s->relay.client), dst);
}

static bool view_find_dst(const struct view *view, struct addr *addr)
{
	const struct origin *origin = view->origin;

	if (view->stream)
		return stream_dst(view->stream, addr);
	if (origin->has_dst) {
		*addr = origin->dst;
		return true;
	}
	return view->client && conn_original_dst(view->client, addr);
}

static void view_find_log(const struct view *view, struct view_log *log)
{
	const struct origin *o = view->origin;

	if (view->stream)
		view_fill_log(view->stream, log);
	else
		*log = (struct view_log){
			.accepted = o->accepted,
			.wait_ms = -1,
			.connect_ms = -1,
			.request_ms = -1,
			.response_ms = -1,
			.total_ms = (int64_t)(clock_now_ms - o->accepted_ms),
			.active_conns = gauge_sum_recent(&global_tally->current),
			.frontend_conns = gauge_sum_recent(&o->frontend->fe->current),
			.termination = "--",
			.pid = log_own_pid(),
		};
}

void view_own_addrs(const struct origin *o, struct view *view)
{
	const struct own_addrs *own = o->own;

	view->session_src = own ? &own->src : &o->src;
	if (own)
		view->session_dst = own->has_dst ? &own->dst : NULL;
	else
		view->session_dst = o->has_dst ? &o->dst : NULL;
}

void view_of_origin(struct origin *origin, struct conn *client, struct view *view)
{
	*view = (struct view){
		.frontend = origin->frontend,
		.listener = origin->listener,
		.client = client,
		.src = &origin->src,
		.session_vars = &origin->vars,
		.origin = origin,
		.has_proxy_header = origin->has_proxy_header,
		.client_fault = origin->fault,
		.vectors = origin_vectors(origin),
		.find_dst = view_find_dst,
		.find_log = view_find_log,
		.request_final = true,
		.response_final = true,
	};
	view_own_addrs(origin, view);
}

static struct span held_bytes(struct pump *pump)
{
	if (!pump->buf)
		return (struct span){ NULL, 0 };
	return (struct span){ buf_first(pump->buf), pump->buf->len };
}

static bool no_more(const struct pump *pump)
{
	return pump->flags & (PUMP_EOF | PUMP_READ_ERROR | PUMP_OPEN) ||
	       (pump->buf && !buffer_room(pump->buf));
}

/* -1 for what was not reached. */
static int64_t phase_time(uint32_t from, uint32_t to)
{
	return from == NOT_REACHED || to == NOT_REACHED ? -1 : (int64_t)to - from;
}

/* Since accept: the first byte of the request, and its whole head, were there. In mode tcp there
 * is no such wait. */
static uint32_t request_begin(const struct stream *s)
{
	if (!s->exchange)
		return s->origin->handshake_ms;
	return s->exchange->started_ms - (uint32_t)s->origin->accepted_ms;
}

static uint32_t request_end(const struct stream *s)
{
	if (!s->exchange)
		return s->origin->handshake_ms;
	if (s->exchange->head_ms == NOT_REACHED)
		return NOT_REACHED;
	return request_begin(s) + s->exchange->head_ms;
}

/* Since accept: the connection to the server was there, be it new or an idle one. */
static uint32_t connected(const struct stream *s)
{
	if (s->connect_ms == NOT_REACHED && s->exchange && s->exchange->request_sent)
		return s->queue_ms;
	return s->connect_ms;
}

static bool has_waited(const struct stream *s)
{
	return s->phase == PHASE_TARPIT || (s->phase == PHASE_QUEUE && s->reason != END_QUEUE_FULL);
}

/* Time in queues, also of a stream that left the queue without a server, or in the tar pit. */
static int64_t wait_time(const struct stream *s)
{
	uint32_t now = (uint32_t)(clock_now_ms - s->origin->accepted_ms);

	if (s->queue_ms == NOT_REACHED && has_waited(s))
		return phase_time(request_end(s), now);
	return phase_time(request_end(s), s->queue_ms);
}

static void fill_request_times(const struct stream *s, struct view_log *log)
{
	const struct exchange *x = s->exchange;

	log->idle_ms = (int64_t)request_begin(s) - s->origin->handshake_ms;
	log->request_ms = x->head_ms == NOT_REACHED ? -1 : (int64_t)x->head_ms;
	log->response_ms = phase_time(connected(s), x->response_ms);
	log->active_ms = (int64_t)((uint32_t)clock_now_ms - x->started_ms);
}

/* Others than this stream, once it has ended: as the reference counts them. */
static unsigned others(unsigned current, const struct stream *s)
{
	return current - (s->reason != END_NONE);
}

/* One that was to have the server, but did not get a slot, is not among its sessions. */
static unsigned server_conns(const struct stream *s)
{
	unsigned now;

	if (!s->server || server_is_dispatch(s->server))
		return 0;
	now = gauge_sum_recent(&s->server->tally->current);
	return s->counted_server ? others(now, s) : now;
}

static void count_times(struct times *t, const struct stream *s, uint32_t wait, uint32_t connect)
{
	const struct exchange *x = s->exchange;

	mean_add(&t->queue, wait);
	mean_add(&t->connect, connect);
	if (x && x->response_ms != NOT_REACHED)
		mean_add(&t->response, x->response_ms - connected(s));
	mean_add(&t->total, x ? (uint32_t)clock_now_ms - x->started_ms :
				(uint32_t)(clock_now_ms - s->origin->accepted_ms));
}

void stream_count_times(const struct stream *s)
{
	uint32_t there = connected(s), begin = request_end(s);

	if (!s->counted_server || there == NOT_REACHED || begin == NOT_REACHED)
		return;
	count_times(&s->server->tally->times, s, s->queue_ms - begin, there - s->queue_ms);
	count_times(&s->backend->be->times, s, s->queue_ms - begin, there - s->queue_ms);
}

void view_fill_log(const struct stream *s, struct view_log *log)
{
	const struct origin *o = s->origin;

	*log = (struct view_log){
		.accepted = o->accepted,
		.wait_ms = wait_time(s),
		.connect_ms = phase_time(s->queue_ms, connected(s)),
		.handshake_ms = o->handshake_ms,
		.total_ms = (int64_t)(clock_now_ms - o->accepted_ms),
		.bytes_in = stream_bytes_in(s),
		.bytes_out = stream_bytes_out(s),
		.reason = reason_text(s->reason),
		.failed = reason_is_error(s->reason),
		.active_conns = gauge_sum_recent(&global_tally->current),
		.frontend_conns = gauge_sum_recent(&o->frontend->fe->current),
		.backend_conns = s->counted_backend ?
					 others(gauge_sum_recent(&s->backend->be->current), s) : 0,
		.server_conns = server_conns(s),
		.retries = s->failures,
		.redispatched = s->redispatched,
		.level = s->log_level,
		.early = s->reason == END_NONE,
		.server_queue = s->extra ? s->extra->queue.turn_server : 0,
		.backend_queue = s->extra ? s->extra->queue.turn_backend : 0,
		.pid = log_own_pid(),
		.request_counter = s->id - 1,
	};
	stream_termination(s, log->termination);
	if (s->exchange)
		fill_request_times(s, log);
}

/* Mode http: what content rules see are the messages, as far as they are here. */
static void view_messages(struct stream *s, struct view *view)
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

void stream_view(struct stream *s, struct view *view, struct view_log *log)
{
	view_of_origin(s->origin, end_conn(&s->relay.client), view);
	view->src = stream_src(s);
	view->backend = s->backend;
	if (!view->backend && s->origin->frontend->be) /* a listen section, until a rule chooses another */
		view->backend = s->origin->frontend;
	if (server_is_dispatch(s->server))
		view->dispatch = s->server;
	else
		view->server = s->server;
	view->server_conn = end_conn(&s->relay.server);
	view->request = held_bytes(&s->relay.request);
	view->response = held_bytes(&s->relay.response);
	view->request_final = no_more(&s->relay.request);
	view->response_final = no_more(&s->relay.response);
	view->id = s->id;
	view->stream = s;
	view->stream_vars = s->extra ? &s->extra->vars : NULL;
	view->responding = s->responding;
	view->treatment = s->extra ? &s->extra->treatment : NULL;
	view->last_rule = s->extra ? s->extra->last_rule : NULL;
	view->captures = s->extra ? &s->extra->captures : NULL;
	view->server_fault = s->extra ? s->extra->server_fault : FAULT_NONE;
	view->server_tls_failed = s->extra && s->extra->tls_failed;
	view->server_tls_error = s->extra ? s->extra->tls_error : 0;
	view->unique_id = s->extra ? s->extra->unique_id : (struct span){ NULL, 0 };
	view->log = log;
	if (s->exchange) {
		view_messages(s, view);
		view->http = &s->exchange->http;
		view->arena = s->exchange->arena;
		view->service = s->exchange->service_name;
	}
	if (log)
		view_fill_log(s, log);
}
