/* SPDX-License-Identifier: BSD-2-Clause */
/* When checks run: check.c, for ask.c. */
#ifndef CHECK_SCHEDULE_H
#define CHECK_SCHEDULE_H

struct check;

/* A check runs: its timer to the end of the present phase. */
void schedule_limit(struct check *check);
/* It has ended: its timer to the beginning of the next. */
void schedule_next(struct check *check);

#endif
