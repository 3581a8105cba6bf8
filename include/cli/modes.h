/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands may read and change of the conversation that they run in. */
#ifndef CLI_MODES_H
#define CLI_MODES_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct view;

int cli_level(const struct cli *cli);    /* LEVEL_USER ... */
int cli_severity(const struct cli *cli); /* enum cli_severity */
/* Rights can only go down; expert and experimental mode end with it. */
void cli_lower_level(struct cli *cli, int level);
bool cli_mode(const struct cli *cli, unsigned mode); /* CLI_EXPERT, CLI_EXPERIMENTAL */
void cli_set_mode(struct cli *cli, unsigned mode, bool on);
void cli_set_severity(struct cli *cli, int severity);
void cli_set_timeout(struct cli *cli, unsigned ms);
/* Whether the connection stays behind a line, and a prompt is shown. */
enum cli_prompt { PROMPT_NONE, PROMPT_SHOWN, PROMPT_SILENT, PROMPT_TOGGLED };
void cli_set_prompt(struct cli *cli, enum cli_prompt how);
void cli_toggle_time(struct cli *cli); /* in front of the prompt: "[0:02:15:59]" */
/* The socket over which listeners may be handed to the peer; -1: they may not. */
int cli_socket(const struct cli *cli);
/* What fetches see of the conversation: its stream, in whose turn the command runs; nothing, where
 * another process asks. */
void cli_view(const struct cli *cli, struct view *view);
void cli_quit(struct cli *cli);
/* The parent's socket: to which process the commands go that say none, and whether it answers
 * for the service. row 0: to this one. */
void cli_set_target(struct cli *cli, unsigned row, bool service, int pid);
unsigned cli_target(const struct cli *cli);
bool cli_target_is_service(const struct cli *cli);
int cli_target_pid(const struct cli *cli);
/* How the parent's socket routes a command before the command is cut into words, and what its
 * prompt looks like. NULL elsewhere. cli_route returns 0: *text (moved behind a prefix) is for this
 * process; 1: call->command was set, to ask another process; -1: err is said, and the conversation
 * ends. */
struct cli_call;
struct err;
extern int (*cli_route)(struct cli_call *call, char **text, struct err *err);
extern const char *(*cli_prompt_text)(const struct cli *cli, char *buf, size_t size);
/* Something that a waiting command shows has come: for what installs itself as a reader. */
void cli_wake(struct cli *cli);
/* Input has come while a command waits: it ends on any key. */
bool cli_key_pressed(const struct cli *cli);

#endif
