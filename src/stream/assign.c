/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a server and the wait for a slot: steps REQ_ASSIGN and REQ_QUEUE. Balancing
 * (lb/) says which server, the queue (proxy/) when; here both are put together. What a stream has
 * then is in place.c. */
#include "stream/assign.h"

#include "base/clock.h"
#include "expr/expr.h"
#include "expr/view.h"
#include "lb/balance.h"
#include "proxy/server_add.h"
#include "proxy/sums.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/persist_rdp.h"
#include "stream/place.h"
#include "stream/steps.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

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

	if (!extra) {
		return stream_fail(s, END_RESOURCE);
	}
	s->phase = PHASE_QUEUE;
	extra->queue.offered = place_offered;
	extra->queue.priority_class = extra->treatment.priority_class;
	extra->queue.offset_ms = extra->treatment.priority_offset;
	queue_join(&extra->queue, s->backend, server);
	if (assign_went_too_far(server)) {
		queue_leave(&extra->queue);
		return assign_queue_full(s, server);
	}
	stream_arm_wait(s, stream_timeout(s, TIMEOUT_QUEUE));
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

	if (!s->exchange || avoid || !last)
		return NULL;
	if (!s->origin->private_servers && !(s->backend->set.options.on & OPT_PREFER_LAST))
		return NULL;
	if (s->origin->servers_seen != servers_gone && !server_is_there(s->backend, last))
		return NULL;
	if (last->proxy != s->backend || !server_usable(last))
		return NULL;
	return most < 0 || server_queued(last) <= (unsigned)most ? last : NULL;
}

static bool assign_expression(struct stream *s, struct sample *smp)
{
	struct view view;

	stream_view(s, &view, NULL);
	return expr_eval_as(s->backend->set.balance_by->expr, &view, AT_SERVER | AT_FINAL, SMP_BIN,
			    smp) == EXPR_FOUND;
}

/* What is hashed: any expression (an RDP cookie is one), or what the kind of stream has. */
static void assign_find_key(struct stream *s, struct balance_key *key)
{
	struct sample smp;

	if (s->backend->set.balance >= BALANCE_RDP_COOKIE)
		key->hashed = assign_expression(s, &smp);
	else
		key->hashed = s->kind->balance_key(s, &smp.str);
	if (key->hashed)
		key->hash = balance_hash(s->backend, smp.str);
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
	if (!choice.server && !key.avoid && proxy_part(s->backend, &persist_rdp_part))
		persist_rdp(s);
	if (!choice.server && !key.avoid)
		choice.server = s->extra ? s->extra->persist : NULL;
	if (choice.server) {
		if (s->extra)
			s->extra->direct = true;
		return choice;
	}
	choice.server = s->backend->dispatch ? s->backend->dispatch :
					       assign_last_server(s, key.avoid);
	if (choice.server)
		return choice;
	if (s->backend->set.balance >= BALANCE_URI)
		assign_find_key(s, &key);
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
		place_taken(s, server);
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

int assign_wait(struct stream *s)
{
	if (stream_client_gone(s))
		return STEP_END;
	if (!stream_wait_over(s))
		return STEP_WAIT;
	return stream_fail(s, END_QUEUE_TIMEOUT);
}
