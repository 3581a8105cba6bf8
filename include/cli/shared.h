/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that change what all processes have alike: as words they go through the ordered log,
 * and each process carries them out. */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "cli/command.h"
#include "event/change.h"

/* Stands in for a row with CLI_SHARED where there are several processes: submits the words and
 * waits for the answer. */
extern const struct cli_command cli_shared_command;
/* What carries them out. */
extern const struct change_kind cli_change;

/* For commands that work out here what changes: the frame goes through the ordered log in the place
 * of the words. The row has next, end and state_size from here. */
enum { CLI_SUBMIT_STATE = 32 };
void cli_submit(struct cli_call *call, const struct change_kind *kind, const void *bytes,
		size_t len);
enum cli_step cli_submit_next(struct cli_call *call);
void cli_submit_end(struct cli_call *call);

#endif
