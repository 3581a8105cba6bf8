/* SPDX-License-Identifier: BSD-2-Clause */
/* Until when the answer of an exchange is kept back. Begun by the action (http_replies.c), asked by
 * the step that makes the head of the answer (reply_steps.c). */
#include "exchange/tarpit.h"

#include "base/clock.h"

struct tarpit {
	uint32_t until; /* clock_now_ms, its low bits */
	bool waits;
};

struct exchange_part tarpit_part = { EXCHANGE_PART("tarpit", struct tarpit) };

void tarpit_begin(struct exchange *x, unsigned ms)
{
	struct tarpit *t = exchange_part_make(x, &tarpit_part);

	if (t)
		*t = (struct tarpit){ .until = (uint32_t)clock_now_ms + ms, .waits = true };
}

void tarpit_end(struct exchange *x)
{
	struct tarpit *t = exchange_part(x, &tarpit_part);

	if (t)
		t->waits = false;
}

unsigned tarpit_left(const struct exchange *x)
{
	const struct tarpit *t = exchange_part(x, &tarpit_part);
	int32_t left = t && t->waits ? (int32_t)(t->until - (uint32_t)clock_now_ms) : 0;

	return left > 0 ? (unsigned)left : 0;
}
