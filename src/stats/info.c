/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills the lines of "show info" from the counters of all layers. Called by the stats socket;
 * it changes nothing but its own memory of the last time that it was asked, from which the
 * share of idle time follows.
 */
#include "stats/info.h"

#include "base/clock.h"
#include "base/pool.h"
#include "base/version.h"
#include "event/change.h"
#include "event/loop.h"
#include "event/poller.h"
#include "event/timer.h"
#include "expr/regex.h"
#include "expr/state.h"
#include "h2/conn.h"
#include "kernel/kernel.h"
#include "log/log.h"
#include "net/listener.h"
#include "peers/peers.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/proxy.h"
#include "relay/pipe.h"
#include "relay/pump.h"
#include "session/handshake.h"
#include "share/segment.h"
#include "stream/stream.h"
#include "tally/tally.h"
#include "tls/conn.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

const struct stats_field info_fields[INFO_FIELDS] = {
#define FIELD(id, name, tags, help) { name, tags, help },
#define HOLE(id) { NULL, NULL, NULL },
#include "stats/info_fields.def"
#undef FIELD
#undef HOLE
};

struct info_conf info_conf;

/* -- what layers count in memory of their own, of all processes ------------------------------ */

/* COUNTED(name, value): since the start; the names of tally/counted.def. */
#define INFO_COUNTED_LIST \
	COUNTED(COPIED, relay_stats.copied) COUNTED(SPLICED, relay_stats.spliced) \
	COUNTED(PULLS, relay_stats.pulls) COUNTED(PUSHES, relay_stats.pushes) \
	COUNTED(GATHERED, relay_stats.gathered) \
	COUNTED(READS, relay_stats.reads) COUNTED(WRITES, relay_stats.writes) \
	COUNTED(REFUSED, relay_stats.fallback_refused) \
	COUNTED(HIDDEN, relay_stats.fallback_hidden) \
	COUNTED(URGENT, relay_stats.fallback_urgent) \
	COUNTED(NO_PIPE, relay_stats.fallback_no_pipe) \
	COUNTED(PIPES_TAKEN, pipe_stats.taken) COUNTED(PIPES_NONE, pipe_stats.none) \
	COUNTED(PIPES_DIRTY, pipe_stats.dirty) COUNTED(PIPES_FAILED, pipe_stats.failed) \
	COUNTED(LOGS_DROPPED, log_stats.dropped) COUNTED(REGEX_GIVEN_UP, regex_given_up) \
	COUNTED(HEADERS_TAKEN, handshake_stats.taken) \
	COUNTED(HEADERS_REFUSED, handshake_stats.refused) \
	COUNTED(KERNEL_TLS, tls_stats.kernel) \
	COUNTED(EARLY_TAKEN, tls_stats.early) COUNTED(EARLY_REPEATED, tls_stats.early_refused) \
	COUNTED(EARLY_SENT, tls_stats.said_early) \
	COUNTED(EARLY_REJECTED, tls_stats.said_early_refused) \
	COUNTED(TLS_LOOKUPS, tls_cache_stats.lookups) COUNTED(TLS_MISSES, tls_cache_stats.misses) \
	COUNTED(H2_FE_CONNECTED, h2_all.clients.connected) \
	COUNTED(H2_FE_STREAMS, h2_all.clients.opened) \
	COUNTED(H2_FE_REFUSED, h2_all.clients.refused) \
	COUNTED(H2_FE_RESET, h2_all.clients.reset) \
	COUNTED(H2_FE_GLITCHES, h2_all.clients.glitches) \
	COUNTED(H2_BE_CONNECTED, h2_all.servers.connected) \
	COUNTED(H2_BE_STREAMS, h2_all.servers.opened) \
	COUNTED(H2_BE_REFUSED, h2_all.servers.refused) \
	COUNTED(H2_BE_RESET, h2_all.servers.reset) \
	COUNTED(H2_BE_GLITCHES, h2_all.servers.glitches) \
	COUNTED(KERNEL_RELAYS, kernel_stats.relays) \
	COUNTED(KERNEL_BYTES, kernel_stats.bytes) \
	COUNTED(KERNEL_PASSED, kernel_stats.passed) \
	COUNTED(KERNEL_UNFIT, kernel_stats.unfit) \
	COUNTED(KERNEL_NO_PLACE, kernel_stats.no_place) \
	COUNTED(KERNEL_REFUSED, kernel_stats.refused) \
	COUNTED(KERNEL_BEHIND, kernel_stats.behind) \
	COUNTED(KERNEL_BULK, kernel_stats.bulk) \
	COUNTED(KERNEL_UNPROFITABLE, kernel_stats.unprofitable) \
	COUNTED(KERNEL_MESSAGES, kernel_stats.messages) \
	COUNTED(KERNEL_FAULTS, kernel_stats.faults)

