/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the management guide that Penstock, or this build of it, does not have: known, not
 * unknown. */
#include "config.h"

#include "cli/tables.h"

#define LATER(text) { .words = text, .level = LEVEL_USER, .flags = CLI_LATER }

const struct cli_command cli_later_commands[] = {
	LATER("debug dev"),
#ifndef HAVE_OPENSSL
	LATER("set ssl"),
	LATER("show ssl"),
	LATER("show tls-keys"),
#endif
	LATER("show trace"),
	LATER("trace"),
	{ .words = NULL },
};
