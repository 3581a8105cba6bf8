/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands about the program itself share, and ask of the layer above. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli/command.h"

/* What was said at the start, in the parent by the last reload that failed. Installed by process/;
 * NULL: nothing was. */
extern const char *(*cli_startup_log)(void);
/* show startup-logs: the parent's socket has it, too. */
extern const struct cli_command cli_startup_commands[];
/* The name of a function that the loop calls, or its address, in a column of its own. */
void cli_say_function(struct text *out, void (*function)(void));

#endif