#define COUNTED(name, value) + 1
_Static_assert(0 INFO_COUNTED_LIST + 1 == TALLY_COUNTED, "a name without a value");
#undef COUNTED

static void info_collect(uint64_t counted[TALLY_COUNTED], uint64_t now[TALLY_NOW])
{
	const struct peers_totals peers = peers_totals();

	kernel_count();
#define COUNTED(name, value) counted[COUNTED_##name] = value;
	INFO_COUNTED_LIST
#undef COUNTED
	for (const struct pool *p = pool_first(); p; p = p->next) {
		now[NOW_POOL_ALLOCATED] += p->allocated * p->size;
		now[NOW_POOL_USED] += p->used * p->size;
		counted[COUNTED_POOL_FAILED] += p->failed;
	}
	now[NOW_PIPES_USED] = pipe_stats.used;
	now[NOW_PIPES_FREE] = pipe_stats.free;
	now[NOW_PIPES_HIGH] = pipe_stats.high_water;
	now[NOW_STREAMS] = streams_count;
	now[NOW_TASKS] = tasks_queued();
	now[NOW_TIMERS] = timer_count();
	now[NOW_TLS_RESTING] = tls_stats.folded;
	now[NOW_H2_FE_CONNS] = h2_all.clients.connections;
	now[NOW_H2_FE_STREAMS] = h2_all.clients.streams;
	now[NOW_H2_BE_CONNS] = h2_all.servers.connections;
	now[NOW_H2_BE_STREAMS] = h2_all.servers.streams;
	now[NOW_PEERS_CONNECTED] = peers.connected;
	now[NOW_PEERS_ACTIVE] = peers.active;
}

void info_begin(void)
{
	tally_collect = info_collect;
}

/* -- pieces ---------------------------------------------------------------------------------- */

/* The node's name unless one is given. */
const char *info_node_name(void)
{
	static char name[256];

	if (info_conf.node)
		return info_conf.node;
	if (gethostname(name, sizeof(name) - 1))
		return "";
	return name;
}

/* Without a parent there is one, number 1. */
static void info_fill_workers(struct stats_value *v)
{
	uint32_t number = 0, count = 0;
	const struct segment_row *row, *own;
	unsigned i;

	if (change_is_shared()) {
		own = segment_row(segment, segment_own_row);
		number = atomic_load(&own->number);
		for (i = 1; i < segment_rows(segment); i++) {
			row = segment_row(segment, i);
			count += atomic_load(&row->taken) &&
				 atomic_load(&row->generation) == atomic_load(&own->generation);
		}
	}
	v[INFO_NBPROC] = stats_u32(count ? count : 1);
	v[INFO_PROCESS_NUM] = stats_u32(number ? number : 1);
}

