/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands that change frontends and the process: enable, disable and shutdown frontend, set
 * maxconn frontend and global, set rate-limit, clear counters.
 */
#include "cli/activity.h"
#include "cli/modes.h"
#include "cli/tables.h"
#include "cli/words.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/limits.h"
#include "proxy/sums.h"
#include "session/listening.h"
#include "stream/stream.h"

/* -- frontends ------------------------------------------------------------------------------- */

/* As was wanted. */
static int frontend_already(struct cli_call *call, const char *sentence)
{
	cli_say(call, LOG_L_NOTICE, "%s", sentence);
	return 0;
}

static int frontend_enable(struct cli_call *call, struct err *err)
{
	struct proxy *px = cli_frontend(call, 0, err);

	if (!px)
		return -1;
	if (px->run_state == PROXY_STOPPED)
		return err_set(err, "Frontend was previously shut down, cannot enable.");
	if (px->run_state == PROXY_READY)
		return frontend_already(call, "All sockets are already enabled.");
	return listening_resume_proxy(px, err);
}

static int frontend_disable(struct cli_call *call, struct err *err)
{
	struct proxy *px = cli_frontend(call, 0, err);

	if (!px)
		return -1;
	if (px->run_state == PROXY_STOPPED)
		return err_set(err, "Frontend was previously shut down, cannot disable.");
	if (px->run_state == PROXY_PAUSED)
		return frontend_already(call, "All sockets are already disabled.");
	return listening_pause_proxy(px, err);
}

static int frontend_shutdown(struct cli_call *call, struct err *err)
{
	struct proxy *px = cli_frontend(call, 0, err);

	if (!px)
		return -1;
	if (px->run_state == PROXY_STOPPED)
		return frontend_already(call, "Frontend was already shut down.");
	return listening_stop_proxy(px, err);
}

static int frontend_maxconn(struct cli_call *call, struct err *err)
{
	struct proxy *px = cli_frontend(call, 0, err);
	int64_t n;

	if (!px)
		return -1;
	if (!*cli_arg(call, 1))
		return err_set(err, "Integer value expected.");
	if (!str_to_int(cli_arg(call, 1), INT64_MIN, INT64_MAX, &n))
		return err_set(err, "Integer value expected.");
	if (n < 0 || n > INT32_MAX)
		return err_set(err, "Value out of range.");
	px->state->maxconn = (unsigned)n;
	listeners_wake();
	return 0;
}

/* -- the process ----------------------------------------------------------------------------- */

static int global_maxconn(struct cli_call *call, struct err *err)
{
	int64_t n;

	if (!str_to_int(cli_arg(call, 0), INT64_MIN, INT64_MAX, &n))
		return err_set(err, "Expects an integer value.");
	if (n < 0 || n > limits.hard_maxconn)
		return err_set(err, "Value out of range.");
	global_state->maxconn = n ? (unsigned)n : limits.hard_maxconn;
	listeners_wake();
	return 0;
}

static int rate_limit(struct cli_call *call, struct err *err)
{
	const char *what = cli_arg(call, 0);
	unsigned *limit;
	int64_t n;

	if (!strcmp(what, "connections"))
		limit = &global_state->maxconn_rate;
	else if (!strcmp(what, "sessions"))
		limit = &global_state->maxsess_rate;
	else if (!strcmp(what, "ssl-sessions"))
		limit = &global_state->max_tls_rate;
	else if (!strcmp(what, "http-compression"))
		limit = &global_state->max_comp_rate;
	else
		limit = NULL;
	if (!limit || strcmp(cli_arg(call, 1), "global"))
		return err_set(err,
			       "'set rate-limit' only supports :\n"
			       "   - 'connections global' to set the per-process maximum "
			       "connection rate\n"
			       "   - 'sessions global' to set the per-process maximum session "
			       "rate\n"
			       "   - 'ssl-sessions global' to set the per-process maximum SSL "
			       "session rate\n"
			       "   - 'http-compression global' to set the per-process maximum "
			       "compression speed in kB/s");
	if (!str_to_int(cli_arg(call, 2), INT64_MIN, INT64_MAX, &n))
		return err_set(err, "Expects an integer value.");
	if (n < 0 || n > INT32_MAX)
		return err_set(err, "Value out of range.");
	*limit = (unsigned)n;
	listeners_wake();
	return 0;
}

/* -- counters -------------------------------------------------------------------------------- */

static int clear_counters(struct cli_call *call, struct err *err)
{
	int all = !strcmp(cli_arg(call, 0), "all");

	if (all && cli_level(call->cli) < LEVEL_ADMIN)
		return err_set(err, "Permission denied");
	if (!all && *cli_arg(call, 0))
		return err_set(err, "'clear counters' only knows 'all'.");
	streams_count_bytes();
	tallies_clear(all);
	cli_clear_activity();
	return 0;
}

const struct cli_command cli_set_process_commands[] = {
	{ .words = "enable frontend", .args = "<frontend>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = frontend_enable, .help = "re-enable specific frontend" },
	{ .words = "disable frontend", .args = "<frontend>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = frontend_disable, .help = "temporarily disable specific frontend" },
	{ .words = "shutdown frontend", .args = "<frontend>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = frontend_shutdown, .help = "stop a specific frontend" },
	{ .words = "set maxconn frontend", .args = "<frontend> <value>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = frontend_maxconn, .help = "change a frontend's maxconn setting" },
	{ .words = "set maxconn global", .args = "<value>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = global_maxconn, .help = "change the per-process maxconn setting" },
	{ .words = "set rate-limit", .args = "<setting> <value>", .level = LEVEL_ADMIN,
	  .flags = CLI_SHARED,
	  .start = rate_limit, .help = "change a rate limiting value" },
	{ .words = "clear counters", .args = "[all]", .level = LEVEL_OPERATOR,
	  .flags = CLI_SHARED,
	  .start = clear_counters, .help = "clear max statistics counters (or all counters)" },
	{ .words = NULL },
};
