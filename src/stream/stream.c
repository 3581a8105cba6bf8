/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams in the order of life: made, run through the step tables (run.c), ended by stream_end,
 * freed at the end of the turn. */
#include "stream/stream.h"

#include "base/clock.h"
#include "base/pool.h"
#include "event/loop.h"
#include "expr/view.h"
#include "filter/filter.h"
#include "log/log.h"
#include "net/conn.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "relay/pipe.h"
#include "share/segment.h"
#include "stream/accesslog.h"
#include "stream/assign.h"
#include "stream/early.h"
#include "stream/extra.h"
#include "stream/filtering.h"
#include "stream/kind.h"
#include "stream/run.h"
#include "stream/scan.h"
#include "stream/steps.h"
#include "stream/timeouts.h"
#include "stream/trace.h"
#include "stream/view.h"
#include "tls/conn.h"

#include <string.h>

struct list streams_all = LIST_INIT(streams_all);
unsigned streams_count;
unsigned streams_asking;
void (*streams_few_left)(void);

static struct pool stream_pool = POOL_INIT("stream", sizeof(struct stream));
static uint64_t next_id;

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
	const struct proxy *fe = s->origin->frontend, *be = s->backend ? s->backend : fe;

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

uint8_t streams_watched;

COLD static void stream_watch(struct stream *s)
{
	if (streams_watched & WATCH_TRACE)
		trace_accept(s);
	if (streams_watched & WATCH_FILTERS && filters_early(s->origin->frontend))
		filtering_get(s);
	if (streams_watched & (WATCH_TIMES | WATCH_CALLS))
		s->in_steps = STEPS_MEASURED;
}

/* There is no memory for what it carries. */
COLD static void stream_short(struct stream *s, struct buf **held)
{
	global_tally->no_memory++;
	buffer_give(held);
	end_close(&s->relay.client, false);
	s->origin->carrier->ended(s->origin);
	pool_give(&stream_pool, &s);
}

static void stream_begin(struct stream *s, struct origin *origin, struct timer *timer)
{
	const struct listener *l = origin->listener;

	s->kind = &stream_of_bytes;
	s->closes_halves = true;
	s->origin = origin;
	s->timer = timer;
	s->id = (uint64_t)segment_own_row << STREAM_ROW_SHIFT | ++next_id;
	s->queue_ms = s->connect_ms = NOT_REACHED;
	s->known = steps_known_of_frontend(origin->frontend);
	relay_init(&s->relay, stream_fact);
	s->relay.moves = RELAY_MOVES;
	if (likely(l != NULL)) {
		stream_be_nice(s, l->bind->nice);
		s->known |= l->bind->tls ? LEAVING_EDITS : 0;
	}
}

bool stream_start(struct origin *origin, struct timer *timer)
{
	struct stream *s = pool_take(&stream_pool);
	struct buf *held = NULL;

	if (!s)
		return false;
	stream_begin(s, origin, timer);
	if (!origin->carrier->lend(origin, &s->relay.client, &held)) {
		pool_give(&stream_pool, &s);
		return false;
	}
	if (origin_speaks_http(origin) && !stream_of_messages->begin(s, &held)) {
		stream_short(s, &held);
		return true;
	}
	list_append(&streams_all, &s->node);
	streams_count++;
	streams_asking += origin->frontend->stats_socket;
	if (unlikely(streams_watched))
		stream_watch(s);
	if (!s->exchange && accesslog_at_accept(origin->frontend))
		stream_log(s);
	stream_run(s);
	return true;
}

/* ---- counting and logging --------------------------------------------------------------- */

static void count_bytes(struct counters *c, uint64_t in, uint64_t out)
{
	c->bytes_in += in;
	c->bytes_out += out;
}

struct stream_bytes stream_bytes_of(const struct stream *s)
{
	struct stream_bytes more = s->kind->bytes(s);

	return (struct stream_bytes){ pump_bytes(&s->relay.request) + more.in,
				      pump_bytes(&s->relay.response) + more.out };
}

void stream_count_bytes(struct stream *s)
{
	struct stream_bytes all = stream_bytes_of(s);
	uint64_t new_in = all.in - s->counted_in, new_out = all.out - s->counted_out;

	if (!(new_in | new_out))
		return;
	s->counted_in = all.in;
	s->counted_out = all.out;
	count_bytes(&s->origin->frontend->fe->counters, new_in, new_out);
	count_bytes(origin_counters(s->origin), new_in, new_out);
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
	s->origin->frontend->fe->counters.bytes_spliced += spliced;
	origin_counters(s->origin)->bytes_spliced += spliced;
	if (s->backend && s->backend->be)
		s->backend->be->counters.bytes_spliced += spliced;
	if (s->server)
		s->server->tally->counters.bytes_spliced += spliced;
}

void streams_count_bytes(void)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->origin->frontend->set.options.on & OPT_CONTSTATS)
			stream_count_bytes(s);
}

