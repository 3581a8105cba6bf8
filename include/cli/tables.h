/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of commands, one a file; tables.c lists them. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include "cli/command.h"

extern const struct cli_command cli_talk_commands[];

#endif
