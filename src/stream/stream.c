/* SPDX-License-Identifier: BSD-2-Clause */
/* All streams of the process, and what is the same for each of them. They begin in start.c, are run
 * by run.c, end in end.c. */
#include "stream/stream.h"

#include "base/pool.h"
#include "kernel/kernel.h"
#include "proxy/proxy.h"
#include "relay/pipe.h"

struct list streams_all = LIST_INIT(streams_all);
unsigned streams_count;
unsigned streams_asking;
void (*streams_few_left)(void);
uint8_t streams_watched;
struct pool stream_pool = POOL_INIT("stream", sizeof(struct stream));

/* ---- all of them ------------------------------------------------------------------------- */

void streams_hold_asking(void)
{
	streams_asking++;
	streams_hold();
}

void streams_release_asking(void)
{
	streams_asking--;
	streams_release();
}

struct stream *stream_find(uint64_t id)
{
	struct stream *s;

	list_for_each(s, &streams_all, node)
		if (s->id == id)
			return s;
	return NULL;
}

/* ---- one --------------------------------------------------------------------------------- */

static unsigned pump_mode_of(const struct proxy *fe, const struct proxy *be, uint64_t bit)
{
	const struct options *f = &fe->set.options, *b = &be->set.options;

	if (!pipes_wanted())
		return PUMP_COPY;
	if ((f->on | b->on) & (bit | OPT_SPLICE_AUTO))
		return PUMP_SPLICE;
	return (f->given | b->given) & (bit | OPT_SPLICE_AUTO) ? PUMP_COPY : PUMP_ADAPTIVE;
}

void stream_want_kernel(struct stream *s)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend ? s->backend : fe;
	uint64_t on = fe->set.options.on | be->set.options.on;

	if (s->exchange && !s->closes_halves)
		kernel_stats.messages++; /* until it is a tunnel */
	else if (on & OPT_KERNEL_RELAYS)
		kernel_want(&s->relay, !(on & OPT_KERNEL_RELAY));
}

void stream_choose_ways(struct stream *s)
{
	const struct proxy *fe = s->origin->frontend, *be = s->backend ? s->backend : fe;

	s->relay.request.mode = (uint8_t)pump_mode_of(fe, be, OPT_SPLICE_REQUEST);
	s->relay.response.mode = (uint8_t)pump_mode_of(fe, be, OPT_SPLICE_RESPONSE);
	if (unlikely((fe->set.options.on | be->set.options.on) & OPT_KERNEL_RELAYS))
		stream_want_kernel(s);
}

/* A share of each turn, from a sixteenth of the usual one to four times it. */
void stream_be_nice(struct stream *s, int nice)
{
	if (nice > 0)
		s->relay.moves = (uint8_t)(RELAY_MOVES - nice * (RELAY_MOVES - 1) / 1024);
	else
		s->relay.moves = (uint8_t)(RELAY_MOVES - nice * RELAY_MOVES * 3 / 1024);
}

bool stream_broken_off(const struct stream *s)
{
	switch (s->reason) {
	case END_SERVER_ABORT:
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return true;
	default:
		return false;
	}
}

bool stream_aborts_on_close(const struct stream *s)
{
	const struct proxy *px = s->backend ? s->backend : s->origin->frontend;

	return (px->set.options.on & OPT_ABORTONCLOSE) != 0;
}
