/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of the tables of commands. */
#include "cli/tables.h"

#include "cli/help.h"

const struct cli_command *const cli_tables[] = {
	cli_talk_commands,
	cli_help_commands,
	NULL,
};
