/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a rule waits for a body. Said by the action (http_stream.c), asked by the steps (body.c).
 */
#include "exchange/body_wait.h"

#include "base/clock.h"

struct body_wait {
	uint32_t until; /* clock_now_ms, its low bits: no longer */
	bool wanted;
};

struct exchange_part body_part = { EXCHANGE_PART("body that is waited for", struct body_wait) };

bool body_want(struct exchange *x, unsigned ms)
{
	struct body_wait *wait = exchange_part_make(x, &body_part);

	if (wait && !wait->wanted)
		*wait = (struct body_wait){ .until = (uint32_t)clock_now_ms + ms, .wanted = true };
	return wait != NULL;
}

void body_unwant(struct exchange *x)
{
	struct body_wait *wait = exchange_part(x, &body_part);

	if (wait)
		wait->wanted = false;
}

bool body_wanted(const struct exchange *x)
{
	const struct body_wait *wait = exchange_part(x, &body_part);

	return wait && wait->wanted;
}

unsigned body_wait_left(const struct exchange *x)
{
	const struct body_wait *wait = exchange_part(x, &body_part);
	int32_t left = wait ? (int32_t)(wait->until - (uint32_t)clock_now_ms) : 0;

	return left > 0 ? (unsigned)left : 0;
}
