/* SPDX-License-Identifier: BSD-2-Clause */
/* From results to the health of a server. For the files of src/check/ and their tests. */
#ifndef CHECK_HEALTH_H
#define CHECK_HEALTH_H

#include "proxy/server.h"

/* A check has ended: the rest of state->check is set already.
 * Changes the health, writes the lines of the log, marks the server up or down. */
void health_result(struct server *s, enum check_status status);
/* The same for its agent: state->agent. */
void agent_result(struct server *s, enum check_status status);
/* An administrator says what its agent would say: the server goes down, or up if its checks allow
 * it. False: it has no agent, or that is paused. */
bool health_force_agent(struct server *s, bool down);
/* L4OK, L6OK, L7OK or L7OKC? */
bool health_passed(enum check_status status);
/* What the traffic has shown, if the server's "observe" asks for it. Returns whether error-limit
 * was reached: then health_observed is due, and the next check should come soon. */
bool health_observe(struct server *s, enum observed what);
/* error-limit was reached: manual 5.2 "on-error". */
void health_observed(struct server *s, enum observed what);

#endif
