/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams of bytes (mode tcp): their step tables, and their own steps, which open the pumps and
 * watch them. Read the tables at the end of this file to know what happens to such a stream, in
 * order; the functions that are not here are in the files that they are named after. */
#include "stream/bytes.h"

#include "base/clock.h"
#include "filter/filter.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "stream/assign.h"
#include "stream/client_close.h"
#include "stream/connect.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/filtering.h"
#include "stream/kind.h"
#include "stream/moments.h"
#include "stream/persist_table.h"
#include "stream/proxyheader.h"
#include "stream/rule_steps.h"
#include "stream/service.h"
#include "stream/timeouts.h"

/* A client that has closed and has sent nothing that a server could answer waits for nothing;
 * behind the connection, what it has sent is the server's. With option abortonclose that is assumed
 * of every client that has closed. */
static bool bytes_client_left(const struct stream *s)
{
	if (!(*s->relay.client.flags & CONN_RDHUP) || s->phase == PHASE_REQUEST)
		return false;
	return stream_aborts_on_close(s) ||
	       (!s->connected && !pump_held(&s->relay.request) &&
		link_at_end(end_own_link(&s->relay.client)));
}

/* Answered inside the program: there is no backend and no server. */
static int open_applet(struct stream *s)
{
	const struct proxy *px = s->origin->frontend;

	if (px->applet(&s->relay.server, s->origin->listener) < 0)
		return steps_end(s, END_RESOURCE);
	return STEP_GOTO + REQ_CONNECTED_MOMENT;
}

/* ---- opening ---------------------------------------------------------------------------- */

static int open_request(struct stream *s)
{
	s->connected = true;
	s->phase = PHASE_DATA;
	s->phase_ms = (uint32_t)clock_now_ms;
	stream_expire_never(s);
	if ((unlikely(s->traits & LEAVING_EDITS) && !filtering_stream(s)) ||
	    (proxyheader_wanted(s) && !s->server->tls && !proxyheader_preload(s)))
		return steps_end(s, END_RESOURCE);
	pump_open(&s->relay.request);
	moment_tell(s, MOMENT_SENT);
	pump_run(&s->relay.request);
	return STEP_NEXT;
}

