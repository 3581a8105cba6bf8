/* SPDX-License-Identifier: BSD-2-Clause */
/* A stream as fetches, actions and log formats see it. */
#include "stream/view.h"

#include "expr/view.h"

#include "base/clock.h"
#include "log/log.h"
#include "net/faults.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/message_end.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "tally/tally.h"

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
	if (origin_dst(s->origin)) {
		*dst = *origin_dst(s->origin);
		return true;
	}
	return link_original_dst(end_link(&s->relay.client), dst);
}

static bool view_find_dst(const struct view *view, struct addr *addr)
{
	const struct origin *origin = view->origin;

	if (view->stream)
		return stream_dst(view->stream, addr);
	if (origin_dst(origin)) {
		*addr = *origin_dst(origin);
		return true;
	}
	return link_original_dst(view->client_link, addr);
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
	const struct told *told = o->told;

	if (unlikely(told && told->has_own)) {
		view->session_src = &told->own_src;
		view->session_dst = told->has_own_dst ? &told->own_dst : NULL;
	} else {
		view->session_src = &o->src;
		view->session_dst = origin_dst(o);
	}
}

void view_of_origin(struct origin *origin, struct link client, struct view *view)
{
	*view = (struct view){
		.frontend = origin->frontend,
		.listener = origin->listener,
		.client_link = client,
		.src = &origin->src,
		.session_vars = origin->session_vars,
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

/* What rules see of the bytes that a pump holds. */
static struct span held_bytes(const struct stream *s, struct pump *pump)
{
	size_t passed = 0;

	if (!pump->buf)
		return (struct span){ NULL, 0 };
	if (s->extra && !(pump->flags & PUMP_OPEN))
		passed = s->extra->passed[pump->is_response];
	if (unlikely(passed > pump->buf->len))
		passed = pump->buf->len;
	return (struct span){ buf_first(pump->buf) + passed, pump->buf->len - passed };
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

/* Since accept: the connection to the server was there, be it new or an idle one. */
static uint32_t connected(const struct stream *s, const struct stream_times *t)
{
	return s->connect_ms == NOT_REACHED && t->sent ? s->queue_ms : s->connect_ms;
}

static bool has_waited(const struct stream *s)
{
	return s->phase == PHASE_TARPIT || (s->phase == PHASE_QUEUE && s->reason != END_QUEUE_FULL);
}

/* Time in queues, also of a stream that left the queue without a server, or in the tar pit. */
static int64_t wait_time(const struct stream *s, const struct stream_times *t)
{
	uint32_t now = (uint32_t)(clock_now_ms - s->origin->accepted_ms);

	if (s->queue_ms == NOT_REACHED && has_waited(s))
		return phase_time(t->request_ms, now);
	return phase_time(t->request_ms, s->queue_ms);
}

static void fill_request_times(const struct stream *s, const struct stream_times *t,
			       struct view_log *log)
{
	log->idle_ms = (int64_t)t->begin_ms - s->origin->handshake_ms;
	log->request_ms = t->request_ms == NOT_REACHED ? -1 :
							 (int64_t)(t->request_ms - t->begin_ms);
	log->response_ms = phase_time(connected(s, t), t->response_ms);
	log->active_ms = (int64_t)((uint32_t)clock_now_ms - t->began_ms);
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

struct passed { uint32_t queue, connect, response, total; };

static void add_times(struct times *means, const struct passed *ms, bool answered)
{
	mean_add(&means->queue, ms->queue);
	mean_add(&means->connect, ms->connect);
	if (answered)
		mean_add(&means->response, ms->response);
	mean_add(&means->total, ms->total);
}

void stream_count_times(const struct stream *s)
{
	struct stream_times t;
	struct passed ms;
	uint32_t there;

	if (!s->counted_server)
		return;
	s->kind->times(s, &t);
	there = connected(s, &t);
	if (there == NOT_REACHED || t.request_ms == NOT_REACHED)
		return;
	ms = (struct passed){ s->queue_ms - t.request_ms, there - s->queue_ms,
			      t.response_ms - there, (uint32_t)clock_now_ms - t.began_ms };
	add_times(&s->server->tally->times, &ms, t.response_ms != NOT_REACHED);
	add_times(&s->backend->be->times, &ms, t.response_ms != NOT_REACHED);
}

void view_fill_log(const struct stream *s, struct view_log *log)
{
	const struct origin *o = s->origin;
	struct stream_bytes bytes = stream_bytes_of(s);
	struct stream_times t;

	s->kind->times(s, &t);
	*log = (struct view_log){
		.accepted = o->accepted,
		.wait_ms = wait_time(s, &t),
		.connect_ms = phase_time(s->queue_ms, connected(s, &t)),
		.handshake_ms = o->handshake_ms,
		.total_ms = (int64_t)(clock_now_ms - o->accepted_ms),
		.bytes_in = bytes.in,
		.bytes_out = bytes.out,
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
		.request_counter = stream_number(s->id) - 1,
		.worker = stream_row(s->id),
	};
	stream_termination(s, log->termination);
	if (s->exchange)
		fill_request_times(s, &t, log);
}

void stream_view(struct stream *s, struct view *view, struct view_log *log)
{
	view_of_origin(s->origin, end_link(&s->relay.client), view);
	view->src = stream_src(s);
	view->backend = s->backend;
	/* A listen section, until a rule chooses another. */
	if (!view->backend && s->origin->frontend->be)
		view->backend = s->origin->frontend;
	if (server_is_dispatch(s->server))
		view->dispatch = s->server;
	else
		view->server = s->server;
	view->server_link = end_link(&s->relay.server);
	view->request = held_bytes(s, &s->relay.request);
	view->response = held_bytes(s, &s->relay.response);
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
	s->kind->view(s, view);
	if (log)
		view_fill_log(s, log);
}
