/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one process finds out of a server for all, and what is to survive a reload: in the cells of
 * row 0, beside the tallies, as numbers and text without pointers. Implemented in
 * src/proxy/facts.c; without other rows (tally_shared) nothing here does anything.
 */
#ifndef PROXY_FACTS_H
#define PROXY_FACTS_H

#include "proxy/proxy.h"

/* ---- results of checks: one process finds them, all show them ------------------------------ */

/* The process that checks. Set by check/. */
struct facts_checker {
	bool here;    /* it is this one: it publishes and never refreshes */
	uint32_t row; /* its row, in every process; 0: there is none, or one process */
};
extern struct facts_checker facts_checker;
/* Who does more than checks in that process alone hears when facts_checker.here has changed, behind
 * it; until facts_off_checker. */
void facts_on_checker(void (*changed)(bool active));
void facts_off_checker(void (*changed)(bool active));
/* It has changed: tells them. For check/. */
void facts_tell_checker(void);
/* Results or health of a server have changed. Does nothing where checks are not made. */
void facts_publish_checks(const struct server *s);
/* Takes the results into s->state before they are shown. What follows from results comes through
 * the log of changes. False: nothing was published yet, or a result is just being written; s->state
 * stays as it is. */
bool facts_refresh_checks(const struct server *s);
/* Takes all of it, in a generation that has just begun. false: there is nothing. */
bool facts_take_checks(const struct server *s);

/* ---- errors that the traffic shows: all processes count them ------------------------------- */

/* How many in a row, for "observe" (check/health.c). NULL: this process counts for itself. */
_Atomic uint32_t *facts_errors(const struct server *s);

/* ---- what survives a reload ---------------------------------------------------------------- */

/* Writes down the states of all servers and backends of the running generation: the parent, right
 * before it executes itself anew. */
void facts_publish_states(void);
/* The server's slot was found with a state in it: that of an earlier generation? */
bool facts_known(const struct server *s);
/* Servers and backends take the states of the generation before. What the configuration says and
 * has changed wins: of weight, maxconn, addresses, ports, TLS,
 * "disabled". To be called in the parent when
 * balancing is ready, before there are workers. Logs nothing: nothing has happened. */
void facts_restore_states(const struct proxies *all);

#endif
