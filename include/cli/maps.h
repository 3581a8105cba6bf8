/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands on maps and ACLs share. */
#ifndef CLI_MAPS_H
#define CLI_MAPS_H

#include "cli/command.h"
#include "expr/pattern_change.h"

/* The second word is "map", not "acl". */
bool maps_is_map(const struct cli_call *call);
/* The map or ACL that argument i names; NULL and err. */
struct pattern_ref *maps_ref(const struct cli_call *call, int i, struct err *err);
/* If argument *i is "@<ver>": its digits, and *i moves on; else *version is NULL. 0, or -1 and
 * err. */
int maps_version(const struct cli_call *call, int *i, const char **version, struct err *err);

/* One that waits for what a change has to say. */
struct maps_answer {
	struct cli *cli;
	unsigned ticket;
	bool answered, failed;
	char said[sizeof(struct err)];
};
/* Sets answered when it has been carried out; before that the command and its strings may go. */
void maps_submit(struct maps_answer *answer, const struct pattern_command *command);
/* Who asked goes. */
void maps_forget(struct maps_answer *answer);

#endif