static void info_fill_process(struct info *info, bool as_float)
{
	uint64_t up_ms = clock_now_ms - global_state->start_ms, up = up_ms / 1000;
	struct stats_value *v = info->values;
	char text[64];

	/* Tools refuse to talk to anything that is not named HAProxy. */
	v[INFO_NAME] = stats_const("HAProxy");
	v[INFO_VERSION] = stats_const(version_for_tools);
	snprintf(text, sizeof(text), "Penstock %s", version_penstock);
	v[INFO_BUILD_INFO] = stats_str(&info->strings, text);
	v[INFO_RELEASE_DATE] = stats_const(version_date);
	v[INFO_NBTHREAD] = stats_u32(1);
	info_fill_workers(v);
	v[INFO_PID] = stats_u32((uint64_t)getpid());
	snprintf(text, sizeof(text), "%ud %uh%02um%02us", (unsigned)(up / 86400),
		 (unsigned)(up / 3600 % 24), (unsigned)(up / 60 % 60), (unsigned)(up % 60));
	v[INFO_UPTIME] = stats_str(&info->strings, text);
	v[INFO_UPTIME_SEC] = as_float ? stats_flt((double)up_ms / 1e3) : stats_u32(up);
	v[INFO_START_TIME_SEC] = as_float ? stats_flt((double)global_state->start_wall_us / 1e6)
					  : stats_u32(global_state->start_wall_us / 1000000);
	v[INFO_NODE] = stats_str(&info->strings, info_node_name());
	v[INFO_DESCRIPTION] = stats_str(&info->strings, info_conf.description);
	v[INFO_STOPPING] = stats_u32(global_state->stopping || expr_process.leaving);
	v[INFO_TAINTED] = stats_const("0");
}

static void info_fill_memory(struct info *info, const struct global_tally *sum, bool as_float)
{
	uint64_t allocated = sum->now[NOW_POOL_ALLOCATED], used = sum->now[NOW_POOL_USED];
	struct stats_value *v = info->values;
	const double mb = 1 << 20;

	v[INFO_MEMMAX_MB] = stats_u32(info_conf.memmax_mb);
	v[INFO_MEMMAX_BYTES] = stats_u64((uint64_t)info_conf.memmax_mb << 20);
	v[INFO_POOL_ALLOC_MB] = as_float ? stats_flt((double)allocated / mb)
					 : stats_u32(allocated >> 20);
	v[INFO_POOL_USED_MB] = as_float ? stats_flt((double)used / mb)
					: stats_u32(used >> 20);
	v[INFO_POOL_FAILED] = stats_u32(sum->counted[COUNTED_POOL_FAILED]);
	v[INFO_POOL_ALLOC_BYTES] = stats_u64(allocated);
	v[INFO_POOL_USED_BYTES] = stats_u64(used);
}

static void info_fill_limits(struct info *info)
{
	struct stats_value *v = info->values;

	v[INFO_ULIMIT_N] = stats_u32(limits.ulimit_told);
	v[INFO_MAXSOCK] = stats_u32(limits.maxsock);
	v[INFO_MAXCONN] = stats_u32(global_state->maxconn);
	v[INFO_HARD_MAXCONN] = stats_u32(limits.hard_maxconn);
	v[INFO_CONN_RATE_LIMIT] = stats_u32(global_state->maxconn_rate);
	v[INFO_SESS_RATE_LIMIT] = stats_u32(global_state->maxsess_rate);
	v[INFO_COMP_BPS_LIM] = stats_u32((uint64_t)global_state->max_comp_rate * 1024);
}

static unsigned info_count_listeners(void)
{
	const struct list *lists[] = { &proxies_running->list, &proxies_running->stats_frontends,
				       &proxies_running->peers };
	const struct bind_conf *bind;
	const struct listener *l;
	const struct proxy *px;
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		list_for_each(px, lists[i], node) {
			list_for_each(bind, &px->binds, node) {
				list_for_each(l, &bind->listeners, node)
					n += l->state != LISTENER_NEW &&
					     l->state != LISTENER_CLOSED;
			}
		}
	}
	return n;
}

