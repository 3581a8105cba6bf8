/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a server and the wait for a slot: steps REQ_ASSIGN and REQ_QUEUE. Balancing
 * (lb/) says which server, the queue (proxy/) when; here both are put together and counted. */
#include "stream/assign.h"

#include "base/clock.h"
#include "expr/view.h"
#include "lb/balance.h"
#include "proxy/tally.h"
#include "stream/balance_key.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/persist_rdp.h"
#include "stream/run.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <time.h>

void assign_backend(struct stream *s, struct proxy *backend)
{
	struct counters *c = &backend->be->counters;

	s->backend = backend;
	s->known |= steps_known_of_backend(backend, s->origin->frontend);
	s->counted_backend = true;
	s->backend->be->counters.requests += s->exchange != NULL;
	c->sessions++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	backend->be->current++;
	tally_raise(&c->connections_max, &c->connections_top, &backend->be->current, 0);
	stream_choose_ways(s);
}

/* The slot was taken. */
static void assign_count_slot(struct server *server)
{
	server->proxy->be->served++;
	balance_taken(server);
}

/* After a failure another server was found. */
static void assign_note_redispatch(struct stream *s, const struct server *server)
{
	struct server *failed = s->extra ? s->extra->avoid : NULL;

	if (!failed || failed == server)
		return;
	failed->tally->counters.redispatches++;
	s->backend->be->counters.redispatches++;
	s->redispatched = true;
}

/* The slot is counted: the rest of what belonging to a server means. */
static void assign_done(struct stream *s, struct server *server)
{
	struct counters *c = &server->tally->counters;
	uint64_t now_s = (uint64_t)time(NULL);

	assign_note_redispatch(s, server);
	s->server = server;
	s->origin->last_server = server;
	s->counted_server = true;
	s->queue_ms = (uint32_t)(clock_now_ms - s->origin->accepted_ms);
	c->sessions++;
	rate_add(&c->session_rate, clock_now_ms, 1);
	server->tally->last_session_s = now_s;
	s->backend->be->last_session_s = now_s;
}

/* The server is that of the log; it has no slot there. */
static int assign_queue_full(struct stream *s, struct server *server)
{
	s->server = server;
	s->phase = PHASE_QUEUE;
	return stream_fail(s, END_QUEUE_FULL);
}

/* Others in other processes may have joined at the same time. */
static bool assign_went_too_far(const struct server *server)
{
	return server && server->set.maxqueue && server_queued(server) > server->set.maxqueue;
}

/* Joins the queue of the server, or of the backend when that is NULL. */
static int assign_queue(struct stream *s, struct server *server)
{
	struct stream_extra *extra = extra_get(s);
	const struct timeouts *t = &s->backend->set.timeout;

	if (!extra) {
		return stream_fail(s, END_RESOURCE);
	}
	s->phase = PHASE_QUEUE;
	extra->queue.priority_class = extra->treatment.priority_class;
	extra->queue.offset_ms = extra->treatment.priority_offset;
	queue_join(&extra->queue, s->backend, server);
	if (assign_went_too_far(server)) {
		queue_leave(&extra->queue);
		return assign_queue_full(s, server);
	}
	stream_arm_wait(s, t->queue ? t->queue : t->connect);
	return STEP_NEXT;
}

/* balanced: not by a rule. full: all servers are, wait for any. */
struct choice {
	struct server *server;
	bool full, balanced;
};

/* The server of the session's last request: it authenticates connections, or the backend wants it
 * so. NULL: there is none, or it is too busy. */
static struct server *assign_last_server(const struct stream *s, const struct server *avoid)
{
	struct server *last = s->origin->last_server;
	int most = s->backend->set.max_keep_alive_queue;

	if (!s->exchange || avoid || !last || last->proxy != s->backend || !server_usable(last))
		return NULL;
	if (!s->origin->private_servers && !(s->backend->set.options.on & OPT_PREFER_LAST))
		return NULL;
	return most < 0 || server_queued(last) <= (unsigned)most ? last : NULL;
}

static struct choice assign_choose(struct stream *s)
{
	struct balance_key key = {
		.src = &s->origin->src,
		.avoid = s->extra ? s->extra->avoid : NULL,
	};
	struct choice choice = { NULL, false, false };
	struct view view;

