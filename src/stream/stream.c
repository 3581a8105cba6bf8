/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams in the order of life: made, run through the step table, told facts by the pumps,
 * ended by stream_end, freed at the end of the turn. */
#include "stream/stream.h"

#include "base/clock.h"
#include "base/segment.h"
#include "base/pool.h"
#include "base/segment.h"
#include "expr/view.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/linger.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "stream/accesslog.h"
#include "stream/assign.h"
#include "stream/cursor.h"
#include "stream/early.h"
#include "stream/exchange.h"
#include "stream/extra.h"
#include "stream/idle.h"
#include "stream/keepalive.h"
#include "stream/session.h"
#include "stream/steps.h"
#include "stream/view.h"
#include "stream/timeouts.h"
#include "stream/trace.h"
#include "tls/conn.h"

#include <string.h>

struct list streams_all = LIST_INIT(streams_all);
unsigned streams_count;
unsigned streams_asking;
void (*streams_few_left)(void);

static struct pool stream_pool = POOL_INIT("stream", sizeof(struct stream));
static uint64_t next_id;

static void stream_fact(struct relay *relay, struct pump *pump);

/* ---- making ----------------------------------------------------------------------------- */

static unsigned pump_mode_of(const struct proxy *fe, const struct proxy *be, uint64_t bit)
{
	const struct options *f = &fe->set.options, *b = &be->set.options;

	if (!pipes_wanted())
		return PUMP_COPY;
	if ((f->on | b->on) & (bit | OPT_SPLICE_AUTO))
		return PUMP_SPLICE;
	return (f->given | b->given) & (bit | OPT_SPLICE_AUTO) ? PUMP_COPY : PUMP_ADAPTIVE;
}

void stream_choose_ways(struct stream *s)
{
	const struct proxy *fe = s->session->frontend, *be = s->backend ? s->backend : fe;

	s->relay.request.mode = (uint8_t)pump_mode_of(fe, be, OPT_SPLICE_REQUEST);
	s->relay.response.mode = (uint8_t)pump_mode_of(fe, be, OPT_SPLICE_RESPONSE);
}

/* A share of each turn, from a sixteenth of the usual one to four times it. */
void stream_be_nice(struct stream *s, int nice)
{
	if (nice > 0)
		s->relay.moves = (uint8_t)(RELAY_MOVES - nice * (RELAY_MOVES - 1) / 1024);
	else
		s->relay.moves = (uint8_t)(RELAY_MOVES - nice * RELAY_MOVES * 3 / 1024);
}

COLD static void stream_no_memory(struct session *session, struct conn **conn, struct buf **held)
{
	global_tally->no_memory++;
	if (held)
		buffer_give(held);
	conn_close(conn, false);
	session_free(&session);
}

void stream_start(struct session *session, struct conn **conn, struct buf **held)
{
	struct stream *s = pool_take(&stream_pool);

	if (!s) {
		stream_no_memory(session, conn, held);
		return;
	}
	s->session = session;
	session->stream = s;
	s->id = (uint64_t)segment_own_row << STREAM_ROW_SHIFT | ++next_id;
	s->queue_ms = s->connect_ms = NOT_REACHED;
	relay_init(&s->relay, stream_fact);
	stream_be_nice(s, session->listener->bind->nice);
	end_take_conn(&s->relay.client, conn);
	s->known = steps_known_of_frontend(session->frontend) |
		   (session->listener->bind->tls ? LAST_TOUCHES : 0);
	if (session_speaks_http(session) && !exchange_new(s, held)) {
		*conn = s->relay.client.conn;
		stream_no_memory(session, conn, held);
		pool_give(&stream_pool, &s);
		return;
	}
	list_append(&streams_all, &s->node);
	streams_count++;
	streams_asking += session->frontend->stats_socket;
	if (unlikely(trace_enabled))
		trace_accept(s);
	if (!s->exchange && accesslog_at_accept(session->frontend))
		stream_log(s);
	stream_run(s);
}

/* ---- running ---------------------------------------------------------------------------- */

/* Runs one side's rows from its cursor on, until it waits, or the stream has ended. The last row needs
 * nothing. */
