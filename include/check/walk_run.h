/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a ruleset, for ask.c. */
#ifndef CHECK_WALK_RUN_H
#define CHECK_WALK_RUN_H

#include "check/walk.h"

/* Starts at the first step. false: out of memory. */
bool walk_begin(struct check *check);
/* Something has happened: goes as far as it can, possibly to the report (and the walk is gone). */
void walk_go(struct check *check);
/* The connection could not be made; conn->error tells. */
void walk_failed(struct check *check);
/* The handshake of TLS has failed, for this reason. */
void walk_unsecured(struct check *check, const char *why);
void walk_timeout(struct check *check);
/* Gives everything back; NULL is allowed. */
void walk_end(struct walk **walk);

#endif
