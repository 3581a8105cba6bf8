/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a rule waits for a body. Said by the action (http_stream.c), asked by the steps (body.c).
 * Two members of the exchange and no part: who waits is meant to cost little memory. */
#include "exchange/body_wait.h"

#include "base/clock.h"
#include "exchange/exchange.h"

void body_want(struct exchange *x, unsigned ms)
{
	if (!x->body_wanted)
		x->body_until = (uint32_t)clock_now_ms + ms;
	x->body_wanted = true;
}

void body_unwant(struct exchange *x)
{
	x->body_wanted = false;
}

bool body_wanted(const struct exchange *x)
{
	return x->body_wanted;
}

unsigned body_wait_left(const struct exchange *x)
{
	int32_t left = x->body_wanted ? (int32_t)(x->body_until - (uint32_t)clock_now_ms) : 0;

	return left > 0 ? (unsigned)left : 0;
}
