/* SPDX-License-Identifier: BSD-2-Clause */
/* Who wants to know of moments of streams (stream/subscriber.h): because a proxy asks for it, or of
 * all streams. Called at the end of the configuration, and by what switches itself on. */
#include "stream/subscriber.h"

#include "base/bug.h"
#include "stream/stream.h"

uint32_t subscribers_of[MOMENTS];
unsigned moments_of_all;

static uint32_t wanted[MOMENTS]; /* as subscribers_of: since a proxy wants it */
static uint32_t everywhere;      /* those that moments_everywhere has switched on */

static void subscribers_join(void)
{
	unsigned i, moment;

	for (moment = 0; moment < MOMENTS; moment++) {
		subscribers_of[moment] = wanted[moment];
		for (i = 0; subscribers[i]; i++)
			if (everywhere & 1u << i && subscribers[i]->moments & 1u << moment)
				subscribers_of[moment] |= 1u << i;
	}
}

static unsigned moments_wanted(unsigned place, const struct config *cfg, const struct proxy *px,
			       bool is_backend)
{
	const struct subscriber *sub = subscribers[place];
	unsigned moments = sub->wants ? sub->wants(cfg, px, is_backend) & sub->moments : 0, rest;

	for (rest = moments; rest; rest &= rest - 1)
		wanted[__builtin_ctz(rest)] |= 1u << place;
	return moments;
}

unsigned moments_of(const struct config *cfg, const struct proxy *px, bool is_backend)
{
	unsigned moments = 0, i;

	for (i = 0; subscribers[i]; i++) {
		BUG_ON(i >= SUBSCRIBERS_MOST); /* stream.heard */
		moments |= moments_wanted(i, cfg, px, is_backend);
	}
	subscribers_join();
	return moments;
}

void moments_everywhere(const struct subscriber *subscriber, bool on)
{
	unsigned i;

	moments_of_all = 0;
	for (i = 0; subscribers[i]; i++) {
		if (subscribers[i] == subscriber)
			everywhere = on ? everywhere | 1u << i : everywhere & ~(1u << i);
		if (everywhere & 1u << i)
			moments_of_all |= subscribers[i]->moments;
	}
	subscribers_join();
	streams_watched = (uint8_t)(moments_of_all ? streams_watched | WATCH_MOMENTS :
						     streams_watched & ~WATCH_MOMENTS);
}
