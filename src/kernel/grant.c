/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program may pass on of a direction that the kernel has (kernel/way.h), and whether
 * it had better have it no more: because it has turned to bulk, or because nothing is won. */
#include "kernel/way.h"

#include "base/clock.h"

#include <linux/sock_diag.h>
#include <sys/socket.h>

enum { LEAVE_TRIES = 200 }; /* a millisecond each */

static struct kernel_lesson lesson;

bool kernel_tries(void)
{
	return kernel_lesson_tries(&lesson);
}

void kernel_leave_begin(struct kernel_relay *k, uint64_t *cause)
{
	int i;

	if (k->leaving || clock_now_ms < k->leave_ms)
		return;
	for (i = 0; i < 2; i++)
		if (!k->ways[i].pump || k->ways[i].braked || k->ways[i].excess)
			return;
	k->leaving = true;
	k->leave_cause = cause;
	k->leave_tries = LEAVE_TRIES;
	for (i = 0; i < 2; i++)
		__atomic_store_n(&k->ways[i].route->bytes_until, 0, __ATOMIC_RELEASE);
	timer_set_by(&k->timer, clock_now_ms);
}

/* Option kernel-relay auto: a byte of it has taken so long before, and takes so long now. */
static void kernel_judge(struct kernel_relay *k)
{
	uint64_t moved = way_shared(&k->ways[0].route->relayed) +
			 way_shared(&k->ways[1].route->relayed);
	uint64_t ms = clock_now_ms - k->judge_ms;

	if (ms < KERNEL_JUDGED_MS || moved < k->judge_least)
		return;
	if (!kernel_lesson_pays(&lesson, k->judge_ps, ms * 1000000000 / moved))
		kernel_leave_begin(k, &kernel_stats.unprofitable);
	k->judge_ps = 0;
}

static bool way_memory(const struct kernel_way *way, uint64_t *size, uint64_t *queued)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(memory);

	if (!way->pump->to->ops || getsockopt(end_socket(way->pump->to)->src.fd, SOL_SOCKET,
					      SO_MEMINFO, memory, &len))
		return false;
	*size = memory[SK_MEMINFO_SNDBUF];
	*queued = memory[SK_MEMINFO_WMEM_QUEUED];
	return true;
}

/* Of the segments before, only what has reached the queue is known to take no memory of its own. */
static void way_grant_segments(struct kernel_way *way, uint64_t relayed, uint64_t segments,
			       uint64_t credit)
{
	if (way->left >= way->mark_relayed) {
		way->seen_segments = way->mark_segments;
		way->mark_relayed = relayed;
		way->mark_segments = segments;
	}
	if (way->left >= relayed)
		way->seen_segments = segments;
	way->route->segments_low = way->seen_segments + credit / 2;
	__atomic_store_n(&way->route->segments_until, way->seen_segments + credit,
			 __ATOMIC_RELEASE);
}

/* True: copies, or better pipes, are faster. */
static bool way_is_bulk(struct kernel_way *way, uint64_t relayed, bool behind)
{
	const struct kernel_way *other = &way->owner->ways[!way->pump->is_response];
	uint64_t answers = other->pump ? way_shared(&other->route->segments) : 0;

	if (!kernel_is_bulk(&way->bulk, kernel_weight(relayed, way_sent(way)), answers,
			    clock_now_ms))
		return false;
	if (!behind)
		kernel_leave_begin(way->owner, &kernel_stats.bulk);
	return true;
}

void way_grant(struct kernel_way *way)
{
	struct sockmap_route *route = way->route;
	uint64_t segments = way_shared(&route->segments), relayed = way_shared(&route->relayed);
	uint64_t acked, ahead, credit, size, queued, pending;
	struct tcp_info info;

	if (!way->synced)
		return;
	if (way->owner->judge_ps)
		kernel_judge(way->owner);
	way_look(way, &info);
	if (!way_memory(way, &size, &queued))
		return;
	acked = info.tcpi_bytes_acked - way->acked_base;
	ahead = kernel_ahead(relayed + way_sent(way), acked);
	pending = relayed > way->left ? relayed - way->left : 0;
	credit = kernel_credit(size, queued, pending, ahead);
	kernel_stats.behind += !credit;
	if (way_is_bulk(way, relayed, !credit) || way->owner->leaving)
		credit = 0;
	route->bytes_low = relayed + credit / 2;
	__atomic_store_n(&route->bytes_until, relayed + credit, __ATOMIC_RELEASE);
	way_grant_segments(way, relayed, segments, kernel_segments(size, queued, pending));
}