	if (s->backend->use_server_rules && !key.avoid) {
		stream_view(s, &view, NULL);
		choice.server = use_server(s->backend, &view);
	}
	if (!choice.server && !key.avoid && s->backend->set.persist_rdp)
		persist_rdp(s);
	if (!choice.server && !key.avoid)
		choice.server = s->extra ? s->extra->persist : NULL;
	if (choice.server) {
		if (s->extra)
			s->extra->direct = true;
		return choice;
	}
	choice.server = s->backend->dispatch ? s->backend->dispatch : assign_last_server(s, key.avoid);
	if (choice.server)
		return choice;
	if (s->backend->set.balance >= BALANCE_URI)
		balance_key_find(s, &key);
	choice.server = balance_pick(s->backend, &key, &choice.full);
	choice.balanced = choice.server != NULL;
	return choice;
}

/* Where the limit of a server has risen with the load (minconn) those who wait go first. */
static struct choice assign_choose_behind_queue(struct stream *s)
{
	struct choice choice;

	do {
		choice = assign_choose(s);
	} while (choice.server && s->backend->be->total_queued && queue_serve(choice.server));
	if (choice.balanced) {
		choice.server->tally->counters.balanced++;
		s->backend->be->counters.balanced++;
	}
	return choice;
}

int assign_server(struct stream *s)
{
	struct choice choice;
	struct server *server;

	if (s->server)
		return STEP_GOTO + REQ_CONNECT;
	choice = assign_choose_behind_queue(s);
	server = choice.server;
	if (!server && !choice.full) {
		s->phase = PHASE_CONNECT;
		return stream_fail(s, END_NO_SERVER);
	}
	if (!server)
		return assign_queue(s, NULL);
	switch (slot_claim(server)) {
	case CLAIM_TAKEN:
		assign_count_slot(server);
		assign_done(s, server);
		return STEP_GOTO + REQ_CONNECT;
	case CLAIM_CONTENDED:
		if (choice.balanced && !balance_is_hash(s->backend->set.balance))
			return assign_queue(s, NULL);
		return assign_queue(s, server);
	case CLAIM_FULL:
		break;
	}
	return server_queue_full(server) ? assign_queue_full(s, server) : assign_queue(s, server);
}

/* The slot counts from now on, although the stream runs a little later: offers in a row must
 * not hand it out twice. server NULL: its queue was dissolved, choose anew. */
void assign_offered(struct queue_entry *entry, struct server *server)
{
	struct stream_extra *extra = container_of(entry, struct stream_extra, queue);
	struct stream *s = extra->stream;

	if (server) {
		assign_count_slot(server);
		assign_done(s, server);
		stream_move_request(s, REQ_CONNECT);
	} else {
		stream_move_request(s, REQ_ASSIGN);
	}
	stream_expire_never(s);
	task_wake(&extra->task);
}

/* A server whose queue it was in is the one that the log names. */
void assign_leave_queue(struct stream *s)
{
	if (!s->extra || !s->extra->queue.proxy)
		return;
	s->server = s->extra->queue.server;
	queue_leave(&s->extra->queue);
}

int assign_wait(struct stream *s)
{
	if (stream_client_gone(s))
		return STEP_END;
	if (!stream_wait_over(s))
		return STEP_WAIT;
	return stream_fail(s, END_QUEUE_TIMEOUT);
}

/* May somebody wait for a slot of the server? */
static bool assign_others_wait(const struct server *server)
{
	return server->proxy->be->total_queued || (tally_shared && server->state->maxconn);
}

static void assign_release_server(struct stream *s)
{
	struct server *server = s->server;

	if (!s->counted_server)
		return;
	s->counted_server = false;
	s->server = NULL;
	if (s->doom == END_SERVER_DOWN || s->doom == END_SERVER_UP)
		s->doom = END_NONE; /* it was for those on this server */
	slot_give(server);
	server->proxy->be->served--;
	balance_released(server);
	if (assign_others_wait(server))
		queue_serve(server);
}

void assign_redispatch(struct stream *s)
{
	struct stream_extra *extra = extra_get(s);

	if (extra) {
		extra->persist = NULL;
		extra->direct = false;
	}
	s->kind->redispatched(s);
	if (extra)
		extra->avoid = s->server;
	assign_release_server(s);
}

void assign_release(struct stream *s)
{
	assign_release_server(s);
	if (s->counted_backend)
		s->backend->be->current--;
	s->counted_backend = false;
}