static void info_fill_connections(struct info *info, const struct global_tally *sum)
{
	struct stats_value *v = info->values;
	unsigned listeners = proxies_running ? info_count_listeners() : 0;

	v[INFO_CURR_CONNS] = stats_u32(sum->current);
	v[INFO_CUM_CONNS] = stats_u32(sum->cum_conns);
	v[INFO_CUM_REQ] = stats_u32(sum->cum_requests);
	v[INFO_CONN_RATE] = stats_u32(rate_read(&sum->conn_rate, clock_now_ms));
	v[INFO_MAX_CONN_RATE] = stats_u32(sum->conn_rate.max);
	v[INFO_SESS_RATE] = stats_u32(rate_read(&sum->sess_rate, clock_now_ms));
	v[INFO_MAX_SESS_RATE] = stats_u32(sum->sess_rate.max);
	v[INFO_LISTENERS] = stats_u32(listeners);
	v[INFO_JOBS] = stats_u32(listeners + sum->now[NOW_STREAMS]);
	v[INFO_UNSTOPPABLE_JOBS] = stats_u32(0);
	v[INFO_DROPPED_LOGS] = stats_u32(sum->counted[COUNTED_LOGS_DROPPED]);
	v[INFO_REGEX_GIVEN_UP] = stats_u64(sum->counted[COUNTED_REGEX_GIVEN_UP]);
}

/* Idle time: what the process did not spend on work since the last question that is at
 * least a second old; since the start at first. */
static unsigned info_idle_percent(void)
{
	static uint64_t old_us, old_cpu_us, last_us, last_cpu_us;
	uint64_t now_us = clock_read_us(), cpu_us = poller_busy_us(), elapsed, busy;

	if (!last_us)
		last_us = old_us = global_state->start_ms * 1000;
	if (now_us >= last_us + 1000000) {
		old_us = last_us;
		old_cpu_us = last_cpu_us;
		last_us = now_us;
		last_cpu_us = cpu_us;
	}
	elapsed = now_us - old_us;
	busy = cpu_us - old_cpu_us;
	return elapsed <= busy ? 0 : (unsigned)(100 - busy * 100 / elapsed);
}

static void info_fill_loop(struct info *info, const struct global_tally *sum)
{
	struct stats_value *v = info->values;

	v[INFO_TASKS] = stats_u32(sum->now[NOW_TASKS] + sum->now[NOW_TIMERS]);
	v[INFO_ACTIVE_PEERS] = stats_u32(sum->now[NOW_PEERS_ACTIVE]);
	v[INFO_CONNECTED_PEERS] = stats_u32(sum->now[NOW_PEERS_CONNECTED]);
	v[INFO_RUN_QUEUE] = stats_u32(sum->now[NOW_TASKS]);
	v[INFO_IDLE_PCT] = stats_u32(info_idle_percent());
	v[INFO_BUSY_POLLING] = stats_u32(loop_is_busy());
}

