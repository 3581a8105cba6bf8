/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_ACTIVITY_H
#define CLI_ACTIVITY_H

/* "show activity" counts from now on. */
void cli_clear_activity(void);

#endif