static void stream_run_side(struct stream *s, struct cursor *at, const struct step *table,
			    unsigned rows)
{
	unsigned step = at->step, missing;
	const struct step *row;
	int r;

	for (;; at->waiting = false) {
		BUG_ON(step >= rows);
		missing = ~s->known;
		for (row = &table[step]; row->needs & missing; row++)
			step++;
		if (step != at->step) {
			at->step = (uint8_t)step;
			at->waiting = false;
		}
		r = row->run(s);
		if (unlikely(s->reason != END_NONE))
			return;
		if (r >= STEP_GOTO) {
			step = (unsigned)r - STEP_GOTO;
		} else if (likely(r == STEP_NEXT)) {
			step = at->step + 1u; /* an answer of the program moves it */
		} else {
			at->waiting = r == STEP_WAIT;
			return;
		}
	}
}

/* For whoever looks why this process has died or hangs. */
static void stream_at_hand(const struct stream *s)
{
	const struct addr *from = &s->session->src;

	segment_own->at_hand.stream = s->id;
	segment_own->at_hand.frontend = (uint32_t)s->session->frontend->uuid;
	segment_own->at_hand.family = from->family;
	segment_own->at_hand.port = from->port;
	memcpy(segment_own->at_hand.address, &from->v6, sizeof(segment_own->at_hand.address));
}

void stream_run(struct stream *s)
{
	if (s->in_steps || s->reason != END_NONE)
		return;
	s->in_steps = true;
	stream_at_hand(s);
	stream_run_side(s, &s->request, request_steps, REQ_STEPS);
	if (s->reason == END_NONE && (s->connected || (s->exchange && s->exchange->reply)))
		stream_run_side(s, &s->response, response_steps, RES_STEPS);
	s->in_steps = false;
}

/* A pump has something to tell. Its bits stay; the steps look at them. */
static void stream_fact(struct relay *relay, struct pump *pump)
{
	(void)pump;
	stream_run(stream_of(relay));
}

/* ---- counting and logging --------------------------------------------------------------- */

static void count_bytes(struct counters *c, uint64_t in, uint64_t out)
{
	c->bytes_in += in;
	c->bytes_out += out;
}

/* What a stream that has ended in mode tcp has received and will not send any more (it was refused, or had
 * no server) has come all the same. */
uint64_t stream_bytes_in(const struct stream *s)
{
	uint64_t n = pump_bytes(&s->relay.request);

	if (s->exchange)
		return n + s->exchange->bytes_in;
	return s->reason == END_NONE ? n : n + pump_held(&s->relay.request);
}

uint64_t stream_bytes_out(const struct stream *s)
{
	return pump_bytes(&s->relay.response) + (s->exchange ? s->exchange->bytes_out : 0);
}

void stream_count_bytes(struct stream *s)
{
	uint64_t in = stream_bytes_in(s), out = stream_bytes_out(s);
	uint64_t new_in = in - s->counted_in, new_out = out - s->counted_out;

	if (!(new_in | new_out))
		return;
	s->counted_in = in;
	s->counted_out = out;
	count_bytes(&s->session->frontend->fe->counters, new_in, new_out);
	count_bytes(&s->session->listener->tally->counters, new_in, new_out);
	if (s->backend && s->backend->be)
		count_bytes(&s->backend->be->counters, new_in, new_out);
	if (s->server)
		count_bytes(&s->server->tally->counters, new_in, new_out);
	global_tally->bytes_out += new_out;
	rate_add(&global_tally->bytes_out_rate, clock_now_ms, new_out / 32);
}

/* How much of it went through pipes, once it is known. */
static void stream_count_spliced(struct stream *s)
{
	uint64_t spliced = s->relay.request.spliced + s->relay.response.spliced;

	if (!spliced)
		return;
	s->session->frontend->fe->counters.bytes_spliced += spliced;
	if (s->session->listener->tally)
		s->session->listener->tally->counters.bytes_spliced += spliced;
	if (s->backend && s->backend->be)
		s->backend->be->counters.bytes_spliced += spliced;
	if (s->server)
		s->server->tally->counters.bytes_spliced += spliced;
}

void streams_count_bytes(void)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->session->frontend->set.options.on & OPT_CONTSTATS)
			stream_count_bytes(s);
}

/* Adds one to the field of frontend, backend and server alike. */
#define COUNT_ALL(s, field)                                                \
	do {                                                               \
		(s)->session->frontend->fe->counters.field++;              \
		if ((s)->backend && (s)->backend->be)                      \
			(s)->backend->be->counters.field++;                \
		if ((s)->server)                                           \
			(s)->server->tally->counters.field++;              \
	} while (0)

