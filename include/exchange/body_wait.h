/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule waits for a body: wait-for-body. */
#ifndef EXCHANGE_BODY_WAIT_H
#define EXCHANGE_BODY_WAIT_H

#include "base/result.h"

#include <stdbool.h>

struct exchange;

/* A rule waits for a body, ms at most, and is run again when more of it is there:
 * RULES_WAIT. One that waits already keeps its time. */
void body_want(struct exchange *x, unsigned ms);
/* None does any more. */
void body_unwant(struct exchange *x);
MUST_USE bool body_wanted(const struct exchange *x);
/* How many ms are left to wait; 0: none, or no rule waits. */
MUST_USE unsigned body_wait_left(const struct exchange *x);

#endif
