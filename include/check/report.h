/* SPDX-License-Identifier: BSD-2-Clause */
/* What a check, an agent or the traffic has shown, on its way to all processes
 * (doc/internals/processes.md). With one process, too: it acts between two events of the loop. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include "event/change.h"
#include "proxy/server.h"

#include <stdbool.h>

struct check;

extern const struct change_kind result_change, observed_change, checker_change;

/* A check or agent check has ended; the rest of its check_state is set, and what the agent has
 * asked for in check->words. Returns true when it changes nothing: the next one may be scheduled;
 * else schedule_next is called when it was carried out. */
bool report_result(struct check *check, enum check_status status);
/* error-limit was reached by errors of this kind. */
void report_observed(struct server *s, enum observed what);
/* Checks are made by one process: the one of this row from now on. Submitted by the parent: 4
 * bytes, uint32_t. Installed by checks.c: begins, or ends, to check. */
extern void (*report_make_checker)(bool active);
/* Installed by checks.c: the traffic has shown errors, the next check should come soon. */
extern void (*report_check_soon)(struct server *s);

#endif
