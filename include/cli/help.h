/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of commands: for "help" and for whoever mistyped. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

#include <stdio.h>

/* What stands in for a command that is not known; its arguments are all the words. */
extern const struct cli_command cli_help_unknown;
extern const struct cli_command cli_help_commands[];

/* penstock help WORDS: prints the commands that begin with these count words, or have them before
 * their arguments, behind an empty line if something (any) was printed before. false: none does. */
bool cli_help_words(FILE *out, const char *const *words, int count, bool any);
/* One row, if it begins with the words or has them before its arguments; false: it does not. title:
 * a line in front, NULL: none. */
bool cli_help_row(FILE *out, const struct cli_command *row, const char *const *words, int count,
		  const char *title);

#endif
