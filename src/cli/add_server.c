/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "add server" and "del server" (management guide 9.3): through the ordered log, in all processes
 * or in none. Whether a server may go is looked at where the change is made first; the others
 * follow.
 */
#include "cli/tables.h"
#include "event/change.h"
#include "proxy/server_add.h"

static int add_server(struct cli_call *call, struct err *err)
{
	if (!server_add(cli_arg(call, 0), call->argc ? call->argv + 1 : call->argv, err))
		return -1;
	cli_say(call, LOG_L_INFO, "New server registered.");
	return 0;
}

static int del_server(struct cli_call *call, struct err *err)
{
	struct server *s = server_find_path(cli_arg(call, 0), err);

	if (!s || (change_first && server_removable(s, NULL, err) < 0))
		return -1;
	server_remove(s);
	cli_say(call, LOG_L_INFO, "Server deleted.");
	return 0;
}

const struct cli_command cli_add_server_commands[] = {
	{ .words = "add server", .args = "<bk>/<srv> <addr> [from <which>] [<words>]",
	  .level = LEVEL_ADMIN, .flags = CLI_SHARED, .start = add_server,
	  .help = "create a server of a backend, in maintenance" },
	{ .words = "del server", .args = "<bk>/<srv>", .level = LEVEL_ADMIN, .flags = CLI_SHARED,
	  .start = del_server, .help = "delete a server that is in maintenance and unused" },
	{ .words = NULL },
};
