/* SPDX-License-Identifier: BSD-2-Clause */
/* The action "tarpit": an answer that is kept back for a time. */
#ifndef EXCHANGE_TARPIT_H
#define EXCHANGE_TARPIT_H

#include "exchange/exchange_part.h"

/* The answer waits so many ms from now on. Without memory it does not: the exchange's arena knows
 * it. */
void tarpit_begin(struct exchange *x, unsigned ms);
/* ... or does not any more. */
void tarpit_end(struct exchange *x);
/* How many ms are left; 0: none, or there is no tarpit. */
unsigned tarpit_left(const struct exchange *x);

extern struct exchange_part tarpit_part;

#endif
