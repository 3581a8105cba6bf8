/* SPDX-License-Identifier: BSD-2-Clause */
/* What a line of the stats socket consists of. */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include "cli/command.h"

enum { CLI_WORDS_MAX = 64 }; /* of a command */

/* Cuts the first command off the line: up to a ';' that no backslash precedes. Returns the
 * rest, NULL when there is none. */
char *cli_cut_command(char *line);
/* Cuts a command into words (room for CLI_WORDS_MAX and a NULL) at blanks; backslashes take the
 * meaning of the next character away. Returns how many, or -1 when there are too many. */
int cli_cut_words(char *text, char **words);
/* The row with the most words that are all there, and how many; NULL: none. Of two one that is no
 * CLI_LATER. */
const struct cli_command *cli_find(const struct tables *tables, char **words, int *count);

#endif
