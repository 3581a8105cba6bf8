/* SPDX-License-Identifier: BSD-2-Clause */
/* When checks run. */
#ifndef CHECK_SCHEDULE_H
#define CHECK_SCHEDULE_H

#include <stdbool.h>

struct check;
struct server;

extern int schedule_spread; /* spread-checks: percent of the interval */

/* Is it asked at all, as things stand? */
bool schedule_wanted(const struct check *check);
/* ms between two of it, as its server stands, more or less the share of spread-checks. */
unsigned schedule_wait(const struct check *check);
/* The same where the server's state is in doubt. */
unsigned schedule_fast_wait(const struct server *server);
/* Its timer to so many ms from now on. */
void schedule_in(struct check *check, unsigned ms);
/* A check runs: its timer to the end of the present phase. */
void schedule_limit(struct check *check);
/* It has ended: its timer to the beginning of the next. */
void schedule_next(struct check *check);

#endif
