/* SPDX-License-Identifier: BSD-2-Clause */
/* "debug dev": makes this process fail in some way, to see what happens then. In expert mode, for
 * administrators. */
#include "cli/tables.h"

#include "base/clock.h"
#include "event/probe.h"
#include "proxy/backend_add.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "share/segment.h"
#include "stream/probe.h"
#include "tally/tally.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int debug_number(const struct cli_call *call, int64_t most, int64_t *n, struct err *err)
{
	*n = 0;
	if (call->argc > 1 || (call->argc == 1 && !str_to_int(cli_arg(call, 0), 0, most, n)))
		return err_set(err, "A number is expected, up to %lld.", (long long)most);
	return 0;
}

/* Nothing of the process is as it was expected: no module is stopped. */
static int debug_exit(struct cli_call *call, struct err *err)
{
	int64_t code;

	if (debug_number(call, 255, &code, err) < 0)
		return -1;
	_exit((int)code);
}

static int debug_panic(struct cli_call *call, struct err *err)
{
	(void)call;
	(void)err;
	abort();
}

static int debug_segv(struct cli_call *call, struct err *err)
{
	(void)call;
	(void)err;
	raise(SIGSEGV);
	return 0;
}

/* Does not come back to the loop for so many ms. */
static int debug_loop(struct cli_call *call, struct err *err)
{
	uint64_t end;
	int64_t ms;

	if (debug_number(call, 3600000, &ms, err) < 0)
		return -1;
	end = clock_read_us() + (uint64_t)ms * 1000;
	while (clock_read_us() < end)
		;
	return 0;
}

/* Walks through the memory that all processes share. */
static int debug_segment(struct cli_call *call, struct err *err)
{
	if (segment && (segment_check(segment, err) < 0 || tally_check(err) < 0))
		return -1;
	text_str(call->out, "The segment is sound.\n");
	return 0;
}

/* What servers and backends that come and go leave behind, while they leave: here, and in the
 * shared memory. */
static int debug_slots(struct cli_call *call, struct err *err)
{
	(void)err;
	text_printf(call->out, "slots: %u\nservers and backends left: %u\n",
		    segment ? segment_slots_taken(segment) : 0, servers_left() + backends_left());
	return 0;
}

#ifdef PROBES
/* "debug dev probe": what came of the last one. */
static int debug_probe(struct cli_call *call, struct err *err)
{
	bool down = !strcmp(cli_arg(call, 1), "down"), asking = call->argc == 3;
	struct probe_plan plan = { .deed = down ? PROBE_MARKS_DOWN : PROBE_ENDS, .asking = asking };
	int64_t n;

	if (!call->argc) {
		text_printf(call->out, "%llu done\n", (unsigned long long)probe_done());
		return 0;
	}
	if (!str_to_int(cli_arg(call, 0), 0, INT64_MAX, &n) ||
	    (*cli_arg(call, 1) && !down && strcmp(cli_arg(call, 1), "end") != 0) ||
	    (asking && strcmp(cli_arg(call, 2), "sockets") != 0))
		return err_set(err, "A number is expected, 'end' or 'down', and 'sockets'.");
	plan.first = (uint64_t)n;
	probe_arm(&plan);
	return 0;
}
#endif

const struct cli_command cli_debug_commands[] = {
	{ .words = "debug dev exit", .args = "[code]", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = debug_exit, .help = "exit at once" },
	{ .words = "debug dev loop", .args = "<ms>", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = debug_loop, .help = "be busy for so long" },
	{ .words = "debug dev panic", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = debug_panic, .help = "abort" },
#ifdef PROBES
	{ .words = "debug dev probe", .args = "[<n> [end|down [sockets]]]", .level = LEVEL_ADMIN,
	  .flags = CLI_EXPERT, .start = debug_probe,
	  .help = "at the n-th probe, end the stream at hand or report an error of its server" },
#endif
	{ .words = "debug dev segment", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = debug_segment, .help = "look whether the shared memory is sound" },
	{ .words = "debug dev segv", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = debug_segv, .help = "die of a segmentation fault" },
	{ .words = "debug dev slots", .level = LEVEL_OPERATOR, .flags = CLI_HIDDEN,
	  .start = debug_slots, .help = "count the slots of the shared memory" },
	{ .words = NULL },
};
