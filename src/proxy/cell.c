/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of cells: each member by name, place and size. A member that is forgotten here is seen
 * by the size of its structure, unless it fills a gap.
 */
#include "proxy/cell.h"

#include "base/bug.h"
#include "share/region.h"

/* To be raised when a member changes its meaning, but neither name, place nor size. */
enum { CELL_VERSION = 4 };

#define SIZE REGION_SIZE
#define MEMBER REGION_MEMBER

static const struct region_member members[] = {
	SIZE(struct rate), MEMBER(struct rate, period_start), MEMBER(struct rate, current),
	MEMBER(struct rate, previous), MEMBER(struct rate, max), MEMBER(struct rate, top),
	SIZE(struct mean), MEMBER(struct mean, sum), MEMBER(struct mean, samples),
	MEMBER(struct mean, max),
	SIZE(struct times), MEMBER(struct times, queue), MEMBER(struct times, connect),
	MEMBER(struct times, response), MEMBER(struct times, total),
	SIZE(struct counters),
#define COUNTER(name, text) MEMBER(struct counters, name),
#include "tally/counters.def"
#undef COUNTER
	MEMBER(struct counters, session_rate), MEMBER(struct counters, connection_rate),
	MEMBER(struct counters, request_rate), MEMBER(struct counters, connections_top),
	MEMBER(struct counters, queue_top),
	SIZE(struct listener_tally), MEMBER(struct listener_tally, current),
	MEMBER(struct listener_tally, counters),
	SIZE(struct server_tally), MEMBER(struct server_tally, current),
	MEMBER(struct server_tally, queued), MEMBER(struct server_tally, taken),
	MEMBER(struct server_tally, chosen), MEMBER(struct server_tally, first_waiter),
	MEMBER(struct server_tally, idle), MEMBER(struct server_tally, idle_safe),
	MEMBER(struct server_tally, idle_need), MEMBER(struct server_tally, ended),
	MEMBER(struct server_tally, last_session_s), MEMBER(struct server_tally, latency),
	MEMBER(struct server_tally, answered), MEMBER(struct server_tally, failed),
	MEMBER(struct server_tally, answered_us),
	MEMBER(struct server_tally, times), MEMBER(struct server_tally, counters),
	SIZE(struct proxy_tally), MEMBER(struct proxy_tally, current),
	MEMBER(struct proxy_tally, queued), MEMBER(struct proxy_tally, total_queued),
	MEMBER(struct proxy_tally, served), MEMBER(struct proxy_tally, retrying),
	MEMBER(struct proxy_tally, admitting), MEMBER(struct proxy_tally, ended),
	MEMBER(struct proxy_tally, chosen),
	MEMBER(struct proxy_tally, first_waiter), MEMBER(struct proxy_tally, last_session_s),
	MEMBER(struct proxy_tally, times), MEMBER(struct proxy_tally, log_lines),
	MEMBER(struct proxy_tally, h1),
	MEMBER(struct proxy_tally, h2), MEMBER(struct proxy_tally, counters),
	SIZE(struct h1_counts),
#define H1_COUNT(name, text) MEMBER(struct h1_counts, name),
#define H1_NOW(name, text) MEMBER(struct h1_counts, name),
#include "http/h1_counts.def"
#undef H1_COUNT
#undef H1_NOW
	SIZE(struct h2_counts),
#define H2_COUNT(name, text) MEMBER(struct h2_counts, name),
#define H2_NOW(name, text) MEMBER(struct h2_counts, name),
#include "http/h2_counts.def"
#undef H2_COUNT
#undef H2_NOW
	SIZE(struct global_tally), MEMBER(struct global_tally, current),
	MEMBER(struct global_tally, admitting), MEMBER(struct global_tally, cum_conns),
	MEMBER(struct global_tally, cum_sessions), MEMBER(struct global_tally, cum_requests),
	MEMBER(struct global_tally, conn_rate), MEMBER(struct global_tally, sess_rate),
	MEMBER(struct global_tally, tls_current), MEMBER(struct global_tally, cum_tls),
	MEMBER(struct global_tally, tls_rate), MEMBER(struct global_tally, tls_front_keys),
	MEMBER(struct global_tally, tls_back_keys), MEMBER(struct global_tally, bytes_out),
	MEMBER(struct global_tally, bytes_out_rate), MEMBER(struct global_tally, comp_in_rate),
	MEMBER(struct global_tally, comp_out_rate), MEMBER(struct global_tally, accept_failures),
	MEMBER(struct global_tally, no_memory), MEMBER(struct global_tally, counted),
	MEMBER(struct global_tally, now),
#define COUNTED(name) { "counted " #name, COUNTED_##name, 0 },
#define NOW(name) { "now " #name, NOW_##name, 0 },
#include "tally/counted.def"
#undef COUNTED
#undef NOW
	SIZE(struct fact_addr), MEMBER(struct fact_addr, family), MEMBER(struct fact_addr, port),
	MEMBER(struct fact_addr, scope_id), MEMBER(struct fact_addr, bytes),
	SIZE(struct fact_target), MEMBER(struct fact_target, addr),
	MEMBER(struct fact_target, conf_addr), MEMBER(struct fact_target, port),
	MEMBER(struct fact_target, conf_port),
	SIZE(struct fact_check), MEMBER(struct fact_check, status),
	MEMBER(struct fact_check, cause), MEMBER(struct fact_check, running),
	MEMBER(struct fact_check, error), MEMBER(struct fact_check, code),
	MEMBER(struct fact_check, duration_ms), MEMBER(struct fact_check, said),
	SIZE(struct check_facts), MEMBER(struct check_facts, sequence),
	MEMBER(struct check_facts, health), MEMBER(struct check_facts, agent_down),
	MEMBER(struct check_facts, check), MEMBER(struct check_facts, agent),
	SIZE(struct state_facts), MEMBER(struct state_facts, sequence),
	MEMBER(struct state_facts, op), MEMBER(struct state_facts, admin),
	MEMBER(struct state_facts, disabled), MEMBER(struct state_facts, check_paused),
	MEMBER(struct state_facts, agent_paused), MEMBER(struct state_facts, user_weight),
	MEMBER(struct state_facts, maxconn), MEMBER(struct state_facts, conf_weight),
	MEMBER(struct state_facts, conf_maxconn), MEMBER(struct state_facts, down_transitions),
	MEMBER(struct state_facts, changed_ms), MEMBER(struct state_facts, downtime_ms),
	MEMBER(struct state_facts, warm_ms), MEMBER(struct state_facts, eject_until_ms),
	MEMBER(struct state_facts, ejections),
	MEMBER(struct state_facts, addr),
	MEMBER(struct state_facts, conf_addr), MEMBER(struct state_facts, conf_name),
	MEMBER(struct state_facts, hostname), MEMBER(struct state_facts, check),
	MEMBER(struct state_facts, agent), MEMBER(struct state_facts, tls),
	MEMBER(struct state_facts, conf_tls), MEMBER(struct state_facts, port_follows),
	MEMBER(struct state_facts, conf_follows),
	SIZE(struct backend_facts), MEMBER(struct backend_facts, sequence),
	MEMBER(struct backend_facts, down_transitions), MEMBER(struct backend_facts, changed_ms),
	MEMBER(struct backend_facts, downtime_ms), MEMBER(struct backend_facts, unpublished),
	MEMBER(struct backend_facts, conf_unpublished),
	SIZE(struct server_cell), MEMBER(struct server_cell, tally),
	MEMBER(struct server_cell, checks), MEMBER(struct server_cell, state),
	MEMBER(struct server_cell, errors),
	SIZE(struct proxy_cell), MEMBER(struct proxy_cell, tally), MEMBER(struct proxy_cell, state),
	SIZE(union cell),
	{ "last status of checks", CHECK_PROCOK, 0 },
	{ "last state of servers", SERVER_STOPPING, 0 },
};

uint64_t cell_layout(void)
{
	return region_layout(CELL_VERSION, members, ARRAY_LEN(members));
}
