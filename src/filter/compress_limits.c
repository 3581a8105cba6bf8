/* SPDX-License-Identifier: BSD-2-Clause */
/* How much may be compressed now: "maxcomprate", of all processes together, and "maxcompcpuusage",
 * of this one. Asked by deflater.c before each response and each piece; numbers and a clock, no
 * zlib. */
#include "filter/deflater.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "tally/tally.h"

#include "base/clock.h"
#include "event/poller.h"

enum { SAMPLE_MS = 250 };

/* Of one processor, over the last whole sample; a sample ends when somebody asks. */
static unsigned cpu_percent(void)
{
	static uint64_t before_ms, before_cpu_us;
	static unsigned percent;
	uint64_t age = clock_now_ms - before_ms, now;

	if (age < SAMPLE_MS)
		return percent;
	now = poller_busy_us();
	percent = before_ms ? (unsigned)((now - before_cpu_us) / 10 / age) : 0;
	before_ms = clock_now_ms;
	before_cpu_us = now;
	return percent;
}

bool compress_exceeds(void)
{
	if (global_state->max_comp_rate &&
	    rate_sum(&global_tally->comp_in_rate) > (uint64_t)global_state->max_comp_rate * 1024)
		return true;
	return global_state->max_comp_cpu < 100 && cpu_percent() > global_state->max_comp_cpu;
}

void compress_count(size_t in, size_t out)
{
	rate_add(&global_tally->comp_in_rate, clock_now_ms, in);
	rate_add(&global_tally->comp_out_rate, clock_now_ms, out);
}
