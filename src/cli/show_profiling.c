/* SPDX-License-Identifier: BSD-2-Clause */
/* set profiling, show profiling: how long each function that the loop calls takes. */
#include "cli/applet.h"
#include "cli/conversation.h"
#include "cli/modes.h"
#include "cli/program.h"
#include "cli/tables.h"
#include "event/profile.h"
#include "event/signals.h"
#include "event/timer.h"
#include "net/conn.h"
#include "net/listener.h"
#include "relay/pump.h"
#include "session/keepalive.h"
#include "share/wake.h"
#include "stream/extra.h"

#include <stdlib.h>
#include <string.h>

/* ---- set profiling ----------------------------------------------------------------------- */

static int profiling_set(struct cli_call *call, struct err *err)
{
	const char *how = cli_arg(call, 1);

	if (!strcmp(cli_arg(call, 0), "memory"))
		return err_set(err, "Memory profiling not compiled in.");
	if (strcmp(cli_arg(call, 0), "tasks"))
		return err_set(err, "Expects either 'tasks' or 'memory'.");
	if (!strcmp(how, "on"))
		profile_set(PROFILE_ON);
	else if (!strcmp(how, "off"))
		profile_set(PROFILE_OFF);
	else if (!strcmp(how, "auto"))
		profile_set(PROFILE_AUTO);
	else
		return err_set(err, "Expects 'on', 'auto', or 'off'.");
	return 0;
}

/* ---- show profiling ---------------------------------------------------------------------- */

enum { SHOW_STATUS = 1, SHOW_TASKS = 2, SHOW_MEMORY = 4, SHOW_ALL = 7 };

struct profiling_state {
	unsigned parts; /* SHOW_* */
	bool by_address;
	unsigned most, said;
	unsigned count;
	struct profile_row rows[PROFILE_ROWS]; /* as they stood at the begin */
};

static bool profiling_word(struct profiling_state *state, const char *word)
{
	static const struct {
		const char *word;
		unsigned parts;
	} words[] = { { "all", SHOW_ALL }, { "status", SHOW_STATUS }, { "tasks", SHOW_TASKS },
		      { "memory", SHOW_MEMORY } };
	char *end;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(words[i].word, word))
			continue;
		state->parts = words[i].parts;
		return true;
	}
	if (!strcmp(word, "byaddr"))
		return state->by_address = true;
	state->most = (unsigned)strtoul(word, &end, 10);
	return end != word && !*end;
}

static int by_calls(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return x->cpu_ns < y->cpu_ns ? 1 : x->cpu_ns > y->cpu_ns ? -1 : 0;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct profile_row *)a)->function;
	uintptr_t y = (uintptr_t)((const struct profile_row *)b)->function;

	return x > y ? 1 : x < y ? -1 : 0;
}

static const char *const mode_names[] = { "off", "on", "auto-off" };

static void say_status(struct text *out)
{
	const char *mode = mode_names[profile_mode()];

	if (profile_mode() == PROFILE_AUTO && profile_state.runs)
		mode = "auto-on";
	text_printf(out, "Per-task CPU profiling              : %-14s"
		    "# set profiling tasks {on|auto|off}\n", mode);
	text_printf(out, "Memory usage profiling              : %-14s"
		    "# set profiling memory {on|off}\n", "off");
}

static int profiling_start(struct cli_call *call, struct err *err)
{
	struct profiling_state *state = CLI_STATE_OF(struct profiling_state, call);
	const struct profile_row *rows;

	state->parts = SHOW_ALL;
	state->most = PROFILE_ROWS;
	for (int i = 0; *cli_arg(call, i); i++)
		if (!profiling_word(state, cli_arg(call, i)))
			return err_set(err, "Expects either 'all', 'status', 'tasks', 'memory', 'byaddr' "
				       "or a max number of output lines.");
	rows = profile_rows(&state->count);
	memcpy(state->rows, rows, state->count * sizeof(*rows));
	qsort(state->rows, state->count, sizeof(*rows), state->by_address ? by_address : by_calls);
	if (state->parts & SHOW_STATUS)
		say_status(call->out);
	if (state->parts & SHOW_TASKS)
		text_str(call->out, "Tasks activity:\n  function                      calls   cpu_tot   "
				    "cpu_avg   lat_tot   lat_avg\n");
	else
		state->count = 0;
	return 0;
}

void cli_say_function(struct text *out, void (*function)(void))
{
	static const struct profile_name timers = PROFILE_NAME(timer_run);
	static const struct profile_name *const names[] = {
		&conn_profile, &listener_profile, &relay_profile, &timers, &wake_profile,
		&signals_profile, &keepalive_profile, &extra_profile, &conversation_profile,
		&conversation_task_profile, &applet_profile,
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i]->function == function) {
			text_printf(out, "  %-24s", names[i]->name);
			return;
		}
	}
	text_printf(out, "  %-24p", (void *)(uintptr_t)function);
}

/* Four digits that count, and a unit. */
static void say_time(struct text *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double n = (double)ns;
	unsigned unit = 0;

	while (n >= 1000 && unit < ARRAY_LEN(units) - 1) {
		n /= 1000;
		unit++;
	}
	text_printf(out, " %*.*f%s", unit == 3 ? 8 : 7, n < 10 ? 3 : n < 100 ? 2 : n < 1000 ? 1 : 0, n,
		    units[unit]);
}

static enum cli_step profiling_next(struct cli_call *call)
{
	struct profiling_state *state = CLI_STATE_OF(struct profiling_state, call);
	const struct profile_row *row = &state->rows[state->said];

	if (state->said >= state->count || state->said >= state->most)
		return CLI_END;
	state->said++;
	cli_say_function(call->out, row->function);
	text_printf(call->out, " %10llu", (unsigned long long)row->calls);
	say_time(call->out, row->cpu_ns);
	say_time(call->out, row->calls ? row->cpu_ns / row->calls : 0);
	say_time(call->out, row->lat_ns);
	say_time(call->out, row->calls ? row->lat_ns / row->calls : 0);
	text_char(call->out, '\n');
	return CLI_MORE;
}

const struct cli_command cli_profiling_commands[] = {
	{ .words = "set profiling", .args = "{tasks|memory} {auto|on|off}", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED, .start = profiling_set,
	  .help = "enable/disable resource profiling (tasks)" },
	{ .words = "show profiling", .args = "[all|status|tasks|memory] [byaddr] [<max>]",
	  .level = LEVEL_USER, .flags = CLI_GATHER | CLI_NAMED, .start = profiling_start,
	  .next = profiling_next, CLI_STATE(struct profiling_state),
	  .help = "show CPU profiling options and what each function of the loop took" },
	{ .words = NULL },
};
