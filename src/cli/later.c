/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the management guide that Penstock does not have yet: known, not unknown. */
#include "cli/tables.h"

#define LATER(text) { .words = text, .level = LEVEL_USER, .flags = CLI_LATER }

const struct cli_command cli_later_commands[] = {
	LATER("debug dev"),
	LATER("set ssl"),
	LATER("show ssl"),
	LATER("show tls-keys"),
	LATER("show trace"),
	LATER("trace"),
	{ .words = NULL },
};
