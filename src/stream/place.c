/* SPDX-License-Identifier: BSD-2-Clause */
/* The place of a stream (stream/place.h), and what is counted with it. */
#include "stream/place.h"

#include "base/clock.h"
#include "lb/balance.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "stream/actions.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"
#include "tally/tally.h"
#include "tally/top.h"

#include <time.h>

void place_backend(struct stream *s, struct proxy *backend)
{
	struct counters *c = &backend->be->counters;

	s->backend = backend;
	if (s->extra && backend != s->origin->frontend)
		treatment_of_backend_ends(&s->extra->treatment);
	s->traits |= steps_traits_of_backend(backend, s->origin->frontend);
	s->counted_backend = true;
	s->backend->be->counters.requests += s->exchange != NULL;
	c->sessions++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	backend->be->current++;
	tally_raise(&c->connections_max, &c->connections_top, &backend->be->current, 0);
	stream_choose_ways(s);
}

/* After a failure another server was found. */
static void place_note_redispatch(struct stream *s, const struct server *server)
{
	struct server *failed = s->extra ? s->extra->avoid : NULL;

	if (!failed || failed == server)
		return;
	failed->tally->counters.redispatches++;
	s->backend->be->counters.redispatches++;
	s->redispatched = true;
}

void place_taken(struct stream *s, struct server *server)
{
	struct counters *c = &server->tally->counters;
	uint64_t now_s = (uint64_t)time(NULL);

	server->proxy->be->served++;
	balance_taken(server);
	place_note_redispatch(s, server);
	s->server = server;
	s->origin->last_server = server;
	s->origin->servers_seen = servers_gone;
	s->counted_server = true;
	s->queue_ms = (uint32_t)(clock_now_ms - s->origin->accepted_ms);
	c->sessions++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	server->tally->last_session_s = now_s;
	s->backend->be->last_session_s = now_s;
}

/* The slot counts from now on, although the stream runs a little later: offers in a row must
 * not hand it out twice. server NULL: its queue was dissolved, choose anew. */
void place_offered(struct queue_entry *entry, struct server *server)
{
	struct stream_extra *extra = container_of(entry, struct stream_extra, queue);
	struct stream *s = extra->stream;

	if (server) {
		place_taken(s, server);
		stream_move_request(s, REQ_CONNECT);
	} else {
		stream_move_request(s, REQ_ASSIGN);
	}
	stream_expire_never(s);
	task_wake(&extra->task);
}

/* A server whose queue it was in is the one that the log names. */
void place_leave_queue(struct stream *s)
{
	if (!s->extra || !s->extra->queue.proxy)
		return;
	s->server = s->extra->queue.server;
	queue_leave(&s->extra->queue);
}

/* May somebody wait for a slot of the server? */
static bool place_others_wait(const struct server *server)
{
	return server->proxy->be->total_queued || (tally_shared && server->state->maxconn);
}

static void place_release_server(struct stream *s)
{
	struct server *server = s->server;

	if (!s->counted_server)
		return;
	s->counted_server = false;
	s->server = NULL;
	if (s->doom == END_SERVER_DOWN || s->doom == END_SERVER_UP)
		s->doom = END_NONE; /* it was for those on this server */
	if (s->phase == PHASE_QUEUE) /* a place was offered to it, and it has not connected yet */
		slot_give_unused(server);
	else
		slot_give(server);
	server->proxy->be->served--;
	balance_released(server);
	if (place_others_wait(server))
		queue_serve(server);
}

void place_redispatch(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);

	if (extra) {
		extra->persist = NULL;
		extra->direct = false;
	}
	s->kind->redispatched(s);
	if (extra)
		extra->avoid = s->server;
	place_release_server(s);
}

void place_release(struct stream *s)
{
	place_release_server(s);
	if (s->counted_backend)
		s->backend->be->current--;
	s->counted_backend = false;
}