/* The frontend has no such counter. */
static void stream_count_bad_response(struct stream *s)
{
	if (s->backend && s->backend->be)
		s->backend->be->counters.failed_responses++;
	if (s->server)
		s->server->tally->counters.failed_responses++;
}

/* Mode http: no head of a response came, or its body is malformed. What the server has broken off
 * then is no response. */
static bool wrong_response(const struct stream *s)
{
	const struct exchange *x = s->exchange;

	return x && (!x->http.server_status || x->server.error.status);
}

/* Which counter a broken-off stream adds to follows from who broke it off, and when. */
static void stream_count_end(struct stream *s)
{
	switch (s->reason) {
	case END_CLIENT_ABORT:
	case END_CLIENT_TIMEOUT:
		if (s->phase == PHASE_REQUEST)
			s->session->frontend->fe->counters.failed_requests++;
		else
			COUNT_ALL(s, client_aborts);
		break;
	case END_BAD_REQUEST:
		s->session->frontend->fe->counters.failed_requests++;
		s->session->listener->tally->counters.failed_requests++;
		break;
	case END_BAD_RESPONSE:
		stream_count_bad_response(s);
		break;
	case END_SERVER_ABORT:
		stream_count_bad_response(s);
		if (!wrong_response(s))
			COUNT_ALL(s, server_aborts);
		break;
	case END_SERVER_TIMEOUT:
		if (wrong_response(s))
			stream_count_bad_response(s);
		else
			COUNT_ALL(s, server_aborts);
		break;
	case END_QUEUE_TIMEOUT:
	case END_QUEUE_FULL:
		if (s->server)
			s->server->tally->counters.failed_connections++;
		s->backend->be->counters.failed_connections++;
		break;
	case END_NO_SERVER:
		if (s->backend && s->backend->be)
			s->backend->be->counters.failed_connections++;
		break;
	case END_RESOURCE:
		global_tally->no_memory++;
		break;
	case END_INTERNAL:
	case END_UNWRITTEN:
		COUNT_ALL(s, internal_errors);
		break;
	default:
		break;
	}
}

/* What ends a stream from outside says nothing of its phase: so does the reference. */
static bool reason_has_phase(enum reason reason)
{
	switch (reason) {
	case END_NONE:
	case END_NORMAL:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return false;
	default:
		return true;
	}
}

void stream_termination(const struct stream *s, char code[3])
{
	static const char letters[] = {
#define REASON(name, letter, error, status, text) letter,
#include "stream/ends.def"
#undef REASON
	};
	static const char phases[] = { 'R', 'Q', 'C', 'H', 'D', 'L', 'T' };

	code[0] = letters[s->reason];
	code[1] = reason_has_phase(s->reason) ? phases[s->phase] : '-';
	code[2] = 0;
}

const char *reason_text(enum reason reason)
{
	static const char *const texts[] = {
#define REASON(name, letter, error, status, text) text,
#include "stream/ends.def"
#undef REASON
	};

	return texts[reason];
}

bool reason_is_error(enum reason reason)
{
	static const bool errors[] = {
#define REASON(name, letter, error, status, text) error,
#include "stream/ends.def"
#undef REASON
	};

	return errors[reason];
}

const char *stream_phase_name(const struct stream *s)
{
	return request_steps[s->request.step].name;
}

void stream_log(struct stream *s)
{
	struct view_log log;
	struct view view;

	if (s->logged || s->log_level == LOG_LEVEL_SILENT ||
	    !log_enabled(s->session->frontend->set.log))
		return;
	s->logged = true;
	stream_view(s, &view, &log);
	accesslog_write(&view);
}

/* ---- ending ----------------------------------------------------------------------------- */

static void stream_free(struct reap *reap)
{
	struct stream *s = container_of(reap, struct stream, reap);

	pool_give(&stream_pool, &s);
}

/* The end of such a response is that of the connection (RFC 9112 6.3), and it has not come. */
static bool response_cut(const struct exchange *x)
{
	return x && x->head_sent && x->res.framing == BODY_CLOSE && !x->complete;
}

/* Whoever did not break off itself, nor sees a clean end, gets a RST: it must not take what it
 * has for everything. Behind an answer of ours it would destroy what is still on its way. */
static bool reset_client(const struct stream *s)
{
	if (unlikely(response_cut(s->exchange)))
		return true;
	switch (s->reason) {
	case END_SERVER_ABORT:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return s->connected && !(s->exchange && !s->exchange->head_sent) &&
		       !(s->exchange && s->exchange->reply);
	default:
		return s->session->frontend->set.options.on & OPT_NOLINGER;
	}
}