/* Adds one to the field of frontend, backend and server alike. */
#define COUNT_ALL(s, field)                                                \
	do {                                                               \
		(s)->origin->frontend->fe->counters.field++;              \
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

/* Which counter a broken-off stream adds to follows from who broke it off, and when. */
static void stream_count_end(struct stream *s)
{
	switch (s->reason) {
	case END_CLIENT_ABORT:
	case END_CLIENT_TIMEOUT:
		if (s->phase == PHASE_REQUEST)
			s->origin->frontend->fe->counters.failed_requests++;
		else
			COUNT_ALL(s, client_aborts);
		break;
	case END_BAD_REQUEST:
		s->origin->frontend->fe->counters.failed_requests++;
		origin_counters(s->origin)->failed_requests++;
		break;
	case END_BAD_RESPONSE:
		stream_count_bad_response(s);
		break;
	case END_SERVER_ABORT:
		stream_count_bad_response(s);
		if (!s->kind->wrong_response(s))
			COUNT_ALL(s, server_aborts);
		break;
	case END_SERVER_TIMEOUT:
		if (s->kind->wrong_response(s))
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
	case END_UNWRITTEN:
		COUNT_ALL(s, internal_errors);
		break;
	default:
		break;
	}
}

/* What ends a stream from outside says nothing of its phase, unless the server is about to answer,
 * or answers, in HTTP: so does the reference. */
static bool has_phase(const struct stream *s)
{
	switch (s->reason) {
	case END_NONE:
	case END_NORMAL:
		return false;
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return s->exchange && (s->phase == PHASE_HEADERS || s->phase == PHASE_DATA);
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
	code[1] = has_phase(s) ? phases[s->phase] : '-';
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
	return s->kind->request[s->request.step].name;
}

void stream_log(struct stream *s)
{
	struct view_log log;
	struct view view;

	if (s->logged || s->log_level == LOG_LEVEL_SILENT ||
	    !log_enabled(s->origin->frontend->set.log))
		return;
	s->logged = true;
	stream_view(s, &view, &log);
	accesslog_write(&view);
}

/* ---- ending ----------------------------------------------------------------------------- */

static void stream_free(struct reap *reap)
{
	struct stream *s = container_of(reap, struct stream, reap);

	pool_put_small(&stream_pool, s);
}

bool stream_broken_off(const struct stream *s)
{
	switch (s->reason) {
	case END_SERVER_ABORT:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return true;
	default:
		return false;
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
		if (s->kind->resets_server(s))
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
	return s->kind->fail(s, reason);
}

static bool conn_was_short(const struct conn *conn)
{
	return conn && tls_conn_is(conn) && tls_conn_fault(conn) == TLS_FAULT_MEMORY;
}

/* Has anything of it failed for lack of memory? */
COLD static bool stream_was_short(const struct stream *s)
{
	return s->kind->was_short(s) || conn_was_short(end_conn(&s->relay.client)) ||
	       (s->relay.server.ops && conn_was_short(end_conn(&s->relay.server)));
}

void stream_end(struct stream *s, enum reason reason)
{
	struct origin *origin = s->origin;
	bool asking, filtered, reset;

	BUG_ON(reason == END_NONE);
	if (s->reason != END_NONE)
		return;
	if (reason != END_NORMAL && stream_was_short(s))
		reason = END_RESOURCE; /* whatever it looked like */
	s->reason = (uint8_t)reason;
	asking = origin->frontend->stats_socket;
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
	filtered = unlikely(s->relay.response.chain != NULL) && filtering_end(s);
	reset = s->kind->leave(s, filtered);
	relay_close(&s->relay, reset, s->relay.server.ops && reset_server(s));
	assign_release(s);
	stream_scans_leave(s);
	list_remove(&s->node);
	if (unlikely(s->extra != NULL))
		extra_free(s);
	if (s->exchange)
		s->kind->free(s);
	s->origin = NULL;
	origin->carrier->ended(origin);
	loop_reap(&s->reap, stream_free);
	streams_asking -= asking;
	streams_release();
}

/* A client whose request a server has is told that no response comes of it. */
static void stream_end_doomed(struct stream *s)
{
	enum reason reason = s->doom;

	s->doom = END_NONE; /* while it is told, others may end */
	if (s->kind->abandon(s, reason))
		stream_run(s);
}

/* Whose end others want: between two steps, for one may be at work now. */
static void streams_end_doomed(struct task *task)
{
	struct stream *s, *next;

	(void)task;
	list_for_each_safe(s, next, &streams_all, node)
		if (s->doom != END_NONE)
			stream_end_doomed(s);
}

static struct task ender = { .node = LIST_INIT(ender.node), .run = streams_end_doomed };

void stream_end_soon(struct stream *s, enum reason reason)
{
	if (s->doom == END_NONE)
		s->doom = (uint8_t)reason;
	task_wake(&ender);
}

void streams_end_server(const struct server *server, enum reason reason)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->server == server)
			stream_end_soon(s, reason);
}

void streams_end_all(enum reason reason)
{
	struct stream *s, *next;

	list_for_each_safe(s, next, &streams_all, node)
		stream_end(s, reason);
}

struct stream *stream_find(uint64_t id)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->id == id)
			return s;
	return NULL;
}
