/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of what a stream has cost so far: in how many turns of the loop its steps ran, for how
 * long, and how long it waited for others in them (manual 7.3.2). Times while profiling.tasks
 * measures, else 0. */
#include "event/profile.h"
#include "expr/tables.h"
#include "expr/view.h"
#include "proxy/proxy.h"

enum { CALLS, CPU_TOTAL, CPU_MEAN, WAITED_TOTAL, WAITED_MEAN };

/* Somebody counts only where somebody asks. */
static int check_calls(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)args;
	(void)err;
	if (ctx->cfg)
		((struct proxies *)config_data(ctx->cfg, &proxy_module))->global.counts_calls = true;
	return 0;
}

/* With what has passed of the present call. The clock is read once a call, when it is first asked
 * for: numbers that stand side by side are of one moment, and the mean is the total divided. */
static uint64_t cpu_so_far(struct view_treatment *t)
{
	if (!t->began_ns)
		return t->cpu_ns;
	if (!t->asked_ns)
		t->asked_ns = profile_now_ns();
	return t->cpu_ns + t->asked_ns - t->began_ns;
}

static uint64_t number_of(int which, struct view_treatment *t)
{
	switch (which) {
	case CALLS:
		return t->calls;
	case CPU_TOTAL:
		return cpu_so_far(t);
	case CPU_MEAN:
		return cpu_so_far(t) / t->calls;
	case WAITED_TOTAL:
		return t->lat_ns;
	default:
		return t->lat_ns / t->calls;
	}
}

static enum expr_result fetch_cost(struct fetch_call *call, struct sample *smp)
{
	struct view_treatment *t = call->view->treatment;

	smp->num = t && t->calls ? (int64_t)number_of(call->row->data, t) : 0;
	return EXPR_FOUND;
}

const struct fetch fetch_times[] = {
	{ "cpu_calls", { 0 }, SMP_INT, FROM_CONNECTION, fetch_cost, check_calls, .data = CALLS,
	  .help = "in how many turns of the loop something was done for the stream" },
	{ "cpu_ns_avg", { 0 }, SMP_INT, FROM_CONNECTION, fetch_cost, .data = CPU_MEAN,
	  .help = "mean time of one of them, nanoseconds, while profiling.tasks measures" },
	{ "cpu_ns_tot", { 0 }, SMP_INT, FROM_CONNECTION, fetch_cost, .data = CPU_TOTAL,
	  .help = "time of all of them, nanoseconds, while profiling.tasks measures" },
	{ "lat_ns_avg", { 0 }, SMP_INT, FROM_CONNECTION, fetch_cost, .data = WAITED_MEAN,
	  .help = "mean time that the stream waited for others in a turn, nanoseconds" },
	{ "lat_ns_tot", { 0 }, SMP_INT, FROM_CONNECTION, fetch_cost, .data = WAITED_TOTAL,
	  .help = "time that the stream waited for others in all turns, nanoseconds" },
	{ 0 },
};
