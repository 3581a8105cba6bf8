/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the management guide that Penstock does not have yet: known, not unknown. */
#include "cli/tables.h"

#define LATER(text) { .words = text, .level = LEVEL_USER, .flags = CLI_LATER }

const struct cli_command cli_later_commands[] = {
	LATER("debug dev"),
	LATER("disable dynamic-cookie"),
	LATER("enable dynamic-cookie"),
	LATER("set dynamic-cookie-key"),
	LATER("set ssl"),
	LATER("show cache"),
	LATER("show libs"),
	LATER("show ssl"),
	LATER("show startup-logs"),
	LATER("show tasks"),
	LATER("show threads"),
	LATER("show tls-keys"),
	LATER("show trace"),
	LATER("trace"),
	{ .words = NULL },
};