static void info_fill_bytes(struct info *info, const struct global_tally *sum)
{
	const uint64_t *counted = sum->counted;
	struct stats_value *v = info->values;

	v[INFO_TOTAL_BYTES_OUT] = stats_u64(counted[COUNTED_COPIED] + counted[COUNTED_SPLICED]);
	v[INFO_TOTAL_SPLICED_OUT] = v[INFO_BYTES_SPLICED] = stats_u64(counted[COUNTED_SPLICED]);
	v[INFO_BYTES_OUT_RATE] =
		stats_u64(rate_read(&sum->bytes_out_rate, clock_now_ms) * 32);
	v[INFO_COMP_BPS_IN] = stats_u32(rate_read(&sum->comp_in_rate, clock_now_ms));
	v[INFO_COMP_BPS_OUT] = stats_u32(rate_read(&sum->comp_out_rate, clock_now_ms));
	v[INFO_BYTES_COPIED] = stats_u64(counted[COUNTED_COPIED]);
	v[INFO_SPLICE_PULLS] = stats_u64(counted[COUNTED_PULLS]);
	v[INFO_SPLICE_PUSHES] = stats_u64(counted[COUNTED_PUSHES]);
	v[INFO_SPLICE_GATHERED] = stats_u64(counted[COUNTED_GATHERED]);
	v[INFO_COPY_READS] = stats_u64(counted[COUNTED_READS]);
	v[INFO_COPY_WRITES] = stats_u64(counted[COUNTED_WRITES]);
	v[INFO_FALLBACK_REFUSED] = stats_u64(counted[COUNTED_REFUSED]);
	v[INFO_FALLBACK_HIDDEN] = stats_u64(counted[COUNTED_HIDDEN]);
	v[INFO_FALLBACK_URGENT] = stats_u64(counted[COUNTED_URGENT]);
	v[INFO_FALLBACK_NO_PIPE] = stats_u64(counted[COUNTED_NO_PIPE]);
	v[INFO_HEADERS_TAKEN] = stats_u64(counted[COUNTED_HEADERS_TAKEN]);
	v[INFO_HEADERS_REFUSED] = stats_u64(counted[COUNTED_HEADERS_REFUSED]);
	v[INFO_KERNEL_TLS] = stats_u64(counted[COUNTED_KERNEL_TLS]);
	v[INFO_TLS_RESTING] = stats_u32(sum->now[NOW_TLS_RESTING]);
	v[INFO_EARLY_TAKEN] = stats_u64(counted[COUNTED_EARLY_TAKEN]);
	v[INFO_EARLY_REPEATED] = stats_u64(counted[COUNTED_EARLY_REPEATED]);
	v[INFO_EARLY_SENT] = stats_u64(counted[COUNTED_EARLY_SENT]);
	v[INFO_EARLY_REJECTED] = stats_u64(counted[COUNTED_EARLY_REJECTED]);
}

static void info_fill_kernel(struct info *info, const uint64_t counted[TALLY_COUNTED])
{
	struct stats_value *v = info->values;

	v[INFO_KERNEL_RELAYS] = stats_u64(counted[COUNTED_KERNEL_RELAYS]);
	v[INFO_KERNEL_BYTES] = stats_u64(counted[COUNTED_KERNEL_BYTES]);
	v[INFO_KERNEL_PASSED] = stats_u64(counted[COUNTED_KERNEL_PASSED]);
	v[INFO_KERNEL_UNFIT] = stats_u64(counted[COUNTED_KERNEL_UNFIT]);
	v[INFO_KERNEL_NO_PLACE] = stats_u64(counted[COUNTED_KERNEL_NO_PLACE]);
	v[INFO_KERNEL_REFUSED] = stats_u64(counted[COUNTED_KERNEL_REFUSED]);
	v[INFO_KERNEL_BEHIND] = stats_u64(counted[COUNTED_KERNEL_BEHIND]);
	v[INFO_KERNEL_FAULTS] = stats_u64(counted[COUNTED_KERNEL_FAULTS]);
	v[INFO_KERNEL_BULK] = stats_u64(counted[COUNTED_KERNEL_BULK]);
	v[INFO_KERNEL_UNPROFITABLE] = stats_u64(counted[COUNTED_KERNEL_UNPROFITABLE]);
	v[INFO_KERNEL_MESSAGES] = stats_u64(counted[COUNTED_KERNEL_MESSAGES]);
}

static void info_fill_pipes(struct info *info, const struct global_tally *sum)
{
	const uint64_t *counted = sum->counted;
	struct stats_value *v = info->values;

	v[INFO_MAXPIPES] = stats_u32(pipe_stats.max);
	v[INFO_PIPES_USED] = stats_u32(sum->now[NOW_PIPES_USED]);
	v[INFO_PIPES_FREE] = stats_u32(sum->now[NOW_PIPES_FREE]);
	v[INFO_PIPES_HIGH_WATER] = stats_u32(sum->now[NOW_PIPES_HIGH]);
	v[INFO_PIPES_SIZE] = stats_u64(pipe_stats.size);
	v[INFO_PIPES_TAKEN] = stats_u64(counted[COUNTED_PIPES_TAKEN]);
	v[INFO_PIPES_NONE] = stats_u64(counted[COUNTED_PIPES_NONE]);
	v[INFO_PIPES_DIRTY] = stats_u64(counted[COUNTED_PIPES_DIRTY]);
	v[INFO_PIPES_FAILED] = stats_u64(counted[COUNTED_PIPES_FAILED]);
}

