/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of commands: for "help" and for whoever mistyped. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* What stands in for a command that is not known; its arguments are all the words. */
extern const struct cli_command cli_help_unknown;
extern const struct cli_command cli_help_commands[];

#endif
