/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands may read and change of the conversation that they run in. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdbool.h>

struct cli;

int cli_level(const struct cli *cli);
int cli_severity(const struct cli *cli); /* enum cli_severity */
/* Rights can only go down; expert and experimental mode end with it. */
void cli_lower_level(struct cli *cli, int level);
bool cli_mode(const struct cli *cli, unsigned mode); /* CLI_EXPERT, CLI_EXPERIMENTAL */
void cli_set_mode(struct cli *cli, unsigned mode, bool on);
void cli_set_severity(struct cli *cli, int severity);
void cli_set_timeout(struct cli *cli, unsigned ms);
void cli_toggle_prompt(struct cli *cli);
/* The socket over which listeners may be handed to the peer; -1: they may not. */
int cli_socket(const struct cli *cli);
void cli_quit(struct cli *cli);
/* Something that a waiting command shows has come: for what installs itself as a reader. */
void cli_wake(struct cli *cli);
/* Input has come while a command waits: it ends on any key. */
bool cli_key_pressed(const struct cli *cli);

#endif