static bool reset_server(const struct stream *s)
{
	switch (s->reason) {
	case END_CLIENT_ABORT:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return true;
	case END_NORMAL:
		if (s->exchange && exchange_may_reset_server(s))
			return true;
		/* fall through */
	default:
		return s->backend && s->backend->set.options.on & OPT_NOLINGER;
	}
}

void streams_hold_asking(void)
{
	streams_asking++;
	streams_hold();
}

void streams_release_asking(void)
{
	streams_asking--;
	streams_release();
}

int stream_fail(struct stream *s, enum reason reason)
{
	if (s->exchange)
		return exchange_fail(s, reason);
	stream_end(s, reason);
	return STEP_END;
}

/* An HTTP session whose connection lives on waits for the next request. */
static void stream_leave_session(struct stream *s, struct conn **conn, struct buf **held)
{
	struct session *se = s->session;

	s->session = NULL;
	se->stream = NULL;
	if (!*conn) {
		session_free(&se);
		return;
	}
	/* The next request counts its times from here. */
	se->accepted = clock_wall();
	se->accepted_ms = clock_now_ms;
	se->handshake_ms = 0;
	keepalive_wait(se, conn, held);
}

/* May the client still be sending, or are requests left that nobody will read? */
static bool client_lingers(const struct stream *s)
{
	const struct conn *conn = end_conn(&s->relay.client);

	if (!s->exchange || !conn || conn->flags & (CONN_EOF | CONN_BROKEN | CONN_RDHUP))
		return false;
	return !s->exchange->client.framing.ended || conn->flags & (CONN_HELD | CONN_READABLE) ||
	       (s->exchange->head_sent && s->exchange->req.flags & MSG_KEEP_ALIVE);
}

static void client_linger(struct stream *s)
{
	const struct timeouts *t = &s->session->frontend->set.timeout;
	struct buf *held = NULL;
	struct conn *conn = h1_end_detach(&s->relay.client, &held);

	buffer_give(&held);
	if (tls_conn_unproven(conn))
		conn_close(&conn, false); /* what would be dropped ends the handshake: tls/outlive.c */
	else
		conn_linger(&conn, t->client_fin ? t->client_fin : t->client);
}

void stream_end(struct stream *s, enum reason reason)
{
	struct buf *held = NULL;
	struct conn *conn = NULL;
	bool reset, kept, asking;

	BUG_ON(reason == END_NONE);
	if (s->reason != END_NONE)
		return;
	s->reason = (uint8_t)reason;
	asking = s->session->frontend->stats_socket;
	stream_expire_never(s);
	if (unlikely(s->extra != NULL))
		assign_leave_queue(s);
	stream_count_bytes(s);
	stream_count_spliced(s);
	stream_count_end(s);
	stream_count_times(s);
	stream_log(s);
	if (unlikely(trace_enabled))
		trace_closed(s);
	kept = s->exchange && exchange_end(s, &conn, &held);
	reset = !kept && reset_client(s);
	if (kept || reset)
		;
	else if (client_lingers(s))
		client_linger(s);
	else if (end_conn(&s->relay.client) && !early_unproven(s) &&
		 (reason != END_NORMAL || (s->exchange && *s->relay.client.flags & CONN_RDHUP)))
		conn_discard(s->relay.client.conn);
	relay_close(&s->relay, reset, s->relay.server.ops && reset_server(s));
	assign_release(s);
	stream_cursors_leave(s);
	list_remove(&s->node);
	if (unlikely(s->extra != NULL))
		extra_free(s);
	exchange_free(s);
	stream_leave_session(s, &conn, &held);
	loop_reap(&s->reap, stream_free);
	streams_asking -= asking;
	streams_release();
}

void streams_end_server(struct server *server, enum reason reason)
{
	struct stream *s, *next;

	list_for_each_safe(s, next, &streams_all, node)
		if (s->server == server)
			stream_end(s, reason);
}

void streams_end_all(enum reason reason)
{
	struct stream *s, *next;

	list_for_each_safe(s, next, &streams_all, node)
		stream_end(s, reason);
	keepalive_close_all();
	idle_close_all();
}

struct stream *stream_find(uint64_t id)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->id == id)
			return s;
	return NULL;
}
