/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show startup-logs, threads, tasks, libs, cache: the program at work, for who looks for a fault. A
 * worker has one thread, so that the workers are the threads of "show threads".
 */
#include "base/clock.h"
#include "cli/program.h"
#include "cli/tables.h"
#include "event/loop.h"
#include "event/profile.h"
#include "event/timer.h"
#include "share/segment.h"
#include "stream/stream.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

/* -- show startup-logs ------------------------------------------------------------------------- */

const char *(*cli_startup_log)(void);

struct log_state {
	char *text; /* as it was when it was asked for */
	size_t said;
};

static int log_start(struct cli_call *call, struct err *err)
{
	struct log_state *state = CLI_STATE_OF(struct log_state, call);

	state->text = strdup(cli_startup_log ? cli_startup_log() : "");
	return state->text ? 0 : err_set(err, "Out of memory.");
}

static enum cli_step log_next(struct cli_call *call)
{
	struct log_state *state = CLI_STATE_OF(struct log_state, call);
	size_t len = strnlen(state->text + state->said, CLI_PIECE);

	text_add(call->out, state->text + state->said, len);
	state->said += len;
	return state->text[state->said] ? CLI_MORE : CLI_END;
}

static void log_end(struct cli_call *call)
{
	struct log_state *state = CLI_STATE_OF(struct log_state, call);

	if (state)
		free(state->text);
}

const struct cli_command cli_startup_commands[] = {
	{ .words = "show startup-logs", .level = LEVEL_OPERATOR, .start = log_start, .next = log_next,
	  .end = log_end, CLI_STATE(struct log_state),
	  .help = "report what was said at the start, or by the last reload that failed" },
	{ .words = NULL },
};

/* -- show threads ------------------------------------------------------------------------------ */

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* What it has, or had last, at hand; not the conversation that asks. */
static void say_last_stream(struct text *out)
{
	if (segment_own->at_hand.stream)
		text_printf(out, "             last_stream=%llu frontend=#%u\n",
			    (unsigned long long)segment_own->at_hand.stream,
			    (unsigned)segment_own->at_hand.frontend);
}

static int threads_start(struct cli_call *call, struct err *err)
{
	unsigned number = atomic_load(&segment_own->number);
	struct text *out = call->out;

	(void)err;
	text_printf(out, "  Thread %-2u: id=%d act=%d glob=0 wq=%d rq=%d tl=0 tlsz=0 rqsz=%u\n",
		    number ? number : 1, (int)getpid(), tasks_queued() > 0, timer_count() > 0,
		    tasks_queued() > 0, tasks_queued());
	text_printf(out, "      1/%-2u   stuck=0 prof=%d harmless=0 isolated=0\n", number ? number : 1,
		    profile_state.runs);
	text_printf(out, "             cpu_ns: now=%llu turns=%llu events=%llu\n",
		    (unsigned long long)cpu_ns(), (unsigned long long)loop_stats.turns,
		    (unsigned long long)loop_stats.events);
	text_printf(out, "             streams=%u sources=%u timers=%u\n", streams_count,
		    loop_stats.sources, timer_count());
	say_last_stream(out);
	return 0;
}

/* -- show tasks -------------------------------------------------------------------------------- */

struct task_kind {
	void (*run)(struct task *task);
	unsigned places;
};

enum { TASK_KINDS = 32 }; /* those beyond are counted in the last */

struct tasks_state {
	struct task_kind kinds[TASK_KINDS];
	unsigned count, total, said;
};

static void count_task(const struct task *task, void *arg)
{
	struct tasks_state *state = arg;
	unsigned i = 0;

	while (i < state->count && state->kinds[i].run != task->run)
		i++;
	if (i == TASK_KINDS)
		i--;
	if (i == state->count)
		state->kinds[state->count++].run = task->run;
	state->kinds[i].places++;
	state->total++;
}

static int by_places(const void *a, const void *b)
{
	const struct task_kind *x = a, *y = b;

	return x->places < y->places ? 1 : x->places > y->places ? -1 : 0;
}

static int tasks_start(struct cli_call *call, struct err *err)
{
	struct tasks_state *state = CLI_STATE_OF(struct tasks_state, call);

	(void)err;
	tasks_each(count_task, state);
	qsort(state->kinds, state->count, sizeof(*state->kinds), by_places);
	text_printf(call->out, "Running tasks: %u (1 threads)\n"
		    "  function                     places     %%    lat_tot   lat_avg\n", state->total);
	return 0;
}

/* When a task was woken is not kept, so that its latency is not known. */
static enum cli_step tasks_next(struct cli_call *call)
{
	struct tasks_state *state = CLI_STATE_OF(struct tasks_state, call);
	const struct task_kind *kind = &state->kinds[state->said];

	if (state->said == state->count)
		return CLI_END;
	state->said++;
	cli_say_function(call->out, (void (*)(void))kind->run);
	text_printf(call->out, " %10u %5.1f          -         -\n", kind->places,
		    100.0 * kind->places / state->total);
	return CLI_MORE;
}

/* -- show libs --------------------------------------------------------------------------------- */

struct libs_state {
	unsigned at; /* objects that were said */
};

struct lib {
	unsigned skip;
	bool found;
	uintptr_t from, to; /* first and last address */
	const char *path;
};

static int find_lib(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct lib *lib = arg;

	(void)size;
	if (!info->dlpi_name || lib->skip--)
		return 0;
	*lib = (struct lib){ .found = true, .from = UINTPTR_MAX, .path = info->dlpi_name };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || !info->dlpi_phdr[i].p_memsz)
			continue;
		lib->from = from < lib->from ? from : lib->from;
		from += info->dlpi_phdr[i].p_memsz - 1;
		lib->to = from > lib->to ? from : lib->to;
	}
	return 1;
}

static const char *lib_name(const struct lib *lib)
{
	const char *own = (const char *)(uintptr_t)getauxval(AT_EXECFN);

	return *lib->path ? lib->path : own ? own : "penstock";
}

static enum cli_step libs_next(struct cli_call *call)
{
	struct libs_state *state = CLI_STATE_OF(struct libs_state, call);
	struct lib lib = { .skip = state->at++ };

	dl_iterate_phdr(find_lib, &lib);
	if (!lib.found)
		return CLI_END;
	text_printf(call->out, "0x%012llx-0x%012llx (0x%07llx) %.*s\n", (unsigned long long)lib.from,
		    (unsigned long long)lib.to, (unsigned long long)(lib.to - lib.from + 1),
		    STR_CUT(lib_name(&lib), 4096));
	return CLI_MORE;
}

/* -- show cache -------------------------------------------------------------------------------- */

/* A configuration with a section "cache" is refused: there is none to list. */
static int cache_start(struct cli_call *call, struct err *err)
{
	(void)call;
	(void)err;
	return 0;
}

const struct cli_command cli_program_commands[] = {
	{ .words = "show threads", .level = LEVEL_OPERATOR, .flags = CLI_GATHER | CLI_NAMED,
	  .start = threads_start,
	  .help = "show some threads debugging information: of each worker" },
	{ .words = "show tasks", .level = LEVEL_OPERATOR, .flags = CLI_GATHER | CLI_NAMED,
	  .start = tasks_start, .next = tasks_next, CLI_STATE(struct tasks_state),
	  .help = "show running tasks" },
	{ .words = "show libs", .level = LEVEL_OPERATOR, .next = libs_next,
	  CLI_STATE(struct libs_state), .help = "show loaded object files and libraries" },
	{ .words = "show cache", .level = LEVEL_OPERATOR, .start = cache_start,
	  .help = "show cache status: there is never a cache" },
	{ .words = NULL },
};
