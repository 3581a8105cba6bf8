/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "wait <delay> [<condition>]": holds the conversation until a condition is met, or the time is
 * over. The condition is looked at again and again: what it asks for is spread over all
 * processes. One that is met counts once each process has carried out the changes that came before
 * it: one that has not heard yet that a server is disabled may send one more stream there.
 */
#include "base/clock.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "config/value.h"
#include "event/change.h"
#include "event/timer.h"
#include "proxy/backend_add.h"
#include "proxy/server_add.h"
#include "proxy/sums.h"
#include "share/segment.h"

#include <stddef.h>
#include <stdlib.h>

enum {
	LOOK_MS = 20,
	HEAR_MS = 5,       /* between two looks whether all have heard */
	PATIENCE_MS = 500, /* with one that hangs */
	ALIVE_MS = 1000 /* who asks through another process sees that this one lives */
};

struct wait_state {
	struct timer timer; /* first */
	struct cli *cli;
	uint64_t end_ms;
	uint64_t *turns;     /* of each row, when the condition was met; NULL: it was not */
	unsigned rows;       /* how many those are: who comes later has the parent's memory */
	uint64_t patient_ms; /* until then */
};

/* What is waited for. 1: it is there; 0: not yet; -1 and err: it never will be. */
struct wait_condition {
	const char *word;
	int (*met)(const char *arg, struct err *err);
};

static int removable(const char *path, struct err *err)
{
	const struct server *s = server_find_path(path, err);
	bool never = true;

	if (s && server_removable(s, &never, err) == 0)
		return 1;
	return never ? -1 : 0;
}

static int stopped(const char *path, struct err *err)
{
	const struct server *s = server_find_path(path, err);

	if (!s)
		return -1;
	return !server_sessions(s) && !server_queued(s);
}

static int backend_removable_soon(const char *name, struct err *err)
{
	const struct proxy *px = proxy_find(proxies_running, name, PROXY_BACKEND);
	bool never = true;

	if (!px)
		err_set(err, "No such backend.");
	else if (backend_removable(px, &never, err) == 0)
		return 1;
	return never ? -1 : 0;
}

static const struct wait_condition conditions[] = {
	{ "be-removable", backend_removable_soon },
	{ "srv-removable", removable },
	{ "srv-stopped", stopped },
};

static const char wait_usage[] =
	"wait { -h | <delay> } [<condition>]: waits for so many ms (or another unit), at most for "
	"a condition: srv-removable <backend>/<server>, srv-stopped <backend>/<server>, "
	"be-removable <backend>";

/* ---- who has heard --------------------------------------------------------------------------- */

static bool row_lives(unsigned row)
{
	return row != segment_own_row && atomic_load(&segment_row(segment, row)->pid) > 0;
}

/* Changes are in the channel of a process before whoever has submitted them hears so. The first
 * turn of its loop that is counted since may be one whose events were there before, the second one
 * has them, and the third one says that the second has ended. One that sleeps is woken for it: it
 * may sleep because the machine has not come round to it. */
static bool row_has_heard(unsigned row, uint64_t before)
{
	const struct loop_pulse *pulse = &segment_row(segment, row)->pulse;

	if (atomic_load(&pulse->turns) >= before + 3)
		return true;
	if (atomic_load(&pulse->asleep))
		segment_wake(segment, row);
	return false;
}

/* The condition is met: has each process carried out what came before? */
static bool all_have_heard(struct wait_state *state)
{
	unsigned row;
	bool all = true;

	if (!change_is_shared())
		return true;
	if (state->turns) {
		if (clock_now_ms >= state->patient_ms)
			return true;
		for (row = 1; row < state->rows; row++)
			all &= !row_lives(row) || row_has_heard(row, state->turns[row]);
		return all;
	}
	state->rows = segment_rows(segment);
	state->turns = calloc(state->rows, sizeof(*state->turns));
	if (!state->turns)
		return true;
	state->patient_ms = clock_now_ms + PATIENCE_MS;
	for (row = 1; row < state->rows; row++)
		state->turns[row] = atomic_load(&segment_row(segment, row)->pulse.turns);
	return false;
}

static void heard_begin(struct wait_state *state)
{
	free(state->turns);
	state->turns = NULL;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct wait_condition *wait_condition(const struct cli_call *call)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(conditions); i++)
		if (!strcmp(cli_arg(call, 1), conditions[i].word))
			return &conditions[i];
	return NULL;
}

static void wait_look(struct timer *timer)
{
	cli_wake(((struct wait_state *)timer)->cli);
}

static int wait_start(struct cli_call *call, struct err *err)
{
	struct wait_state *state = CLI_STATE_OF(struct wait_state, call);
	uint64_t us;

	if (!strcmp(cli_arg(call, 0), "-h")) {
		cli_say(call, LOG_L_INFO, "%s", wait_usage);
		return 0;
	}
	if (value_time(cli_arg(call, 0), 'm', &us, NULL) != VALUE_OK)
		return err_set(err, "A delay is expected: %s", wait_usage);
	if (*cli_arg(call, 1) && !wait_condition(call))
		return err_set(err, "Unknown condition '%.*s': %s", STR_CUT(cli_arg(call, 1), 100),
			       wait_usage);
	state->cli = call->cli;
	state->end_ms = clock_now_ms + us / 1000;
	timer_init(&state->timer, wait_look);
	return 0;
}

static enum cli_step wait_next(struct cli_call *call)
{
	const struct wait_condition *condition = wait_condition(call);
	struct wait_state *state = CLI_STATE_OF(struct wait_state, call);
	bool over = clock_now_ms >= state->end_ms;
	struct err err = { "" };
	uint64_t next_ms;
	int met = condition ? condition->met(cli_arg(call, 2), &err) : 0;

	if (!state->cli)
		return CLI_END; /* -h */
	if (met <= 0)
		heard_begin(state);
	if (met > 0 && !over && !all_have_heard(state)) {
		timer_set(&state->timer, clock_now_ms + HEAR_MS);
		return CLI_WAIT;
	}
	if (met < 0)
		cli_say(call, LOG_L_ERR, "Failed: %s", err.text);
	else if (met)
		cli_say(call, LOG_L_INFO, "Done.");
	else if (over && condition)
		cli_say(call, LOG_L_ERR, "Wait delay expired.");
	if (met || over)
		return CLI_END;
	next_ms = clock_now_ms + (condition ? LOOK_MS : ALIVE_MS);
	timer_set(&state->timer, next_ms < state->end_ms ? next_ms : state->end_ms);
	return CLI_WAIT;
}

static void wait_end(struct cli_call *call)
{
	struct wait_state *state = CLI_STATE_OF(struct wait_state, call);

	if (!state)
		return;
	timer_cancel(&state->timer);
	free(state->turns);
}

const struct cli_command cli_wait_commands[] = {
	{ .words = "wait", .args = "{ -h | <delay> } [<condition>]", .level = LEVEL_USER,
	  .start = wait_start, .next = wait_next, .end = wait_end,
	  CLI_STATE(struct wait_state),
	  .help = "wait for a time, or until a condition is met" },
	{ .words = NULL },
};