static void info_fill_tls(struct info *info, const struct global_tally *sum)
{
	uint64_t rate = rate_read(&sum->tls_rate, clock_now_ms);
	uint64_t keys = rate_read(&sum->tls_front_keys, clock_now_ms);
	struct stats_value *v = info->values;

	v[INFO_MAX_SSL_CONNS] = stats_u32(global_state->max_tls);
	v[INFO_CURR_SSL_CONNS] = stats_u32(sum->tls_current);
	v[INFO_CUM_SSL_CONNS] = stats_u32(sum->cum_tls);
	v[INFO_SSL_RATE] = stats_u32(rate);
	v[INFO_SSL_RATE_LIMIT] = stats_u32(global_state->max_tls_rate);
	v[INFO_MAX_SSL_RATE] = stats_u32(sum->tls_rate.max);
	v[INFO_SSL_FRONT_KEY_RATE] = stats_u32(keys);
	v[INFO_SSL_FRONT_MAX_KEY_RATE] = stats_u32(sum->tls_front_keys.max);
	v[INFO_SSL_FRONT_REUSE] = stats_u32(keys < rate ? (rate - keys) * 100 / rate : 0);
	v[INFO_SSL_BACK_KEY_RATE] = stats_u32(rate_read(&sum->tls_back_keys, clock_now_ms));
	v[INFO_SSL_BACK_MAX_KEY_RATE] = stats_u32(sum->tls_back_keys.max);
	v[INFO_SSL_CACHE_LOOKUPS] = stats_u32(sum->counted[COUNTED_TLS_LOOKUPS]);
	v[INFO_SSL_CACHE_MISSES] = stats_u32(sum->counted[COUNTED_TLS_MISSES]);
}

static void info_fill_h2(struct info *info, const struct global_tally *sum)
{
	const uint64_t *counted = sum->counted;
	struct stats_value *v = info->values;

#define SIDE(side)                                                              \
	v[INFO_H2_##side##_CURR_CONNS] = stats_u32(sum->now[NOW_H2_##side##_CONNS]);     \
	v[INFO_H2_##side##_CUM_CONNS] = stats_u64(counted[COUNTED_H2_##side##_CONNECTED]); \
	v[INFO_H2_##side##_CURR_STREAMS] = stats_u32(sum->now[NOW_H2_##side##_STREAMS]); \
	v[INFO_H2_##side##_CUM_STREAMS] = stats_u64(counted[COUNTED_H2_##side##_STREAMS]); \
	v[INFO_H2_##side##_REFUSED] = stats_u64(counted[COUNTED_H2_##side##_REFUSED]);   \
	v[INFO_H2_##side##_RESET] = stats_u64(counted[COUNTED_H2_##side##_RESET]);       \
	v[INFO_H2_##side##_GLITCHES] = stats_u64(counted[COUNTED_H2_##side##_GLITCHES])
	SIDE(FE);
	SIDE(BE);
#undef SIDE
}

/* What this build has not: there is none of it, and none is allowed. */
static void info_fill_absent(struct info *info)
{
	static const enum info_field absent[] = {
		INFO_FAILED_RESOLUTIONS,  INFO_DEBUG_COMMANDS,         INFO_CUM_RECV_LOGS,
	};

	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		info->values[absent[i]] = stats_u32(0);
}

void info_fill(struct info *info, bool as_float)
{
	struct global_tally sum;

	info_begin();
	global_sum(&sum);
	memset(info, 0, sizeof(*info));
	info_fill_process(info, as_float);
	info_fill_memory(info, &sum, as_float);
	info_fill_limits(info);
	info_fill_connections(info, &sum);
	info_fill_loop(info, &sum);
	info_fill_bytes(info, &sum);
	info_fill_pipes(info, &sum);
	info_fill_kernel(info, sum.counted);
	info_fill_tls(info, &sum);
	info_fill_h2(info, &sum);
	info_fill_absent(info);
}
