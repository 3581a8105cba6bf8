/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What two tallies come to together: counters are added up, rates as they read now, means by their
 * samples, maxima are the larger of two. Called by the sums (tally.c) and where a row ends
 * (ended_rows.c). From is read as others write it.
 */
#include "tally/join.h"

#include "tally/tallies.h"

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- parts of tallies ------------------------------------------------------------------ */

/* to reads, at now, as what both come to. */
void tally_join_rate(struct rate *to, const struct rate *from, uint64_t now_ms)
{
	struct rate copy = { LOAD(from->period_start), LOAD(from->current), LOAD(from->previous),
			     0, 0 };

	to->previous = rate_read(to, now_ms) + rate_read(&copy, now_ms);
	to->current = 0;
	to->period_start = now_ms;
	to->max = larger(to->max, larger(larger(LOAD(from->max), LOAD(from->top)), to->previous));
}

static void counters_join(struct counters *to, const struct counters *from, uint64_t now_ms)
{
	uint64_t connections = larger(to->connections_max, larger(LOAD(from->connections_max),
								  LOAD(from->connections_top)));
	uint64_t queue = larger(to->queue_max, larger(LOAD(from->queue_max),
						      LOAD(from->queue_top)));

#define COUNTER(name, text) to->name += LOAD(from->name);
#include "tally/counters.def"
#undef COUNTER
	to->connections_max = connections;
	to->queue_max = queue;
	tally_join_rate(&to->session_rate, &from->session_rate, now_ms);
	tally_join_rate(&to->connection_rate, &from->connection_rate, now_ms);
	tally_join_rate(&to->request_rate, &from->request_rate, now_ms);
}

static void mean_join(struct mean *to, const struct mean *from)
{
	to->sum += LOAD(from->sum);
	to->samples += LOAD(from->samples);
	to->max = (uint32_t)larger(to->max, LOAD(from->max));
}

static void times_join(struct times *to, const struct times *from)
{
	mean_join(&to->queue, &from->queue);
	mean_join(&to->connect, &from->connect);
	mean_join(&to->response, &from->response);
	mean_join(&to->total, &from->total);
}

static void h1_counts_join(struct h1_counts *to, const struct h1_counts *from)
{
#define H1_COUNT(name, text) to->name += LOAD(from->name);
#define H1_NOW(name, text) to->name += LOAD(from->name);
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
}

static void h2_counts_join(struct h2_counts *to, const struct h2_counts *from)
{
#define H2_COUNT(name, text) to->name += LOAD(from->name);
#define H2_NOW(name, text) to->name += LOAD(from->name);
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
}

/* ---- tallies --------------------------------------------------------------------------- */

typedef void join_tally(void *to, const void *from, uint64_t now_ms);

static void proxy_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct proxy_tally *to = to_tally;
	const struct proxy_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->queued += LOAD(from->queued);
	to->total_queued += LOAD(from->total_queued);
	to->served += LOAD(from->served);
	to->retrying += LOAD(from->retrying);
	to->chosen += LOAD(from->chosen);
	to->last_session_s = larger(to->last_session_s, LOAD(from->last_session_s));
	to->log_lines += LOAD(from->log_lines);
	times_join(&to->times, &from->times);
	h1_counts_join(&to->h1, &from->h1);
	h2_counts_join(&to->h2, &from->h2);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void server_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct server_tally *to = to_tally;
	const struct server_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->queued += LOAD(from->queued);
	to->chosen += LOAD(from->chosen);
	to->idle += LOAD(from->idle);
	to->idle_safe += LOAD(from->idle_safe);
	to->idle_need += LOAD(from->idle_need);
	to->last_session_s = larger(to->last_session_s, LOAD(from->last_session_s));
	to->answered += LOAD(from->answered);
	to->failed += LOAD(from->failed);
	to->answered_us += LOAD(from->answered_us);
	to->latency = larger(to->latency, LOAD(from->latency)); /* the later one */
	times_join(&to->times, &from->times);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void listener_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct listener_tally *to = to_tally;
	const struct listener_tally *from = from_tally;

	to->current += LOAD(from->current);
	counters_join(&to->counters, &from->counters, now_ms);
}

static void global_join(void *to_tally, const void *from_tally, uint64_t now_ms)
{
	struct global_tally *to = to_tally;
	const struct global_tally *from = from_tally;

	to->current += LOAD(from->current);
	to->cum_conns += LOAD(from->cum_conns);
	to->cum_sessions += LOAD(from->cum_sessions);
	to->cum_requests += LOAD(from->cum_requests);
	to->bytes_out += LOAD(from->bytes_out);
	to->accept_failures += LOAD(from->accept_failures);
	to->no_memory += LOAD(from->no_memory);
	for (unsigned i = 0; i < TALLY_COUNTED; i++)
		to->counted[i] += LOAD(from->counted[i]);
	for (unsigned i = 0; i < TALLY_NOW; i++)
		to->now[i] += LOAD(from->now[i]);
	tally_join_rate(&to->conn_rate, &from->conn_rate, now_ms);
	tally_join_rate(&to->sess_rate, &from->sess_rate, now_ms);
	tally_join_rate(&to->bytes_out_rate, &from->bytes_out_rate, now_ms);
	tally_join_rate(&to->comp_in_rate, &from->comp_in_rate, now_ms);
	tally_join_rate(&to->comp_out_rate, &from->comp_out_rate, now_ms);
	to->tls_current += LOAD(from->tls_current);
	to->cum_tls += LOAD(from->cum_tls);
	tally_join_rate(&to->tls_rate, &from->tls_rate, now_ms);
	tally_join_rate(&to->tls_front_keys, &from->tls_front_keys, now_ms);
	tally_join_rate(&to->tls_back_keys, &from->tls_back_keys, now_ms);
}

static void join_nothing(void *to, const void *from, uint64_t now_ms)
{
	(void)to, (void)from, (void)now_ms;
}

/* By the kind of slot. */
static const struct {
	size_t size;
	join_tally *join;
} tallies[SLOT_KINDS] = {
	[SLOT_GLOBAL] = { sizeof(struct global_tally), global_join },
	[SLOT_FRONTEND] = { sizeof(struct proxy_tally), proxy_join },
	[SLOT_BACKEND] = { sizeof(struct proxy_tally), proxy_join },
	[SLOT_SERVER] = { sizeof(struct server_tally), server_join },
	[SLOT_LISTENER] = { sizeof(struct listener_tally), listener_join },
	[SLOT_RETIRED] = { 0, join_nothing }, /* its object has gone, and its counts with it */
};

size_t tally_size(enum segment_kind kind)
{
	return tallies[kind].size;
}

void tally_join(enum segment_kind kind, void *to, const void *from, uint64_t now_ms)
{
	tallies[kind].join(to, from, now_ms);
}