static int open_response(struct stream *s)
{
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

/* Something has changed in one of the pumps. */
static int forward(struct stream *s)
{
	struct pump *req = &s->relay.request, *res = &s->relay.response;

	if ((req->flags | res->flags) & PUMP_NO_MEMORY)
		return steps_end(s, filtering_failure(s));
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
	if (s->traits & HAS_SERVICE && !(res->flags & PUMP_READ_ERROR))
		return steps_end(s, END_NORMAL);
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
	int r = s->response.step == RES_FORWARD ? forward(s) : STEP_WAIT;

	if (r == STEP_NEXT)
		stream_arm_forward(s);
	return r == STEP_NEXT ? STEP_WAIT : r;
}

static int forward_response(struct stream *s)
{
	int r = forward(s);

	return r == STEP_NEXT ? STEP_WAIT : r;
}

/* ---- early data to the server -------------------------------------------------------------- */

/* What the client has said so far, if that may be a repetition itself. */
static struct span bytes_early_words(struct stream *s)
{
	struct pump *pump = &s->relay.request;

	if (!early_unproven(s))
		return (struct span){ NULL, 0 };
	if (!pump->buf && !(pump->flags & PUMP_NO_PULL)) {
		pump->flags |= PUMP_LOOK;
		pump_run(pump);
		pump->flags &= (uint16_t)~PUMP_LOOK;
	}
	if (s->reason != END_NONE || !pump->buf)
		return (struct span){ NULL, 0 };
	return (struct span){ buf_first(pump->buf), pump->buf->len };
}

/* The server has the first ones of the pump already. */
static void bytes_early_taken(struct stream *s, size_t taken)
{
	struct pump *pump = &s->relay.request;

	if (!taken)
		return;
	buf_skip(pump->buf, taken);
	if (!pump->buf->len)
		buffer_give(&pump->buf);
	pump->copied += taken;
	pump->write_ms = (uint32_t)clock_now_ms;
}

/* ---- what a stream asks -------------------------------------------------------------------- */

static bool bytes_abandon(struct stream *s, enum reason reason)
{
	stream_end(s, reason);
	return false;
}

/* A rule that looks at what has come takes the end for an end: nothing is missing. */
static int bytes_cut(struct stream *s, bool is_response)
{
	return steps_end(s, is_response ? END_SERVER_ABORT : END_CLIENT_ABORT);
}

static int bytes_filtered(struct stream *s, enum reason reason, bool is_response)
{
	(void)is_response;
	return steps_end(s, reason);
}

static bool bytes_connected(struct stream *s)
{
	(void)s;
	return true;
}

static void bytes_redispatched(struct stream *s)
{
	(void)s;
}

static bool bytes_balance_key(struct stream *s, struct span *key)
{
	(void)s;
	(void)key;
	return false;
}

static const struct message *bytes_message(const struct stream *s)
{
	(void)s;
	return NULL;
}

/* There is no wait for a request. */
static void bytes_times(const struct stream *s, struct stream_times *times)
{
	*times = (struct stream_times){
		.began_ms = (uint32_t)s->origin->accepted_ms,
		.begin_ms = s->origin->handshake_ms,
		.request_ms = s->origin->handshake_ms,
		.response_ms = NOT_REACHED,
	};
}

static void bytes_view(struct stream *s, struct view *view)
{
	if (s->traits & HAS_SERVICE)
		view->service = s->extra->service->shown;
}

/* What a stream that has ended has received and will not send any more (it was refused, or had no
 * server) has come all the same. */
static struct stream_bytes bytes_bytes(const struct stream *s)
{
	return (struct stream_bytes){ s->reason == END_NONE ? 0 : pump_held(&s->relay.request), 0 };
}

static bool bytes_no(const struct stream *s)
{
	(void)s;
	return false;
}

/* Nothing but the pumps counts them. */
static void bytes_changed(struct stream *s, struct stream_bytes more)
{
	(void)s;
	(void)more;
}

/* Whoever did not break off itself, nor sees a clean end, gets a RST: it must not take what it has
 * for everything. */
static bool bytes_leave(struct stream *s)
{
	if (stream_broken_off(s) ? s->connected :
				   (s->origin->frontend->set.options.on & OPT_NOLINGER) != 0)
		return true;
	if (!early_unproven(s) && (s->reason != END_NORMAL || s->traits & HAS_SERVICE))
		link_discard(end_own_link(&s->relay.client));
	if (s->reason != END_CLIENT_TIMEOUT) /* it takes nothing more */
		client_close_end(&s->relay, s->origin->frontend, false);
	return false;
}

/* ---- the tables ---------------------------------------------------------------------------- */

static const struct step request_steps[REQ_STEPS + 1] = {
	[REQ_APPLET] = { "applet", open_applet, IS_LOCAL },
	[REQ_MOMENT] = { "moment: request", moment_request, HEARD_REQUEST },
	[REQ_FRONTEND_RULES] = { "frontend rules", rules_frontend, FRONT_RULES },
	[REQ_SWITCH] = { "backend switching", rules_switch, 0 },
	[REQ_BACKEND_MOMENT] = { "moment: backend", moment_backend, HEARD_BACKEND },
	[REQ_BACKEND_RULES] = { "backend rules", rules_backend, BACK_RULES },
	[REQ_STICK] = { "stick rules", stick_request, STICKS },
	[REQ_ASSIGN] = { "server choice", assign_server, 0 },
	[REQ_QUEUE] = { "queue", assign_wait, 0 },
	[REQ_CONNECT] = { "connect", connect_start, 0 },
	[REQ_CONNECTING] = { "connecting", connect_wait, 0 },
	[REQ_RETRY] = { "retry", connect_retry, 0 },
	[REQ_SERVICE] = { "service", service_open, HAS_SERVICE },
	[REQ_CONNECTED_MOMENT] = { "moment: connected", moment_connected, HEARD_CONNECTED },
	[REQ_OPEN] = { "open", open_request, 0 },
	[REQ_FORWARD] = { "forward", forward_request, 0 },
	[REQ_STEPS] = { "none", step_beyond, 0 },
};

static const struct step response_steps[RES_STEPS + 1] = {
	[RES_HEAD] = { "response head", NULL, 0 }, /* where the cursor begins */
	[RES_MOMENT] = { "moment: response", moment_response, HEARD_RESPONSE },
	[RES_RULES] = { "response rules", rules_response, RESPONSE_RULES },
	[RES_STICK] = { "stick rules", stick_response, STICKS },
	[RES_ANSWER_MOMENT] = { "moment: answer", moment_answer, HEARD_ANSWER },
	[RES_OPEN] = { "open", open_response, 0 },
	[RES_FORWARD] = { "forward", forward_response, 0 },
	[RES_STEPS] = { "none", step_beyond, 0 },
};

const struct stream_kind stream_of_bytes = {
	.name = "bytes",
	.request = request_steps,
	.response = response_steps,
	.fail = steps_end,
	.cut = bytes_cut,
	.filtered = bytes_filtered,
	.abandon = bytes_abandon,
	.quiet = bytes_abandon,
	.client_left = bytes_client_left,
	.connected = bytes_connected,
	.redispatched = bytes_redispatched,
	.balance_key = bytes_balance_key,
	.early_words = bytes_early_words,
	.early_taken = bytes_early_taken,
	.early_repeats = bytes_no,
	.message = bytes_message,
	.times = bytes_times,
	.view = bytes_view,
	.bytes = bytes_bytes,
	.was_short = bytes_no,
	.wrong_response = bytes_no,
	.leave = bytes_leave,
	.resets_server = bytes_no,
	.changed = bytes_changed,
};
