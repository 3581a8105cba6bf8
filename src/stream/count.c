/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stream adds to the counters of its frontend, listener, backend and server: bytes while it
 * lives (stream/stream.h), and once how it ended. */
#include "stream/count.h"

#include "base/clock.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/chain.h"
#include "relay/pump_bytes.h"
#include "stream/extra.h"
#include "stream/kind.h"
#include "stream/stream.h"
#include "stream/track.h"
#include "tally/tallies.h"

/* ---- bytes ------------------------------------------------------------------------------ */

static void count_bytes(struct counters *c, uint64_t in, uint64_t out)
{
	c->bytes_in += in;
	c->bytes_out += out;
}

/* Where filters change them, what came, not what became of it. */
static uint64_t passed(const struct pump *pump)
{
	if (unlikely(pump->chain && pump->chain->changing))
		return pump->chain->taken;
	return pump_bytes(pump);
}

struct stream_bytes stream_bytes_of(const struct stream *s)
{
	struct stream_bytes more = s->kind->bytes(s);

	return (struct stream_bytes){ passed(&s->relay.request) + more.in,
				      passed(&s->relay.response) + more.out };
}

/* Bytes that are sent once more, by a retry, are counted once. */
static uint64_t new_bytes(uint64_t all, uint64_t counted)
{
	return all > counted ? all - counted : 0;
}

void stream_count_bytes(struct stream *s)
{
	struct stream_bytes all = stream_bytes_of(s);
	struct stream_extra *extra = s->extra;
	uint64_t new_in = new_bytes(all.in, unlikely(extra != NULL) ? extra->counted_in : 0);
	uint64_t new_out = new_bytes(all.out, unlikely(extra != NULL) ? extra->counted_out : 0);

	if (!(new_in | new_out))
		return;
	if (s->reason == END_NONE) {
		extra = extra_get(s);
		if (!extra)
			return;
		extra->counted_in += new_in;
		extra->counted_out += new_out;
	}
	count_bytes(&s->origin->frontend->fe->counters, new_in, new_out);
	count_bytes(origin_counters(s->origin), new_in, new_out);
	if (s->backend && s->backend->be)
		count_bytes(&s->backend->be->counters, new_in, new_out);
	if (s->server)
		count_bytes(&s->server->tally->counters, new_in, new_out);
	if (unlikely(tracks_conf.used))
		track_bytes(s, new_in, new_out);
	global_tally->bytes_out += new_out;
	rate_add(&global_tally->bytes_out_rate, clock_now_ms, new_out / 32);
}

void stream_count_spliced(struct stream *s)
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
		/* Of one that ends at present, all is counted. */
		if (s->reason == END_NONE && s->origin->frontend->set.options.on & OPT_CONTSTATS)
			stream_count_bytes(s);
}

/* ---- the end ---------------------------------------------------------------------------- */

/* Adds one to the field of frontend, backend and server alike. */
#define COUNT_ALL(s, field)                                                \
	do {                                                               \
		(s)->origin->frontend->fe->counters.field++;              \
		if ((s)->backend && (s)->backend->be)                      \
			(s)->backend->be->counters.field++;                \
		if ((s)->server)                                           \
			(s)->server->tally->counters.field++;              \
	} while (0)

static void stream_count_bad_request(struct stream *s)
{
	s->origin->frontend->fe->counters.failed_requests++;
	origin_counters(s->origin)->failed_requests++;
}

/* The frontend has no such counter. */
static void stream_count_bad_response(struct stream *s)
{
	if (s->backend && s->backend->be)
		s->backend->be->counters.failed_responses++;
	if (s->server)
		s->server->tally->counters.failed_responses++;
}

/* The server has failed its client before there was an answer. */
static void track_no_answer(const struct stream *s)
{
	if (s->exchange && (s->reason == END_BAD_RESPONSE || s->phase == PHASE_HEADERS))
		track_failure(s);
}

void stream_count_end(struct stream *s)
{
	switch (s->reason) {
	case END_CLIENT_ABORT:
	case END_CLIENT_TIMEOUT:
		if (s->phase == PHASE_REQUEST)
			stream_count_bad_request(s);
		else
			COUNT_ALL(s, client_aborts);
		break;
	case END_BAD_REQUEST:
		stream_count_bad_request(s);
		break;
	case END_BAD_RESPONSE:
		stream_count_bad_response(s);
		track_no_answer(s);
		break;
	case END_SERVER_ABORT:
		stream_count_bad_response(s);
		track_no_answer(s);
		if (!s->kind->wrong_response(s))
			COUNT_ALL(s, server_aborts);
		break;
	case END_SERVER_TIMEOUT:
		track_no_answer(s);
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
	case END_INTERNAL:
	case END_UNWRITTEN:
		COUNT_ALL(s, internal_errors);
		origin_counters(s->origin)->internal_errors++;
		break;
	default:
		break;
	}
}
